/** A process of Node that answers one message after the other, until it is closed. */

import { descendants } from './process_tree.mjs';

/** Closing in good order; after that the process is killed. */
const CLOSING_MS = 5000;

/** The process ended or does not answer. */
export class Gone extends Error {}

export class AnsweringProcess {
  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.child = child;
  }

  get pid() {
    return this.child.pid ?? 0;
  }

  /**
   * @param {object} message
   * @param {number} waitMs
   * @returns {Promise<any>}
   */
  async ask(message, waitMs) {
    if (!this.child.connected) throw new Gone('the host process ended');
    this.child.send(message, () => {}); // `answer` reports a process that has ended.
    return this.answer(waitMs);
  }

  /**
   * The next message of the process.
   * @param {number} waitMs
   * @returns {Promise<any>}
   */
  answer(waitMs) {
    return new Promise((done, fail) => {
      const ended = (/** @type {number | null} */ code, /** @type {string | null} */ signal) =>
        settle(() => fail(new Gone(`the host process ended with ${signal ?? code}`)));
      const answered = (/** @type {any} */ answer) => settle(() => done(answer));
      const timer = setTimeout(() => settle(() => fail(new Gone('the host process does not answer'))), waitMs);
      const settle = (/** @type {() => void} */ finish) => {
        clearTimeout(timer);
        this.child.off('exit', ended).off('message', answered);
        finish();
      };
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        ended(this.child.exitCode, this.child.signalCode);
        return;
      }
      this.child.on('exit', ended).on('message', answered);
    });
  }

  async close() {
    await this.ask({ kind: 'close' }, CLOSING_MS).catch(() => {});
    await this.kill();
  }

  /** Ends the host and what it started: a peer's helper that goes on alone would slow down all that is measured next. */
  async kill() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const helpers = descendants(this.pid);
    const gone = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGKILL');
    await gone;
    for (const pid of helpers) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with its host.
      }
    }
  }
}
