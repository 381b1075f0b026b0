/** Identity of a process and thread that holds a lock or session, and whether it is still alive. */

import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readTextAtOnce } from '../../boundary/bounded_read.js';
import { isRecord } from '../../boundary/foreign_json.js';

type ThreadState = { id: string; working: Set<string> };
export type ProcessIdentity = {
  pid: number;
  host: string;
  boot?: string;
  space?: string;
  started?: string;
  realm?: string;
};

/** State shared by all copies of this module in one thread: `import` and `require` load one each. */
export const THREAD_STATE = shared(Symbol.for('@tgp/core/realm'));

/** How often a process renews its lease. */
export const BEAT_MS = 15_000;
/** How long a lease holds of a process that cannot be checked directly. */
export const LEASE_MS = 60_000;

const MAX_STAT_BYTES = 4_096;
/** Index of the start time among the fields after the process name in /proc/PID/stat. */
const START_TIME_FIELD = 19;

/** @returns of the current thread */
export function ownIdentity(): ProcessIdentity {
  const started = startOf('self');
  return { pid: process.pid, ...place(), ...(started !== undefined && { started }), realm: THREAD_STATE.id };
}

/**
 * Whether the process of a mark may still be alive. Processes on this machine are checked directly. Those on another machine, in
 * another container that shares the files, and other threads of this process renew a lease. A renewal time too far in the future
 * is as invalid as one in the past.
 * @param seen time of the last lease renewal, in milliseconds since 1970
 */
export function isAlive(mark: unknown, seen: number) {
  if (!isIdentity(mark)) return false;
  const isLeased = () => Math.abs(Date.now() - seen) < LEASE_MS;
  if (!isHere(mark)) return isLeased();
  const own = ownIdentity();
  if (mark.pid === own.pid) return mark.started === own.started && (isOwn(mark) || isLeased());
  const started = startOf(mark.pid);
  // The id of an ended process is reused.
  if (started !== undefined && mark.started !== undefined) return started === mark.started;
  try {
    return process.kill(mark.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a stored value is the identity of a process. */
export function isIdentity(mark: unknown): mark is ProcessIdentity {
  return isRecord(mark) && typeof mark.pid === 'number';
}

/** Whether a mark belongs to this thread. */
export function isOwn({ realm }: ProcessIdentity) {
  return realm === THREAD_STATE.id;
}

/** Whether the process id of a mark belongs to this machine and PID namespace. */
export function isHere({ host, boot, space }: ProcessIdentity) {
  const own = place();
  return host === own.host && boot === own.boot && space === own.space;
}

function place(): Pick<ProcessIdentity, 'host' | 'boot' | 'space'> {
  const boot = orNothing(() => readTextAtOnce('/proc/sys/kernel/random/boot_id', MAX_STAT_BYTES).trim());
  const space = orNothing(() => readlinkSync('/proc/self/ns/pid'));
  return { host: hostname(), ...(boot !== undefined && { boot }), ...(space !== undefined && { space }) };
}

/** @returns undefined where the system does not report it */
function startOf(pid: number | 'self'): string | undefined {
  return orNothing(() => {
    const text = readTextAtOnce(`/proc/${pid}/stat`, MAX_STAT_BYTES);
    // A name can hold spaces and brackets.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD];
  });
}

/** @param read of something not every system has */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function shared(key: symbol): ThreadState {
  const all = globalThis as Record<symbol, ThreadState | undefined>;
  all[key] ??= { id: randomUUID(), working: new Set() };
  return all[key];
}
