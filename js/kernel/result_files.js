/** Results that were too long to be shown, as files that agents can page through: few, not committed, and gone soon. */

import { randomBytes } from 'node:crypto';
import { RESULT_FOLDER } from '../boundary/result_folder.js';

/** @typedef {import('../../index.js').VFSAdapter} VFSAdapter */

/** Files that are there at one time, of all kernels of a root; the oldest go first. */
const MAX_FILES = 32;
/** Parts of one result. */
const MAX_PARTS = 16;
const MAX_PART_BYTES = 1 << 20;
/** What one result may take of all that the root may hold. */
const MAX_SHARE_OF_ROOT = 1 / 64;
/** A conversation that comes back to a result later than this runs the tool again. */
const MAX_AGE_MS = 3_600_000;
/** The time is in the name: other kernels of the root must be able to tell what is old. */
const NAME = new RegExp(`^${RESULT_FOLDER.replace('.', '\\.')}/(\\d{13})-[0-9a-f]{8,16}(?:-\\d+)?\\.(?:json|txt)$`);
/** What a unit of UTF-16 takes as UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

export class ResultFiles {
  #files;
  #limits;
  /** @type {string[]} those of this kernel */
  #own = [];

  /**
   * @param {VFSAdapter} files of the root
   * @param {{ fileBytes: number, rootBytes: number }} limits of the root
   */
  constructor(files, limits) {
    this.#files = files;
    this.#limits = limits;
  }

  /**
   * @param {unknown} value as `JSON.parse` makes it
   * @returns {Promise<string[]>} where it is now, part by part; nowhere when the root cannot be written
   */
  async keep(value) {
    const { text, extension } = written(value);
    // Tools and data need the room more.
    if (Buffer.byteLength(text) > this.#limits.rootBytes * MAX_SHARE_OF_ROOT) return [];
    const parts = this.#parts(text);
    if (parts.length > MAX_PARTS) return [];
    const name = `${RESULT_FOLDER}/${Date.now()}-${randomBytes(8).toString('hex')}`;
    const paths = parts.map((_, at) =>
      parts.length === 1 ? `${name}.${extension}` : `${name}-${at + 1}.${extension}`,
    );
    try {
      await this.#sweep(MAX_FILES - parts.length);
      for (const [at, path] of paths.entries()) {
        this.#own.push(path);
        await this.#files.writeFile(path, parts[at] ?? '');
      }
      return paths;
    } catch {
      // Without it the result is shown in part, and says so.
      return [];
    }
  }

  /** Removes what kernels that are gone have left. */
  async sweepOld() {
    await this.#sweep(MAX_FILES).catch(() => {});
  }

  /** Removes what this kernel has kept. */
  async removeOwn() {
    const own = this.#own.splice(0);
    for (const path of own) await this.#remove(path);
  }

  /** @param {number} most files that stay */
  async #sweep(most) {
    const found = (await this.#files.listFiles(RESULT_FOLDER)).flatMap((path) => {
      const [, time] = NAME.exec(path) ?? [];
      return time === undefined ? [] : [{ path, time: Number(time) }];
    });
    const newest = found.sort((one, other) => other.time - one.time);
    const oldest = Date.now() - MAX_AGE_MS;
    for (const [at, { path, time }] of newest.entries()) if (at >= most || time < oldest) await this.#remove(path);
  }

  /** @param {string} path */
  async #remove(path) {
    // Another kernel may have been quicker, or the root cannot be written: then nothing was kept either.
    await Promise.resolve(this.#files.remove?.(path)).catch(() => {});
  }

  /** @param {string} text */
  #parts(text) {
    const bytesPerUnit = Buffer.byteLength(text) === text.length ? 1 : MAX_BYTES_PER_UNIT;
    const units = Math.max(1, Math.floor(Math.min(this.#limits.fileBytes, MAX_PART_BYTES) / bytesPerUnit));
    /** @type {string[]} */
    const parts = [];
    for (let at = 0; at < text.length && parts.length <= MAX_PARTS; ) {
      const end = at + units >= text.length ? text.length : boundary(text, at, at + units);
      parts.push(text.slice(at, end));
      at = end;
    }
    return parts;
  }
}

/**
 * Where a part may end: after a line, or else between two characters.
 * @param {string} text
 * @param {number} start
 * @param {number} most
 */
function boundary(text, start, most) {
  const line = text.lastIndexOf('\n', most - 1) + 1;
  if (line > start) return line;
  return most - start > 1 && /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
}

/**
 * In lines, so that it can be paged: one per item of a list.
 * @param {unknown} value
 */
function written(value) {
  if (typeof value === 'string') return { text: value, extension: 'txt' };
  if (!Array.isArray(value)) return { text: JSON.stringify(value, undefined, 1), extension: 'json' };
  return { text: `[\n${value.map((item) => JSON.stringify(item)).join(',\n')}\n]`, extension: 'json' };
}
