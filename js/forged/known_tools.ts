/** Paths, hashes and names of runnable tools, updated incrementally from the registry. */

import { setImmediate } from 'node:timers/promises';
import type { ToolChanges } from '../boundary/crossing.js';
import type { ToolsChange } from '../types/tools.js';
import { ToolNames } from './tool_names.js';

/** Paths processed per turn of the event loop: some milliseconds of Node's thread. */
const BATCH = 100;

export class KnownTools {
  #names = new ToolNames();
  /** Hash of the text, by path. */
  #hashes = new Map<string, string>();

  /** @param path of a known tool */
  nameOf(path: string, reserved?: Set<string>) {
    return this.#names.of(path, reserved);
  }

  /** @returns of the known ones */
  versions(paths: string[]): { path: string; hash: string }[] {
    return paths.flatMap((path) => {
      const hash = this.#hashes.get(path);
      return hash === undefined ? [] : [{ path, hash }];
    });
  }

  /**
   * Applies a difference or a complete list.
   * @param isFollowed whether there is an earlier list to compare with
   * @returns the difference
   */
  async take(
    { isDifference, paths, hashes, removed }: ToolChanges,
    isFollowed: boolean,
  ): Promise<ToolsChange | undefined> {
    const deleted = isDifference
      ? [...new Set(removed)].filter((path) => this.#hashes.has(path))
      : this.#without(new Set(paths));
    // With the names they had before the change.
    const named = deleted.map((path) => ({ name: this.#names.of(path), path }));
    for (const path of deleted) {
      this.#names.delete(path);
      this.#hashes.delete(path);
    }
    const added: string[] = [];
    const changed: string[] = [];
    for (const [at, path] of paths.entries()) {
      if (at % BATCH === BATCH - 1) await setImmediate();
      const [before, hash] = [this.#hashes.get(path), hashes[at] ?? ''];
      if (before === hash) continue;
      (before === undefined ? added : changed).push(path);
      this.#hashes.set(path, hash);
      this.#names.add(path);
    }
    if (!isFollowed) return undefined;
    const identity = (path: string) => ({ name: this.#names.of(path), path });
    return { added: added.map(identity), changed: changed.map(identity), removed: named };
  }

  #without(present: Set<string>) {
    return [...this.#hashes.keys()].filter((path) => !present.has(path));
  }
}
