/** Paths, hashes and names of runnable tools, updated incrementally from the registry. */

import { setImmediate } from 'node:timers/promises';
import { ToolNames } from './tool_names.js';

/** @typedef {import('../../index.js').ToolsChange} ToolsChange */

/** Paths processed per turn of the event loop: some milliseconds of Node's thread. */
const BATCH = 100;

export class KnownTools {
  #names = new ToolNames();
  /** @type {Map<string, string>} hash of the text, by path */
  #hashes = new Map();

  /**
   * @param {string} path of a known tool
   * @param {Set<string>} [reserved]
   */
  nameOf(path, reserved) {
    return this.#names.of(path, reserved);
  }

  /**
   * @param {string[]} paths
   * @returns {{ path: string, hash: string }[]} of the known ones
   */
  versions(paths) {
    return paths.flatMap((path) => {
      const hash = this.#hashes.get(path);
      return hash === undefined ? [] : [{ path, hash }];
    });
  }

  /**
   * Applies a difference or a complete list.
   * @param {import('../boundary/crossing.js').ToolChanges} changes
   * @param {boolean} isFollowed whether there is an earlier list to compare with
   * @returns {Promise<ToolsChange | undefined>} the difference
   */
  async take({ isDifference, paths, hashes, removed }, isFollowed) {
    const deleted = isDifference
      ? [...new Set(removed)].filter((path) => this.#hashes.has(path))
      : this.#without(new Set(paths));
    // With the names they had before the change.
    const named = deleted.map((path) => ({ name: this.#names.of(path), path }));
    for (const path of deleted) {
      this.#names.delete(path);
      this.#hashes.delete(path);
    }
    /** @type {string[]} */
    const added = [];
    /** @type {string[]} */
    const changed = [];
    for (const [at, path] of paths.entries()) {
      if (at % BATCH === BATCH - 1) await setImmediate();
      const [before, hash] = [this.#hashes.get(path), hashes[at] ?? ''];
      if (before === hash) continue;
      (before === undefined ? added : changed).push(path);
      this.#hashes.set(path, hash);
      this.#names.add(path);
    }
    if (!isFollowed) return undefined;
    const identity = (/** @type {string} */ path) => ({ name: this.#names.of(path), path });
    return { added: added.map(identity), changed: changed.map(identity), removed: named };
  }

  /** @param {Set<string>} present */
  #without(present) {
    return [...this.#hashes.keys()].filter((path) => !present.has(path));
  }
}
