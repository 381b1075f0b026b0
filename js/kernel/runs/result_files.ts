/** Stores results that are too long to show as temporary, uncommitted files that agents can page through. */

import { randomBytes } from 'node:crypto';
import { RESULT_FOLDER } from '../../files/vfs.js';
import type { VFSAdapter } from '../../types/files.js';

/** Maximum number of files, over all kernels of a root; the oldest are removed first. */
const MAX_FILES = 32;
/** Maximum number of parts of a result. */
const MAX_PARTS = 16;
const MAX_PART_BYTES = 1 << 20;
/** Maximum share of the root's size limit for one result. */
const MAX_SHARE_OF_ROOT = 1 / 64;
/** Files expire after this time; a later conversation must run the tool again. */
const MAX_AGE_MS = 3_600_000;
/** The name contains the time, so that other kernels of the root can find expired files. */
const NAME = new RegExp(`^${RESULT_FOLDER.replace('.', '\\.')}/(\\d{13})-[0-9a-f]{8,16}(?:-\\d+)?\\.(?:json|txt)$`);
/** UTF-8 bytes per UTF-16 unit, at most. */
const MAX_BYTES_PER_UNIT = 3;

export class ResultFiles {
  #files;
  #limits;
  /** Paths written by this kernel. */
  #own: string[] = [];

  /**
   * @param files of the root
   * @param limits of the root
   */
  constructor(files: VFSAdapter, limits: { fileBytes: number; rootBytes: number }) {
    this.#files = files;
    this.#limits = limits;
  }

  /**
   * @param value as `JSON.parse` makes it
   * @returns the paths of the parts; empty when the root cannot be written
   */
  async keep(value: unknown): Promise<string[]> {
    const { text, extension } = written(value);
    // Leaves room for tools and data.
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
      // The result is then truncated, with a note.
      return [];
    }
  }

  /** Removes expired files of earlier kernels. */
  async sweepOld() {
    await this.#sweep(MAX_FILES).catch(() => {});
  }

  /** Removes the files of this kernel. */
  async removeOwn() {
    const own = this.#own.splice(0);
    for (const path of own) await this.#remove(path);
  }

  /** @param most files to keep */
  async #sweep(most: number) {
    const found = (await this.#files.listFiles(RESULT_FOLDER)).flatMap((path) => {
      const [, time] = NAME.exec(path) ?? [];
      return time === undefined ? [] : [{ path, time: Number(time) }];
    });
    const newest = found.sort((one, other) => other.time - one.time);
    const oldest = Date.now() - MAX_AGE_MS;
    for (const [at, { path, time }] of newest.entries()) if (at >= most || time < oldest) await this.#remove(path);
  }

  async #remove(path: string) {
    // Another kernel may have removed it, or the root is read-only.
    await Promise.resolve(this.#files.remove?.(path)).catch(() => {});
  }

  #parts(text: string) {
    const bytesPerUnit = Buffer.byteLength(text) === text.length ? 1 : MAX_BYTES_PER_UNIT;
    const units = Math.max(1, Math.floor(Math.min(this.#limits.fileBytes, MAX_PART_BYTES) / bytesPerUnit));
    const parts: string[] = [];
    for (let at = 0; at < text.length && parts.length <= MAX_PARTS; ) {
      const end = at + units >= text.length ? text.length : boundary(text, at, at + units);
      parts.push(text.slice(at, end));
      at = end;
    }
    return parts;
  }
}

/** The end of a part: after a line break, or else between two characters. */
function boundary(text: string, start: number, most: number) {
  const line = text.lastIndexOf('\n', most - 1) + 1;
  if (line > start) return line;
  return most - start > 1 && /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
}

/** Formats a value in lines for paging: one line per item of a list. */
function written(value: unknown) {
  if (typeof value === 'string') return { text: value, extension: 'txt' };
  if (!Array.isArray(value)) return { text: JSON.stringify(value, undefined, 1), extension: 'json' };
  return { text: `[\n${value.map((item) => JSON.stringify(item)).join(',\n')}\n]`, extension: 'json' };
}
