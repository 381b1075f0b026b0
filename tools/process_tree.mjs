/** Memory and CPU time of a process and its descendants. Linux only; elsewhere NaN. */

import { readdirSync, readFileSync } from 'node:fs';

/** @param {number} pid */
function residentMb(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // It exited meanwhile.
  }
}

/**
 * Process ids of all current descendants of a process.
 * @param {number} root
 * @returns {number[]}
 */
export function descendants(root) {
  if (process.platform !== 'linux') return [];
  const children = threadsOf(root).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${root}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      return []; // It exited meanwhile.
    }
  });
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** @param {number} pid */
function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/**
 * Resident memory in MB.
 * @param {number} root
 * @returns {{ host: number, workers: number, total: number }} the process itself, its descendants, and both
 */
export function treeMemory(root) {
  if (process.platform !== 'linux') return { host: Number.NaN, workers: Number.NaN, total: Number.NaN };
  const host = residentMb(root);
  const workers = descendants(root).reduce((sum, pid) => sum + residentMb(pid), 0);
  return { host, workers, total: host + workers };
}

/**
 * Proportional set size: pages shared with other processes count in part. In MB; NaN if `/proc` does not have it, or not for
 * this user.
 * @param {number} pid
 */
function proportionalMb(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
  } catch {
    return Number.NaN;
  }
}

/**
 * Proportional memory in MB.
 * @param {number} root
 * @returns {{ host: number, workers: number }} the process itself, and its descendants
 */
export function treeProportionalMemory(root) {
  return {
    host: proportionalMb(root),
    workers: descendants(root).reduce((sum, pid) => sum + proportionalMb(pid), 0),
  };
}

/**
 * CPU time of the living threads in milliseconds, with nanosecond resolution if `/proc` has it.
 * @param {number} root
 * @returns {{ host: number, main: number, workers: number }} the process itself, its main thread, and its descendants
 */
export function threadCpuMs(root) {
  const ofProcess = (/** @type {number} */ pid) =>
    threadsOf(pid).reduce((sum, thread) => sum + ofThread(pid, Number(thread)), 0);
  return {
    host: ofProcess(root),
    main: ofThread(root, root),
    workers: descendants(root).reduce((sum, pid) => sum + ofProcess(pid), 0),
  };
}

/** @param {number} pid @param {number} thread */
function ofThread(pid, thread) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0; // It exited meanwhile.
  }
}

/** Fields of `/proc/PID/stat` after the name: parent, then user and system time, own and of children that have ended. */
const PARENT = 1;
const TIMES = [11, 12];
const CHILD_TIMES = [13, 14];
const MS_PER_TICK = 10;

/**
 * CPU time in milliseconds of a process and its children, including exited ones.
 * @param {number} root
 */
export function treeCpuMs(root) {
  if (process.platform !== 'linux') return Number.NaN;
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const sum = (/** @type {number[]} */ at) => at.reduce((total, index) => total + (fields[index] ?? 0), 0);
      if (Number(name) === root) ticks += sum(TIMES) + sum(CHILD_TIMES);
      else if (fields[PARENT] === root) ticks += sum(TIMES);
    } catch {
      // It exited meanwhile.
    }
  }
  return ticks * MS_PER_TICK;
}
