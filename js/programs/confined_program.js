/** One run of a program behind walls. */

import { spawn } from 'node:child_process';
import { onAbort, throwIfAborted } from '../boundary/abort.js';
import { readAtMost } from '../boundary/bounded_read.js';
import { beforeDeadline } from '../boundary/deadline.js';
import { IoError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { guarded, ignored } from '../boundary/guarded.js';

/** What the supervisor may need beyond the program's time, to end all that is left of it. */
const ENDING_MS = 30_000;
/** A report beside its two outputs, of which every byte may become six. */
const REPORT_BYTES = 64 << 10;
const MOST_BYTES_PER_BYTE = 12;

/**
 * @typedef {object} Order what `crates/sandbox/src/program/program_request.rs` reads
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
 * Runs a program until nothing of it is left.
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
  // The end of its input is the end of everything; so it comes, too, when this process ends.
  const release = onAbort(signal, () => stdin.end());
  const { timeoutMs, outputBytes } = order.limits;
  try {
    /** @type {Promise<never>} */
    const failed = new Promise((_, reject) => supervisor.once('error', reject));
    // A supervisor that has ended takes no order; that it has is seen by its output.
    stdin.on('error', ignored);
    stdin.write(`${JSON.stringify(order)}\n`);
    const read = () => readAtMost(stdout, REPORT_BYTES + outputBytes * MOST_BYTES_PER_BYTE);
    const text = await beforeDeadline(() => Promise.race([read(), failed]), timeoutMs + ENDING_MS);
    return /** @type {Report} */ (parseForeignJson(text.toString('utf8')));
  } catch (cause) {
    throw new IoError('The program could not be run: what supervises it has failed. Nothing was changed.', { cause });
  } finally {
    release();
    stdin.end();
    guarded(ignored, () => supervisor.kill('SIGKILL'))();
  }
}
