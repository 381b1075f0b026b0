/** The processes in which the two builds are measured. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AnsweringProcess, ProcessUnavailable } from '../answering_process.mjs';

const PROBE = fileURLToPath(new URL('./probe.mjs', import.meta.url));
const OPENING_MS = 60_000;
/** The timeout of one slice of a job, generous for a busy machine. */
const SLICE_MS = 120_000;

/**
 * Node grows its young generation in steps of 7 MB of resident memory at unpredictable times, so it gets its full size from the
 * start.
 */
const NODE_FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];

/** A build does not support a job. */
export class JobFailed extends Error {}

export class ProbeProcess extends AnsweringProcess {
  /**
   * @param {string} tree
   * @param {string} folder for temporary files
   * @param {string[]} task
   */
  static async open(tree, folder, ...task) {
    const child = fork(PROBE, [tree, ...task], {
      execArgv: NODE_FLAGS,
      env: { ...process.env, TMPDIR: folder, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const probe = new ProbeProcess(child);
    const opened = await probe.answer(OPENING_MS).catch(unavailable);
    if (opened.failure === undefined) return probe;
    await probe.kill();
    throw new JobFailed(opened.failure);
  }

  /**
   * @param {string} job
   * @param {number} amount
   * @returns {Promise<Record<string, number[]>>}
   */
  async measure(job, amount) {
    const { values, failure, isUnavailable } = await this.ask({ kind: 'measure', job, amount }, SLICE_MS).catch(
      unavailable,
    );
    if (failure === undefined) return values;
    // A late answer would be mistaken for that of the next job.
    if (isUnavailable) await this.kill();
    throw new JobFailed(failure);
  }
}

/** @param {unknown} error @returns {{ failure: string, isUnavailable: true, values?: undefined }} */
function unavailable(error) {
  if (!(error instanceof ProcessUnavailable)) throw error;
  return { failure: error.message, isUnavailable: true };
}

/**
 * The time from starting a Node process to its first tool result.
 * @param {string} tree
 * @param {string} folder
 * @param {string} root that `prepareColdStart` has made with the same build
 */
export async function coldStart(tree, folder, root) {
  const started = performance.now();
  const probe = await ProbeProcess.open(tree, folder, 'first', root);
  const took = performance.now() - started;
  await probe.close();
  return took;
}

/** @param {string} tree @param {string} folder @param {string} root */
export async function prepareColdStart(tree, folder, root) {
  await (await ProbeProcess.open(tree, folder, 'prepare', root)).kill();
}
