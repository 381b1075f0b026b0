import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IoError, TGPError } from './errors.js';
import { createNodeVFS } from './vfs.js';

/**
 * @typedef {import('../index.js').VFSAdapter} VFSAdapter
 * @typedef {import('../index.js').Logger} Logger
 */

/** Why a file that is in an application's own files is not in Git. */
const NOT_IN_GIT = 'The files are in the adapter that was given as "vfs"; nothing is kept in Git.';
const META_FILE = 'meta.json';

/** Folders that a process which ends without shutdown() must not leave behind. */
const open = new Set();
let isWatching = false;

/**
 * The files of an application's own adapter, where the native kernel can work on them: a private temporary folder,
 * filled at boot. Every write goes to the adapter as well before it counts as done.
 */
export class VfsMirror {
  /** @type {VFSAdapter} */
  #vfs;
  /** @type {VFSAdapter} */
  #files;
  /** Writes follow each other, so that the adapter sees them in the kernel's order. */
  #last = Promise.resolve();

  /**
   * @param {VFSAdapter} vfs
   * @param {string} root
   */
  constructor(vfs, root) {
    this.#vfs = vfs;
    this.#files = createNodeVFS(root);
    this.root = root;
  }

  /**
   * @param {VFSAdapter} vfs
   * @param {Logger} logger
   */
  static async fill(vfs, logger) {
    const root = await mkdtemp(join(tmpdir(), 'tgp-vfs-'));
    removeAtExit(root);
    const mirror = new VfsMirror(vfs, root);
    try {
      await mirror.#fill(logger);
    } catch (error) {
      await mirror.remove();
      throw error instanceof TGPError ? error : new IoError('The files of "vfs" could not be read.', { cause: error });
    }
    return mirror;
  }

  /**
   * Does a write in the kernel, then in the adapter. When the adapter fails, the kernel's file is what it was.
   * @template {{ path: string }} Written
   * @param {string} path
   * @param {() => Promise<Written>} write
   * @returns {Promise<Written>}
   */
  write(path, write) {
    const done = this.#last.then(() => this.#write(path, write));
    this.#last = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  async remove() {
    open.delete(this.root);
    await rm(this.root, { recursive: true, force: true });
  }

  /**
   * @template {{ path: string }} Written
   * @param {string} path
   * @param {() => Promise<Written>} write
   */
  async #write(path, write) {
    const before = await this.#files.readFile(path).catch(() => undefined);
    const { commit: _commit, ...written } = /** @type {Written & { commit?: string }} */ (await write());
    try {
      for (const changed of [written.path, META_FILE]) {
        if (await this.#files.exists(changed)) await this.#vfs.writeFile(changed, await this.#files.readFile(changed));
      }
    } catch (cause) {
      await (before === undefined ? this.#files.remove(path) : this.#files.writeFile(path, before));
      throw new IoError(`"${written.path}" was not written: the application's "vfs" refused it.`, { cause });
    }
    return /** @type {Written} */ (/** @type {unknown} */ ({ ...written, persisted: false, problem: NOT_IN_GIT }));
  }

  /** @param {Logger} logger */
  async #fill(logger) {
    for (const path of await this.#vfs.listFiles('', true)) {
      const name = path.replaceAll('\\', '/');
      const content = await this.#vfs.readFile(path);
      await this.#files.writeFile(name, content).catch((error) => {
        logger.warn(`Left out "${name}" of "vfs": ${error.message}`);
      });
    }
  }
}

/** @param {string} root */
function removeAtExit(root) {
  open.add(root);
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const folder of open) rmSync(folder, { recursive: true, force: true });
  });
}
