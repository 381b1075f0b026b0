/** Unique tool names for models, valid for every provider. */

import { createHash } from 'node:crypto';
import { AGENT_TOOLS } from '../tool_shape/agent_tool_table.js';

const MAX_NAME_CHARS = 64;
const MIN_HASH_CHARS = 8;
/** Hash length for paths whose short hashes collide. */
const LONG_HASH_CHARS = 24;

/** Reserved names. */
export const KERNEL_TOOL_NAMES = Object.keys(AGENT_TOOLS);
const RESERVED = new Set(KERNEL_TOOL_NAMES);
/** Property names inherited by every object. */
const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Paths with the same plain name. */
type Rivals = { ascii: Set<string>; others: Set<string> };

/**
 * Names of tools: `reports_downgrade` for `tools/reports/downgrade.ts`. They depend only on the paths. Tools whose plain names
 * collide all get a hash of their path, so that a name never changes its meaning. A path with non-ASCII letters does not take the
 * name of an ASCII path. Adding or removing a path takes constant time.
 */
export class ToolNames {
  /** The plain name of each path. */
  #plain = new Map<string, string>();
  /** The paths of each plain name, most often one. */
  #wanted = new Map<string, string | Rivals>();
  /** The hashed name of each path that cannot use its plain name. */
  #distinct = new Map<string, string>();
  /** Number of paths per hashed name. */
  #shared = new Map<string, number>();

  add(path: string) {
    if (this.#plain.has(path)) return;
    const plain = plainName(path);
    this.#plain.set(path, plain);
    const owners = this.#wanted.get(plain);
    if (owners === undefined) {
      this.#wanted.set(plain, path);
      if (!isUsable(plain)) this.#setDistinct(path, distinctName(plain, path, MIN_HASH_CHARS));
      return;
    }
    const rivals = rivalsOf(owners);
    this.#wanted.set(plain, rivals);
    (isAscii(path) ? rivals.ascii : rivals.others).add(path);
    this.#distinguish(path, plain, rivals);
    this.#distinguishFirst(plain, rivals);
  }

  delete(path: string) {
    const plain = this.#plain.get(path);
    const owners = plain === undefined ? undefined : this.#wanted.get(plain);
    if (plain === undefined || owners === undefined) return;
    this.#plain.delete(path);
    this.#setDistinct(path, undefined);
    if (owners === path) {
      this.#wanted.delete(plain);
      return;
    }
    const rivals = rivalsOf(owners);
    rivals.ascii.delete(path);
    rivals.others.delete(path);
    if (rivals.ascii.size + rivals.others.size === 0) this.#wanted.delete(plain);
    this.#distinguishFirst(plain, rivals);
  }

  /**
   * @param path of a tool
   * @param reserved names that are taken
   */
  of(path: string, reserved: Set<string> = RESERVED) {
    const plain = this.#plain.get(path) ?? plainName(path);
    const shortest = this.#distinct.get(path);
    if (shortest === undefined && !reserved.has(plain)) return plain;
    const isShared = shortest !== undefined && (this.#shared.get(shortest) ?? 0) > 1;
    for (let length = isShared ? LONG_HASH_CHARS : MIN_HASH_CHARS; ; length++) {
      const name = distinctName(plain, path, length);
      if (!reserved.has(name) && !this.#wanted.has(name)) return name;
    }
  }

  /** Updates the first path of each kind, whose right to the plain name may have changed. */
  #distinguishFirst(plain: string, rivals: Rivals) {
    for (const [first] of [rivals.ascii, rivals.others])
      if (first !== undefined) this.#distinguish(first, plain, rivals);
  }

  /** @param rivals with the path among them */
  #distinguish(path: string, plain: string, { ascii, others }: Rivals) {
    const isSole = (isAscii(path) ? ascii.size : ascii.size + others.size) === 1;
    const isFree = isSole && isUsable(plain);
    this.#setDistinct(path, isFree ? undefined : distinctName(plain, path, MIN_HASH_CHARS));
  }

  #setDistinct(path: string, name: string | undefined) {
    const before = this.#distinct.get(path);
    if (before === name) return;
    if (before !== undefined) this.#shared.set(before, (this.#shared.get(before) ?? 0) - 1);
    if (before !== undefined && this.#shared.get(before) === 0) this.#shared.delete(before);
    this.#distinct.delete(path);
    if (name === undefined) return;
    this.#distinct.set(path, name);
    this.#shared.set(name, (this.#shared.get(name) ?? 0) + 1);
  }
}

/** @param owners one path, or several */
function rivalsOf(owners: string | Rivals): Rivals {
  if (typeof owners !== 'string') return owners;
  return isAscii(owners)
    ? { ascii: new Set([owners]), others: new Set() }
    : { ascii: new Set(), others: new Set([owners]) };
}

/** @param plain whether providers accept it and no object inherits it */
function isUsable(plain: string) {
  return plain.length <= MAX_NAME_CHARS && !INHERITED.has(plain);
}

function isAscii(path: string) {
  return /^[\x20-\x7e]*$/.test(path);
}

function plainName(path: string) {
  const below = path.startsWith('tools/') ? path.slice('tools/'.length) : path;
  const dot = below.lastIndexOf('.');
  const hasEnding = dot > below.lastIndexOf('/') && dot < below.length - 1;
  const whole = hasEnding ? below.slice(0, dot) : below;
  const bare = whole.endsWith('/index') ? whole.slice(0, -'/index'.length) : whole;
  const letters = isAscii(bare) ? bare : bare.normalize('NFKD').replace(/\p{M}/gu, '');
  const joined = letters.replace(/[^a-zA-Z0-9-]+/g, '_');
  const name = joined.startsWith('_') || joined.endsWith('_') ? joined.replace(/^_+|_+$/g, '') : joined;
  // Some providers require a letter first.
  return /^[a-zA-Z]/.test(name) ? name : name === '' ? 'tool' : `tool_${name}`;
}

/** @param length of the hash */
function distinctName(name: string, path: string, length: number) {
  const hash = createHash('sha256').update(path).digest('hex');
  return `${name.slice(0, MAX_NAME_CHARS - 1 - length)}_${hash.slice(0, length)}`;
}
