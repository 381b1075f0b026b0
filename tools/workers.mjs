import { readdirSync, readFileSync } from 'node:fs';

/**
 * Process ids of a process's sandbox workers.
 * @param {number} [parent] default: this process
 */
export function workers(parent = process.pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isWorker(pid) && statOf(pid)?.parent === parent);
}

/**
 * Whether a process is a worker that has not ended.
 * @param {number} pid
 */
export function isWorker(pid) {
  const stat = statOf(pid);
  return stat !== undefined && stat.name === 'tgp-sandbox' && stat.state !== 'Z';
}

/** @param {number} pid */
function statOf(pid) {
  try {
    const [, name, state, parent] = /\((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/**
 * Sends a signal to all sandbox workers of this process; one that has ended meanwhile needs none.
 * @param {NodeJS.Signals} [signal]
 */
export function signalWorkers(signal = 'SIGKILL') {
  for (const pid of workers()) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
    }
  }
}
