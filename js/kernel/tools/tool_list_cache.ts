/** The list of tools, read again only where it has changed. */

import type { NativeKernel } from '../../boundary/typed_native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type { ToolMetadata } from '../../types/kernel.js';

/** Up to this many new paths are inserted one by one; more are sorted together. */
const MAX_INSERTS = 64;

/** Page size of the prefetch in tools and bytes: a few milliseconds of Node's thread. */
const PAGE = 250;
const PAGE_BYTES = 256 << 10;

/** Cache of `registry.list()` that reads only the changes since the last call. */
export class ToolListCache {
  /** The kernel that the versions belong to. */
  #kernel: NativeKernel | undefined;
  #version: number | undefined;
  #usesVersion: number | undefined;
  /** By path. */
  #tools = new Map<string, ToolMetadata>();
  /** Paths, sorted by their bytes. */
  #paths: string[] = [];
  #uses = new Map<string, number>();
  /** The prefetch in progress, shared by all boots that wait for it. */
  #ahead: { kernel: NativeKernel; read: Promise<void> } | undefined;

  /**
   * Prefetches all tools page by page, so that the first list reads only the changes since. Errors are not reported here: the
   * first list returns them.
   * @param kernel that runs now
   */
  async readAhead(kernel: NativeKernel) {
    if (this.#knows(kernel)) return;
    if (this.#ahead?.kernel !== kernel) this.#ahead = { kernel, read: this.#read(kernel) };
    await this.#ahead.read;
  }

  async #read(kernel: NativeKernel) {
    const read = new Map<string, ToolMetadata>();
    let first: number | undefined;
    for (let after: string | undefined, isLast = false; !isLast; ) {
      const page = await kernel.listToolsPage(after, PAGE, PAGE_BYTES);
      // Stops on an error, or when a concurrent list has read everything.
      if (page.error || this.#knows(kernel)) return;
      const { version, tools } = unwrap(page);
      for (const tool of tools) read.set(tool.path, frozenInside(tool));
      first ??= version;
      after = tools.at(-1)?.path;
      isLast = tools.length === 0;
    }
    this.#kernel = kernel;
    this.#version = first;
    this.#usesVersion = undefined;
    this.#tools = read;
    this.#paths = [...read.keys()];
  }

  #knows(kernel: NativeKernel) {
    return kernel === this.#kernel && this.#version !== undefined;
  }

  /**
   * @param kernel that runs now
   * @returns new objects with frozen, shared members
   */
  now(kernel: NativeKernel): ToolMetadata[] {
    if (!this.#knows(kernel)) {
      this.#kernel = kernel;
      this.#version = undefined;
      this.#usesVersion = undefined;
    }
    const { version, usesVersion, isDifference, tools, removed, uses } = unwrap(
      kernel.listToolsNow(this.#version, this.#usesVersion),
    );
    if (!isDifference) this.#tools.clear();
    for (const path of removed) this.#remove(path);
    const fresh = tools.filter(({ path }) => !this.#tools.has(path)).map(({ path }) => path);
    for (const tool of tools) this.#tools.set(tool.path, frozenInside(tool));
    // A complete list is already sorted.
    if (isDifference) this.#insert(fresh);
    else this.#paths = fresh;
    if (uses) this.#uses = new Map(uses);
    this.#version = version;
    this.#usesVersion = usesVersion;
    return this.#paths.flatMap((path) => {
      const tool = this.#tools.get(path);
      return tool ? [{ ...tool, uses: this.#uses.get(path) ?? 0 }] : [];
    });
  }

  #remove(path: string) {
    if (!this.#tools.delete(path)) return;
    this.#paths.splice(placeOf(this.#paths, path), 1);
  }

  #insert(fresh: string[]) {
    if (fresh.length > MAX_INSERTS) this.#paths = [...this.#paths, ...fresh].sort(byBytes);
    else for (const path of fresh) this.#paths.splice(placeOf(this.#paths, path), 0, path);
  }
}

/** The index of a path, or where to insert it (binary search). */
function placeOf(paths: string[], path: string) {
  let [from, to] = [0, paths.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (byBytes(paths[middle] ?? '', path) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Compares by bytes, like the native part. */
function byBytes(one: string, other: string) {
  const isPlain = /^[\x20-\x7e]*$/;
  if (isPlain.test(one) && isPlain.test(other)) return one < other ? -1 : Number(one > other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** @param value JSON of limited depth */
function frozenInside<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) Object.freeze(frozenInside(inner));
  }
  return value;
}
