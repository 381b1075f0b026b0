/** Wraps an application's file adapter with limits, timeouts and error handling. */

import { beforeDeadline } from '../boundary/deadline.js';
import { IoError } from '../boundary/errors.js';
import { LIMITS } from '../boundary/limits.js';
import type { VFSAdapter } from '../types/files.js';

/** Maximum number and size of files: the largest configurable limits. */
const MAX_FILES = LIMITS.fs.rootFiles.most;
/** The largest file that is accepted. */
export const MAX_FILE_BYTES = LIMITS.fs.fileBytes.most;
const ADAPTER_TIMEOUT_MS = 30_000;

/** An application's file adapter, which may fail, return anything, or hang. */
export class ForeignVfs {
  #vfs;
  #timeoutMs;

  /** @param timeoutMs timeout per file */
  constructor(vfs: VFSAdapter, timeoutMs: number = ADAPTER_TIMEOUT_MS) {
    this.#vfs = vfs;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Does work with the adapter on one file. Its exceptions and timeouts become IoErrors.
   * @param name empty for the list of files
   */
  async attempt<T>(name: string, work: () => Promise<T>) {
    try {
      return await beforeDeadline(work, this.#timeoutMs);
    } catch (cause) {
      if (cause instanceof IoError) throw cause;
      const what = name === '' ? 'Its files could not be listed' : `It failed on "${name}"`;
      throw new IoError(`The application's "vfs" could not be used. ${what}; nothing was changed.`, { cause });
    }
  }

  /** @returns the names of all files */
  async names(): Promise<string[]> {
    const names = await this.attempt('', () => this.#vfs.listFiles('', true));
    if (!Array.isArray(names) || names.length > MAX_FILES || names.some((name) => typeof name !== 'string')) {
      throw new IoError('The files of "vfs" could not be listed: listFiles did not return an array of names.');
    }
    return names;
  }

  /** A value that changes with the file, if the adapter supports it. */
  async stamp(name: string) {
    const stamp = await this.#vfs.stamp?.(name);
    return stamp === undefined ? undefined : String(stamp);
  }

  async read(name: string) {
    const text = await this.#vfs.readFile(name);
    if (typeof text !== 'string') throw new Error('readFile did not return a string');
    if (text.length > MAX_FILE_BYTES) throw new Error('readFile returned more text than the file size limit');
    return text;
  }

  /** @returns undefined if the file does not exist */
  async readIfThere(name: string): Promise<string | undefined> {
    return (await this.#vfs.exists(name)) ? this.read(name) : undefined;
  }

  /** Writes a file and reads it back to verify it. */
  async write(name: string, text: string) {
    await this.#vfs.writeFile(name, text);
    if ((await this.#vfs.readFile(name)) !== text) throw new Error('its content differs from what was written');
  }

  async remove(name: string) {
    await this.#vfs.remove(name);
    if (await this.#vfs.exists(name)) throw new Error('it still exists after its removal');
  }

  /** Restores the content of a file before a change. */
  async restore(name: string, before: string | undefined) {
    return before === undefined ? this.#vfs.remove(name) : this.#vfs.writeFile(name, before);
  }
}
