/** Wraps an application's file adapter with limits, timeouts and error handling. */

import { beforeDeadline } from '../boundary/deadline.js';
import { IoError } from '../boundary/errors.js';
import { LIMITS } from '../boundary/limits.js';

/** Maximum number and size of files: the largest configurable limits. */
const MAX_FILES = LIMITS.fs.rootFiles.most;
export const MAX_FILE_BYTES = LIMITS.fs.fileBytes.most;
const ADAPTER_TIMEOUT_MS = 30_000;

/** An application's file adapter, which may fail, return anything, or hang. */
export class ForeignVfs {
  #vfs;
  #timeoutMs;

  /**
   * @param {import('../../index.js').VFSAdapter} vfs
   * @param {number} [timeoutMs] timeout per file
   */
  constructor(vfs, timeoutMs = ADAPTER_TIMEOUT_MS) {
    this.#vfs = vfs;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Does work with the adapter on one file. Its exceptions and timeouts become IoErrors.
   * @template T
   * @param {string} name empty for the list of files
   * @param {() => Promise<T>} work
   */
  async attempt(name, work) {
    try {
      return await beforeDeadline(work, this.#timeoutMs);
    } catch (cause) {
      if (cause instanceof IoError) throw cause;
      const what = name === '' ? 'Its files could not be listed' : `It failed on "${name}"`;
      throw new IoError(`The application's "vfs" could not be used. ${what}; nothing was changed.`, { cause });
    }
  }

  /** @returns {Promise<string[]>} the names of all files */
  async names() {
    const names = await this.attempt('', () => this.#vfs.listFiles('', true));
    if (!Array.isArray(names) || names.length > MAX_FILES || names.some((name) => typeof name !== 'string')) {
      throw new IoError('The files of "vfs" could not be listed: listFiles did not return an array of names.');
    }
    return names;
  }

  /**
   * A value that changes with the file, if the adapter supports it.
   * @param {string} name
   */
  async stamp(name) {
    const stamp = await this.#vfs.stamp?.(name);
    return stamp === undefined ? undefined : String(stamp);
  }

  /** @param {string} name */
  async read(name) {
    const text = await this.#vfs.readFile(name);
    if (typeof text !== 'string') throw new Error('readFile did not return a string');
    if (text.length > MAX_FILE_BYTES) throw new Error('readFile returned more text than the file size limit');
    return text;
  }

  /**
   * @param {string} name
   * @returns {Promise<string | undefined>} undefined if the file does not exist
   */
  async readIfThere(name) {
    return (await this.#vfs.exists(name)) ? this.read(name) : undefined;
  }

  /**
   * Writes a file and reads it back to verify it.
   * @param {string} name
   * @param {string} text
   */
  async write(name, text) {
    await this.#vfs.writeFile(name, text);
    if ((await this.#vfs.readFile(name)) !== text) throw new Error('its content differs from what was written');
  }

  /** @param {string} name */
  async remove(name) {
    await this.#vfs.remove(name);
    if (await this.#vfs.exists(name)) throw new Error('it still exists after its removal');
  }

  /**
   * Restores the content of a file before a change.
   * @param {string} name
   * @param {string | undefined} before
   */
  async restore(name, before) {
    return before === undefined ? this.#vfs.remove(name) : this.#vfs.writeFile(name, before);
  }
}
