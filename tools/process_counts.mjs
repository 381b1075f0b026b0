/** Resource usage of an application and its descendants. Linux. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { descendants, treeMemory } from './process_tree.mjs';
import { isWorker } from './workers.mjs';

/**
 * @typedef {{ processes: number, workers: number, threads: number, files: number, memoryMb: number }} Counts
 */

/**
 * @param {number} pid
 * @returns {Counts} of the process and all below it; `workers` are those of the sandbox
 */
export function countsOf(pid) {
  const tree = [pid, ...descendants(pid)];
  const sum = (/** @type {string} */ folder) => tree.reduce((total, member) => total + entriesOf(member, folder), 0);
  return {
    processes: tree.length,
    workers: tree.filter(isWorker).length,
    threads: sum('task'),
    files: sum('fd'),
    memoryMb: Math.round(treeMemory(pid).total),
  };
}

/**
 * Which of these processes still run.
 * @param {number[]} pids
 */
export function running(pids) {
  return pids.filter((pid) => {
    try {
      return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  });
}

/**
 * The processes that use a folder, whatever their parent is now: as the place of their program, as their working directory,
 * or in their arguments.
 * @param {string} folder
 */
export function processesOf(folder) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const ours = pids.filter((pid) =>
    [
      () => readlinkSync(`/proc/${pid}/exe`),
      () => readlinkSync(`/proc/${pid}/cwd`),
      () => readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    ].some((look) => {
      try {
        return look().includes(folder);
      } catch {
        return false; // It ended in the meantime.
      }
    }),
  );
  return running(ours.map(Number));
}

/**
 * @param {number} pid
 * @param {string} folder
 */
function entriesOf(pid, folder) {
  try {
    return readdirSync(`/proc/${pid}/${folder}`).length;
  } catch {
    return 0; // It ended in the meantime.
  }
}
