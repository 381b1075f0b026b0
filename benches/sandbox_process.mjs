/** Starts sandboxes, each in a separate process, on a supported version of Node. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AnsweringProcess, ProcessUnavailable } from './answering_process.mjs';
import { installPeer, peerVersion } from './peers.mjs';
import { SANDBOXES } from './sandboxes.mjs';

export { ProcessUnavailable };

const CHILD = fileURLToPath(new URL('./sandbox_child.mjs', import.meta.url));
/** The timeout for opening a sandbox and its first run. */
const OPENING_MS = 30_000;

export class SandboxProcess extends AnsweringProcess {
  /** @param {string} name @param {import('node:child_process').ChildProcess} child */
  constructor(name, child) {
    super(child);
    this.name = name;
    this.node = '';
  }

  /**
   * Opens a sandbox and verifies a first run. A busy machine may need more than one attempt.
   * @param {string} name
   * @returns {Promise<SandboxProcess>}
   */
  static async open(name, goes = 3) {
    try {
      return await SandboxProcess.#openOnce(name);
    } catch (error) {
      if (!(error instanceof ProcessUnavailable) || goes <= 1) throw error;
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
    const { node, failure } = await opened.answer(OPENING_MS);
    if (failure) {
      await opened.kill();
      throw new ProcessUnavailable(failure);
    }
    opened.node = `Node ${node.slice(1)}`;
    return opened;
  }

  /** The versions of the package and of Node. */
  get about() {
    const version = SANDBOXES[this.name]?.peer;
    return `${version ? `${version} ${peerVersion(version)}, ` : ''}${this.node}`;
  }
}
