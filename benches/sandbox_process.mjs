/** Starts sandboxes, each in a process of its own, on the Node that it supports. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installPeer, peerVersion } from './peers.mjs';
import { descendants } from './process_tree.mjs';
import { SANDBOXES } from './sandboxes.mjs';

const CHILD = fileURLToPath(new URL('./sandbox_child.mjs', import.meta.url));
/** Opening a sandbox and its first good run. */
const OPENING_MS = 30_000;

/** The host process of a sandbox is gone or silent. */
export class Gone extends Error {}

export class SandboxProcess {
  /** @param {string} name @param {import('node:child_process').ChildProcess} child */
  constructor(name, child) {
    this.name = name;
    this.child = child;
    this.node = '';
  }

  get pid() {
    return this.child.pid ?? 0;
  }

  /**
   * A sandbox that has done a first run, rightly. A busy machine may need more than one go.
   * @param {string} name
   * @returns {Promise<SandboxProcess>}
   */
  static async open(name, goes = 3) {
    try {
      return await SandboxProcess.#openOnce(name);
    } catch (error) {
      if (!(error instanceof Gone) || goes <= 1) throw error;
      return SandboxProcess.open(name, goes - 1);
    }
  }

  /** @param {string} name */
  static async #openOnce(name) {
    const entry = SANDBOXES[name];
    if (!entry) throw new Error(`There is no sandbox "${name}".`);
    if (entry.peer) installPeer(entry.peer);
    const child = fork(CHILD, [name], {
      execPath: entry.node?.() ?? process.execPath,
      execArgv: ['--expose-gc', ...(entry.flags ?? [])],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const opened = new SandboxProcess(name, child);
    const { node, failure } = await opened.#answer(OPENING_MS);
    if (failure) {
      await opened.kill();
      throw new Gone(failure);
    }
    opened.node = `Node ${node.slice(1)}`;
    return opened;
  }

  /** The package and the Node. */
  get about() {
    const version = SANDBOXES[this.name]?.peer;
    return `${version ? `${version} ${peerVersion(version)}, ` : ''}${this.node}`;
  }

  /**
   * @param {object} message
   * @param {number} waitMs
   * @returns {Promise<any>}
   */
  async ask(message, waitMs) {
    if (!this.child.connected) throw new Gone('the host process ended');
    this.child.send(message, () => {}); // A process that ended is seen by whoever waits for the answer.
    return this.#answer(waitMs);
  }

  /** @param {number} waitMs @returns {Promise<any>} */
  #answer(waitMs) {
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
    await this.ask({ kind: 'close' }, 5000).catch(() => {});
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
