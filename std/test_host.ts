/** Fakes of host functions, time and random numbers for the duration of a test case. */

import { fn, type Mock } from './expect.js';

/** A fake: a function with the same arguments as the real one, or its return value. */
export type Fake = ((...args: never[]) => unknown) | string | number | boolean | null | object;

/** Fakes by name: `fetch`, `exec_sql`, `read_file`, `write_file`, `exec_tool`, or any application function. */
export type HostFakes = Record<string, Fake>;

type Call = (...args: unknown[]) => unknown;

/** Synchronous functions; all others return promises. */
const SYNCHRONOUS = ['read_file', 'list_files', 'write_file', 'log'];

const undo: (() => void)[] = [];
let isInCase = false;

/** Replaces a property until the end of the case; outside a case, for all cases. */
function replace(holder: object, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  Object.defineProperty(holder, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: before?.enumerable ?? true,
  });
  if (!isInCase) return;
  undo.push(() => {
    if (before === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, before);
  });
}

/** Copies a value as a round trip to the kernel would. */
function crossed<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

function responseOf(value: unknown): unknown {
  if (value instanceof Response) return value;
  return typeof value === 'string' ? new Response(value) : Response.json(value);
}

function answering(name: string, spy: Call): Call {
  if (name === 'fetch') return async (...args) => responseOf(await spy(...args));
  if (SYNCHRONOUS.includes(name)) return (...args) => crossed(spy(...crossed(args)));
  return async (...args) => crossed(await spy(...crossed(args)));
}

/**
 * Replaces host functions by fakes: tests have no network, database or application functions. Inside a test the fakes apply until its
 * end, outside to all tests of the file. Returns mocks, to inspect the calls:
 * `expect(host.exec_sql).toHaveBeenCalledWith('SELECT 1', [])`.
 */
export function mockHost<T extends HostFakes>(fakes: T): { [K in keyof T]: Mock } {
  const tgp = (globalThis as unknown as { tgp: object }).tgp;
  const spies: Record<string, Mock> = {};
  for (const [name, fake] of Object.entries(fakes)) {
    const spy = fn(typeof fake === 'function' ? (fake as Call) : () => fake);
    const call = answering(name, spy as unknown as Call);
    replace(tgp, name, call);
    if (name === 'fetch') replace(globalThis, 'fetch', call);
    spies[name] = spy;
  }
  return spies as { [K in keyof T]: Mock };
}

/** Stops the clock at this time until the end of the test. */
export function setNow(moment: Date | string | number): void {
  const RealDate = Date;
  const now = new RealDate(moment).getTime();
  if (Number.isNaN(now))
    throw new RangeError('setNow needs a time: a Date, a string such as "2026-01-31T12:00:00Z", or milliseconds.');
  class StoppedDate extends RealDate {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(now);
      else super(...(args as [number]));
    }
    static override now(): number {
      return now;
    }
  }
  replace(globalThis, 'Date', StoppedDate);
}

/** Seeds `Math.random` until the end of the test. */
export function setSeed(seed: number): void {
  let state = seed >>> 0;
  replace(Math, 'random', () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  });
}

export function beginFakes(): void {
  isInCase = true;
}

export function endFakes(): void {
  isInCase = false;
  for (let back = undo.pop(); back !== undefined; back = undo.pop()) back();
}
