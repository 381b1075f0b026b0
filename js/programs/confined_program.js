/** Runs one program in confinement. */

import { spawn } from 'node:child_process';
import { onAbort, throwIfAborted } from '../boundary/abort.js';
import { readAtMost } from '../boundary/bounded_read.js';
import { beforeDeadline } from '../boundary/deadline.js';
import { IoError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { guarded, ignored } from '../boundary/guarded.js';

/** Additional time for the supervisor to end remaining processes. */
const SHUTDOWN_TIMEOUT_MS = 30_000;
/** Size of a report without its outputs, of which every byte may be escaped to six. */
const REPORT_BYTES = 64 << 10;
const MAX_BYTES_PER_BYTE = 12;

/**
 * @typedef {object} Order input of `crates/sandbox/src/program/program_request.rs`
 * @property {string} launcher
 * @property {string} library
 * @property {string} program
 * @property {string[]} args
 * @property {Record<string, string>} env
 * @property {string} folder
 * @property {string} input
 * @property {{ failure: string, readable: string[], hidden: string[], writable: string[], memoryBytes: number, fileBytes: number, cpuSeconds: number }} walls
 * @property {{ timeoutMs: number, cpuMs: number, memoryBytes: number, tasks: number, diskBytes: number, files: number, outputBytes: number }} limits
 *
 * @typedef {{ head: string, tail: string, leftOut: number }} Text
 * @typedef {'exit' | 'signal' | 'timeout' | 'cpu' | 'memory' | 'tasks' | 'disk' | 'cancelled' | 'notStarted'} End
 * @typedef {{ end: End, code: number | null, reason: string | null, stdout: Text, stderr: Text, wallMs: number, cpuMs: number, memoryBytes: number, hasSurvivors: boolean }} Report
 */

/**
 * Runs a program until all of its processes have ended.
 * @param {Order} order
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Report>}
 */
export async function runConfined(order, signal) {
  throwIfAborted(signal);
  const supervisor = spawn(order.launcher, [order.library, '--supervise'], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin, stdout } = supervisor;
  // Closing its input ends the supervisor and the program; this also happens when this process ends.
  const release = onAbort(signal, () => stdin.end());
  const { timeoutMs, outputBytes } = order.limits;
  try {
    /** @type {Promise<never>} */
    const failed = new Promise((_, reject) => supervisor.once('error', reject));
    // A supervisor that has already ended is detected by its output.
    stdin.on('error', ignored);
    stdin.write(`${JSON.stringify(order)}\n`);
    const read = () => readAtMost(stdout, REPORT_BYTES + outputBytes * MAX_BYTES_PER_BYTE);
    const text = await beforeDeadline(() => Promise.race([read(), failed]), timeoutMs + SHUTDOWN_TIMEOUT_MS);
    return /** @type {Report} */ (parseForeignJson(text.toString('utf8')));
  } catch (cause) {
    throw new IoError('The program could not be run: its supervisor failed. Nothing was changed.', { cause });
  } finally {
    release();
    stdin.end();
    guarded(ignored, () => supervisor.kill('SIGKILL'))();
  }
}
