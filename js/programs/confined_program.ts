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

/** Input of `crates/sandbox/src/program/program_request.rs`. */
type Order = {
  launcher: string;
  library: string;
  program: string;
  args: string[];
  env: Record<string, string>;
  folder: string;
  input: string;
  confinement: {
    failure: string;
    readable: string[];
    hidden: string[];
    writable: string[];
    memoryBytes: number;
    fileBytes: number;
    cpuSeconds: number;
  };
  limits: {
    timeoutMs: number;
    cpuMs: number;
    memoryBytes: number;
    tasks: number;
    diskBytes: number;
    files: number;
    outputBytes: number;
  };
};
/** The beginning and the end of an output, and the number of bytes between them. */
export type Text = { head: string; tail: string; leftOut: number };
type End = 'exit' | 'signal' | 'timeout' | 'cpu' | 'memory' | 'tasks' | 'disk' | 'cancelled' | 'notStarted';
/** How a program ended, and what it used. */
export type Report = {
  end: End;
  code: number | null;
  reason: string | null;
  stdout: Text;
  stderr: Text;
  wallMs: number;
  cpuMs: number;
  memoryBytes: number;
  hasSurvivors: boolean;
};

/** Runs a program until all of its processes have ended. */
export async function runConfined(order: Order, signal: AbortSignal | undefined): Promise<Report> {
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
    const failed = new Promise<never>((_, reject) => supervisor.once('error', reject));
    // A supervisor that has already ended is detected by its output.
    stdin.on('error', ignored);
    stdin.write(`${JSON.stringify(order)}\n`);
    const read = () => readAtMost(stdout, REPORT_BYTES + outputBytes * MAX_BYTES_PER_BYTE);
    const text = await beforeDeadline(() => Promise.race([read(), failed]), timeoutMs + SHUTDOWN_TIMEOUT_MS);
    return parseForeignJson(text.toString('utf8')) as Report;
  } catch (cause) {
    throw new IoError('The program could not be run: its supervisor failed. Nothing was changed.', { cause });
  } finally {
    release();
    stdin.end();
    guarded(ignored, () => supervisor.kill('SIGKILL'))();
  }
}
