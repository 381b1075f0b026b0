/** A Node child process that answers one message at a time, until it is closed. */

import { descendants } from '../tools/process_tree.mjs';

/** The timeout of an orderly close; then the process is killed. */
const CLOSING_MS = 5000;

/** The process exited or does not answer. */
export class ProcessUnavailable extends Error {}

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
    if (!this.child.connected) throw new ProcessUnavailable('the host process ended');
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
        settle(() => fail(new ProcessUnavailable(`the host process ended with ${signal ?? code}`)));
      const answered = (/** @type {any} */ answer) => settle(() => done(answer));
      const timer = setTimeout(
        () => settle(() => fail(new ProcessUnavailable('the host process does not answer'))),
        waitMs,
      );
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

  /** Kills the host and its children: a peer's leftover helper would slow down later measurements. */
  async kill() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const helpers = descendants(this.pid);
    const exited = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGKILL');
    await exited;
    for (const pid of helpers) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It exited with its host.
      }
    }
  }
}
