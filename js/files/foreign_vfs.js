import { beforeDeadline } from '../boundary/deadline.js';
import { IoError } from '../boundary/errors.js';
import { LIMITS } from '../boundary/limits.js';

/** Most files of an adapter, and largest one: as much as may be configured. */
const MAX_FILES = LIMITS.fs.rootFiles.most;
export const MAX_FILE_BYTES = LIMITS.fs.fileBytes.most;
const ADAPTER_TIMEOUT_MS = 30_000;

/** An application's own adapter: code of others, which may fail, give anything, or never answer. */
export class ForeignVfs {
  #vfs;
  #timeoutMs;

  /**
   * @param {import('../../index.js').VFSAdapter} vfs
   * @param {number} [timeoutMs] how long it may take for one file
   */
  constructor(vfs, timeoutMs = ADAPTER_TIMEOUT_MS) {
    this.#vfs = vfs;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Work with the adapter on one file. What it throws is an error of ours, and so is that it takes too long.
   * @template T
   * @param {string} name empty for the list of files
   * @param {() => Promise<T>} work
   */
  async attempt(name, work) {
    try {
      return await beforeDeadline(work, this.#timeoutMs);
    } catch (cause) {
      if (cause instanceof IoError) throw cause;
      const what = name === '' ? 'Its files could not be listed' : `It failed at "${name}"`;
      throw new IoError(`The application's "vfs" could not be used. ${what}; nothing was changed.`, { cause });
    }
  }

  /** @returns {Promise<string[]>} the names of all files */
  async names() {
    const names = await this.attempt('', () => this.#vfs.listFiles('', true));
    if (!Array.isArray(names) || names.length > MAX_FILES || names.some((name) => typeof name !== 'string')) {
      throw new IoError('The files of "vfs" could not be listed: listFiles gave no array of names.');
    }
    return names;
  }

  /**
   * What changes whenever the file does, if the adapter says so.
   * @param {string} name
   */
  async stamp(name) {
    const stamp = await this.#vfs.stamp?.(name);
    return stamp === undefined ? undefined : String(stamp);
  }

  /** @param {string} name */
  async read(name) {
    const text = await this.#vfs.readFile(name);
    if (typeof text !== 'string') throw new Error('readFile gave no text');
    if (text.length > MAX_FILE_BYTES) throw new Error('readFile gave more text than a file may hold');
    return text;
  }

  /**
   * @param {string} name
   * @returns {Promise<string | undefined>} nothing when there is no such file
   */
  async readIfThere(name) {
    return (await this.#vfs.exists(name)) ? this.read(name) : undefined;
  }

  /**
   * Writes a file and reads it back: what an adapter took is not yet kept.
   * @param {string} name
   * @param {string} text
   */
  async write(name, text) {
    await this.#vfs.writeFile(name, text);
    if ((await this.#vfs.readFile(name)) !== text) throw new Error('it holds something else than was written');
  }

  /** @param {string} name */
  async remove(name) {
    await this.#vfs.remove(name);
    if (await this.#vfs.exists(name)) throw new Error('it is still there after its removal');
  }

  /**
   * Makes a file what it was before a change, as well as that can be done.
   * @param {string} name
   * @param {string | undefined} before
   */
  async restore(name, before) {
    return before === undefined ? this.#vfs.remove(name) : this.#vfs.writeFile(name, before);
  }
}
