import { unwrap } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').ToolMetadata} ToolMetadata
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 */

/** More new paths than this are sorted together and not put in one by one. */
const FEW = 64;

/** Tools that are read ahead at a time, and bytes of them: a few milliseconds of Node's thread. */
const PAGE = 250;
const PAGE_BYTES = 256 << 10;

/** Every tool, as `registry.list()` shows them: only what has changed since the last time is read. */
export class ListedTools {
  /** Whose versions these are. @type {NativeKernel | undefined} */
  #kernel;
  /** @type {number | undefined} */
  #version;
  /** @type {number | undefined} */
  #usesVersion;
  /** By path. @type {Map<string, ToolMetadata>} */
  #tools = new Map();
  /** Paths in the order of their bytes. @type {string[]} */
  #paths = [];
  /** @type {Map<string, number>} */
  #uses = new Map();
  /** What is read ahead, for every boot that waits for it. @type {{ kernel: NativeKernel, read: Promise<void> } | undefined} */
  #ahead;

  /**
   * Waits until the tools are known, and reads them page by page: the first list has to read what has changed since, at most.
   * What keeps them from being read is the answer to the first question about them.
   * @param {NativeKernel} kernel that runs now
   */
  async readAhead(kernel) {
    if (this.#knows(kernel)) return;
    if (this.#ahead?.kernel !== kernel) this.#ahead = { kernel, read: this.#read(kernel) };
    await this.#ahead.read;
  }

  /** @param {NativeKernel} kernel */
  async #read(kernel) {
    /** @type {Map<string, ToolMetadata>} */
    const read = new Map();
    /** @type {number | undefined} */
    let first;
    for (let after, isLast = false; !isLast; ) {
      const page = await kernel.listToolsPage(after, PAGE, PAGE_BYTES);
      // A list was asked for meanwhile, and has read everything.
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

  /** @param {NativeKernel} kernel */
  #knows(kernel) {
    return kernel === this.#kernel && this.#version !== undefined;
  }

  /**
   * @param {NativeKernel} kernel that runs now
   * @returns {ToolMetadata[]} objects of the caller's own; what is inside them is frozen, for it is shown to others
   */
  now(kernel) {
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
    // A whole list comes in its order.
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

  /** @param {string} path */
  #remove(path) {
    if (!this.#tools.delete(path)) return;
    this.#paths.splice(placeOf(this.#paths, path), 1);
  }

  /** @param {string[]} fresh */
  #insert(fresh) {
    if (fresh.length > FEW) this.#paths = [...this.#paths, ...fresh].sort(byBytes);
    else for (const path of fresh) this.#paths.splice(placeOf(this.#paths, path), 0, path);
  }
}

/**
 * Where a path is, or belongs.
 * @param {string[]} paths
 * @param {string} path
 */
function placeOf(paths, path) {
  let [from, to] = [0, paths.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (byBytes(paths[middle] ?? '', path) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * The order of the native part.
 * @param {string} one
 * @param {string} other
 */
function byBytes(one, other) {
  const isPlain = /^[\x20-\x7e]*$/;
  if (isPlain.test(one) && isPlain.test(other)) return one < other ? -1 : Number(one > other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/**
 * @template {object} Value
 * @param {Value} value JSON, and so not deep
 * @returns {Value}
 */
function frozenInside(value) {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) Object.freeze(frozenInside(inner));
  }
  return value;
}
