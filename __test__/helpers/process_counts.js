/** What an application costs its machine: itself and everything that it has started. Linux. */

import { readdirSync, readFileSync } from 'node:fs';
import { descendants, treeMemory } from '../../benches/process_tree.mjs';
import { isWorker } from './workers.js';

/**
 * @typedef {{ processes: number, workers: number, files: number, memoryMb: number }} Counts
 */

/**
 * @param {number} pid
 * @returns {Counts} of the process and all below it; `workers` are those of the sandbox
 */
export function countsOf(pid) {
  const tree = [pid, ...descendants(pid)];
  return {
    processes: tree.length,
    workers: tree.filter(isWorker).length,
    files: tree.reduce((sum, member) => sum + filesOf(member), 0),
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

/** @param {number} pid */
function filesOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0; // It ended while it was looked at.
  }
}
