/** The paths of the tools that can be run, level with the registry change by change. */

import { setImmediate } from 'node:timers/promises';
import { ToolNames } from './tool_names.js';

/** @typedef {import('../../index.js').ToolsChange} ToolsChange */

/** Paths that are taken at a time: some milliseconds of Node's thread. */
const BATCH = 100;

export class KnownTools {
  #names = new ToolNames();
  /** @type {Map<string, string>} by path: another one for another text */
  #hashes = new Map();

  /**
   * @param {string} path of a tool that is known
   * @param {Set<string>} [reserved]
   */
  nameOf(path, reserved) {
    return this.#names.of(path, reserved);
  }

  /**
   * @param {string[]} paths
   * @returns {{ path: string, hash: string }[]} of those that are known
   */
  versions(paths) {
    return paths.flatMap((path) => {
      const hash = this.#hashes.get(path);
      return hash === undefined ? [] : [{ path, hash }];
    });
  }

  /**
   * Takes in what has changed, or all there is.
   * @param {import('../boundary/crossing.js').ToolChanges} changes
   * @param {boolean} isFollowed whether anything was known before that this can be compared with
   * @returns {Promise<ToolsChange | undefined>} what is different
   */
  async take({ isDifference, paths, hashes, removed }, isFollowed) {
    const gone = isDifference
      ? [...new Set(removed)].filter((path) => this.#hashes.has(path))
      : this.#without(new Set(paths));
    // By the names that they had beside one another.
    const named = gone.map((path) => ({ name: this.#names.of(path), path }));
    for (const path of gone) {
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
