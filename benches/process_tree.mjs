/** Memory and CPU time of a process and everything that it started. Linux; elsewhere NaN. */

import { readdirSync, readFileSync } from 'node:fs';

/** @param {string} pid @returns {{ parent: number, mb: number } | undefined} */
function status(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (/** @type {string} */ name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
    return { parent: field('PPid'), mb: field('VmRSS') / 1024 };
  } catch {
    return undefined; // It ended while it was looked at.
  }
}

/**
 * Resident memory in MB.
 * @param {number} root
 * @returns {{ host: number, workers: number, total: number }} the process itself, its descendants, and both
 */
export function treeMemory(root) {
  if (process.platform !== 'linux') return { host: Number.NaN, workers: Number.NaN, total: Number.NaN };
  /** @type {Map<number, { parent: number, mb: number }>} */
  const all = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const found = status(name);
    if (found) all.set(Number(name), found);
  }
  const below = (/** @type {number} */ pid) => {
    for (let at = all.get(pid); at; at = all.get(at.parent)) if (at.parent === root) return true;
    return false;
  };
  const host = all.get(root)?.mb ?? 0;
  let workers = 0;
  for (const [pid, { mb }] of all) if (pid !== root && below(pid)) workers += mb;
  return { host, workers, total: host + workers };
}

/** Fields of `/proc/PID/stat` after the name: parent, then user and system time, own and of children that have ended. */
const PARENT = 1;
const TIMES = [11, 12];
const CHILD_TIMES = [13, 14];
const MS_PER_TICK = 10;

/**
 * CPU time in milliseconds of a process, of its children and of those that have ended.
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
      // It ended while it was looked at.
    }
  }
  return ticks * MS_PER_TICK;
}
