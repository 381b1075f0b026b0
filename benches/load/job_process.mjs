/** Runs jobs in separate processes: one that hangs or dies is reported and does not affect others. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AnsweringProcess } from '../answering_process.mjs';

const PROGRAM = fileURLToPath(new URL('./job.mjs', import.meta.url));
const ERROR_LETTERS = 2000;

export class JobProcess extends AnsweringProcess {
  /**
   * @param {string} tree of the build
   * @param {string} job name of its file
   * @param {{ folder: string, seconds: number, scale: number, [setting: string]: unknown }} settings
   * @param {Record<string, string>} [env]
   */
  static start(tree, job, settings, env) {
    const child = fork(PROGRAM, [tree, job, JSON.stringify(settings)], {
      execArgv: ['--expose-gc'],
      env: { ...process.env, TMPDIR: settings.folder, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const started = new JobProcess(child);
    child.stderr?.on('data', (chunk) => {
      started.errors = (started.errors + chunk).slice(-ERROR_LETTERS);
    });
    return started;
  }

  /** The end of its standard error output. */
  errors = '';

  /**
   * Starts a job and waits until it is ready.
   * @param {string} tree
   * @param {string} job
   * @param {{ folder: string, seconds: number, scale: number, [setting: string]: unknown }} settings
   * @param {{ waitMs: number }} options
   */
  static async open(tree, job, settings, { waitMs }) {
    const opened = JobProcess.start(tree, job, settings);
    await opened.outcome(waitMs);
    return opened;
  }

  /**
   * The job's answer.
   * @param {number} waitMs
   * @param {object} [message] that it waits for
   * @returns {Promise<any>}
   */
  async outcome(waitMs, message) {
    try {
      const { failure, values } = await (message === undefined ? this.answer(waitMs) : this.ask(message, waitMs));
      if (failure !== undefined) throw new Error(failure);
      return values;
    } catch (error) {
      await this.kill();
      throw error;
    }
  }
}

/**
 * The outcome of a whole job.
 * @param {string} tree
 * @param {string} job
 * @param {{ folder: string, seconds: number, scale: number, [setting: string]: unknown }} settings
 * @param {{ waitMs: number, env?: Record<string, string> }} options
 */
export async function runJob(tree, job, settings, { waitMs, env }) {
  const started = JobProcess.start(tree, job, settings, env);
  try {
    return await started.outcome(waitMs);
  } catch (error) {
    const errors = started.errors.trim();
    throw new Error(`${/** @type {Error} */ (error).message}${errors === '' ? '' : `: ${errors.split('\n').at(-1)}`}`);
  } finally {
    await started.kill();
  }
}
