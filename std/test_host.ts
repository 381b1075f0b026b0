/** Fakes of what a tool asks the kernel for, and of time and chance, for the length of a case. */

import { fn, type Mock } from './expect.js';

/** What a fake answers: a function that is called as the real one would be, or the answer itself. */
export type Fake = ((...args: never[]) => unknown) | string | number | boolean | null | object;

/** Fakes by name: `fetch`, `exec_sql`, `read_file`, `write_file`, `exec_tool`, any function of the application. */
export type HostFakes = Record<string, Fake>;

type Call = (...args: unknown[]) => unknown;

/** These answer at once; all others answer with a promise. */
const AT_ONCE = ['read_file', 'list_files', 'write_file', 'log'];

const undo: (() => void)[] = [];
let isInCase = false;

/** Puts `value` in place of a property, until the case is over; for all cases when none is running. */
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

/** Values as they are when they have crossed to the kernel and back. */
function crossed<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

function responseOf(value: unknown): unknown {
  if (value instanceof Response) return value;
  return typeof value === 'string' ? new Response(value) : Response.json(value);
}

function answering(name: string, spy: Call): Call {
  if (name === 'fetch') return async (...args) => responseOf(await spy(...args));
  if (AT_ONCE.includes(name)) return (...args) => crossed(spy(...crossed(args)));
  return async (...args) => crossed(await spy(...crossed(args)));
}

/**
 * Answers host calls of the tool in the place of the kernel: a test has no network, no database and no application of its
 * own. In a test it holds until that test is over, outside of one for all tests of the file. Returns the fakes, to ask how
 * they were called: `expect(host.exec_sql).toHaveBeenCalledWith('SELECT 1', [])`.
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

/** Stops the clock at this moment, until the test is over. */
export function setNow(moment: Date | string | number): void {
  const RealDate = Date;
  const now = new RealDate(moment).getTime();
  if (Number.isNaN(now))
    throw new RangeError('setNow needs a moment: a Date, a text such as "2026-01-31T12:00:00Z", or milliseconds.');
  class StoppedDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(now);
      else super(...(given as [number]));
    }
    static override now(): number {
      return now;
    }
  }
  replace(globalThis, 'Date', StoppedDate);
}

/** Makes `Math.random` give the same numbers every time, until the test is over. */
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
