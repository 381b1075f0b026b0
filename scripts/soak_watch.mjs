/** Monitors an application from outside (memory, files and processes), and kills its workers. Linux only. */

import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { descendants, treeMemory } from '../tools/process_tree.mjs';
import { isWorker } from '../tools/workers.mjs';

const HOST = fileURLToPath(new URL('./soak_host.mjs', import.meta.url));
const SAMPLE_MS = 500;
const KILL_MS = 2500;
/** Seconds within which remaining processes must have exited. */
const LAST_LOOKS = 20;
/**
 * @typedef {{ at: number, hostMb: number, heapMb: number, totalMb: number, files: number, processes: number }} Sample
 * @typedef {{ job: string, at: number, ms: number, outcome: string }} Done
 * @typedef {{ files: number, processes: number[] }} Left
 * @typedef {object} Seen what was seen
 * @property {Sample[]} samples
 * @property {Done[]} done
 * @property {number} kills
 * @property {string} [died] how the application ended, if it did so by itself
 * @property {string[]} broken promises that the application itself found broken
 * @property {Left} [before] what the application had at the start
 * @property {Left} [after] and after it had put everything away
 */

/** @param {number} pid */
function left(pid) {
  return { files: readdirSync(`/proc/${pid}/fd`).length, processes: descendants(pid) };
}

/**
 * Runs the application and monitors it.
 * @param {{ folder: string, seconds: number, seed: number, only: string, tick: (record: Seen) => void }} options
 * @returns {Promise<Seen>}
 */
export async function watch({ folder, seconds, seed, only, tick }) {
  const child = fork(HOST, [folder, String(seconds), String(seed), only], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const pid = child.pid ?? 0;
  const begun = performance.now();
  /** @type {Seen} */
  const record = { samples: [], done: [], kills: 0, broken: [] };
  let heapMb = 0;
  /** @type {NodeJS.Timeout[]} */
  const timers = [];
  const sample = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const { host, total } = treeMemory(pid);
    const { files, processes } = left(pid);
    record.samples.push({
      at: (performance.now() - begun) / 1000,
      hostMb: host,
      heapMb,
      totalMb: total,
      files,
      processes: processes.length,
    });
    tick(record);
  };
  const kill = () => {
    const workers = descendants(pid).filter(isWorker);
    const victim = workers[record.kills % Math.max(1, workers.length)];
    if (victim === undefined) return;
    try {
      process.kill(victim, 'SIGKILL');
      record.kills++;
    } catch {
      // The worker has exited meanwhile.
    }
  };
  await new Promise((ended) => {
    child.on('message', (/** @type {any} */ message) => {
      if (message.kind === 'open') {
        record.before = left(pid);
        timers.push(setInterval(sample, SAMPLE_MS), setInterval(kill, KILL_MS));
      }
      if (message.kind === 'memory') heapMb = message.heapUsed / 2 ** 20;
      if (message.kind === 'done') record.done.push(message);
      if (message.kind === 'closed') {
        record.broken = message.broken;
        for (const timer of timers) clearInterval(timer);
        // An exiting process needs a moment to disappear.
        let looks = 0;
        const look = setInterval(() => {
          record.after = left(pid);
          looks += 1;
          if (record.after.processes.length > 0 && looks < LAST_LOOKS) return;
          clearInterval(look);
          child.send({ kind: 'end' });
        }, 1000);
      }
    });
    child.on('exit', (code, signal) => {
      for (const timer of timers) clearInterval(timer);
      if (code !== 0 || record.after === undefined) record.died = signal ?? `exit code ${code}`;
      ended(undefined);
    });
  });
  return record;
}
