/** Which process, and which thread of it, works on something, and whether it still does. */

import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readTextAtOnce } from '../boundary/bounded_read.js';

/** @typedef {{ pid: number, host: string, boot?: string, space?: string, started?: string, realm?: string }} ProcessMark */

/**
 * What all copies of this module in one thread share: `import` and `require` load one each.
 * @type {{ id: string, working: Set<string> }}
 */
export const REALM = shared(Symbol.for('@tgp/core/realm'));

/** How often a process renews its lease, and how long a lease lasts where the process cannot be looked for. */
export const BEAT_MS = 15_000;
export const LEASE_MS = 60_000;

const MAX_STAT_BYTES = 4_096;
/** When a process began, among the numbers behind its name. */
const STARTED_AT = 19;

/** @returns {ProcessMark} of this thread of this process */
export function ownMark() {
  const started = startOf('self');
  return { pid: process.pid, ...place(), ...(started !== undefined && { started }), realm: REALM.id };
}

/**
 * Whether a process may still work on what it has marked. Here it is looked for. On another machine, in another container that
 * shares the files, or for another thread of this process, that is not possible: those renew a lease. A time in the future counts
 * as little as one in the past.
 * @param {any} mark
 * @param {number} seen when it last renewed it, in milliseconds since 1970
 */
export function isAlive(mark, seen) {
  if (typeof mark?.pid !== 'number') return false;
  const isLeased = () => Math.abs(Date.now() - seen) < LEASE_MS;
  if (!isHere(mark)) return isLeased();
  const own = ownMark();
  if (mark.pid === own.pid) return mark.started === own.started && (isOwn(mark) || isLeased());
  const started = startOf(mark.pid);
  // The number of a process that is gone is given to others.
  if (started !== undefined && mark.started !== undefined) return started === mark.started;
  try {
    return process.kill(mark.pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Whether this thread has made a mark that is alive.
 * @param {ProcessMark} mark
 */
export function isOwn({ realm }) {
  return realm === REALM.id;
}

/**
 * Whether the number of its process means the same here as it did there.
 * @param {ProcessMark} mark
 */
export function isHere({ host, boot, space }) {
  const own = place();
  return host === own.host && boot === own.boot && space === own.space;
}

/** @returns {Pick<ProcessMark, 'host' | 'boot' | 'space'>} */
function place() {
  const boot = orNothing(() => readTextAtOnce('/proc/sys/kernel/random/boot_id', MAX_STAT_BYTES).trim());
  const space = orNothing(() => readlinkSync('/proc/self/ns/pid'));
  return { host: hostname(), ...(boot !== undefined && { boot }), ...(space !== undefined && { space }) };
}

/**
 * @param {number | 'self'} pid
 * @returns {string | undefined} where the system tells
 */
function startOf(pid) {
  return orNothing(() => {
    const text = readTextAtOnce(`/proc/${pid}/stat`, MAX_STAT_BYTES);
    // A name can hold spaces and brackets.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[STARTED_AT];
  });
}

/**
 * @template T
 * @param {() => T} read what not every system has
 * @returns {T | undefined}
 */
function orNothing(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** @param {symbol} key */
function shared(key) {
  const all = /** @type {Record<symbol, any>} */ (globalThis);
  all[key] ??= { id: randomUUID(), working: new Set() };
  return all[key];
}
