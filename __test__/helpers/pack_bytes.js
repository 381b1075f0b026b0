import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** @typedef {'commit' | 'tree' | 'blob' | 'tag'} Kind */

/** Kinds of objects by their number in a pack. */
const NUMBERS = { commit: 1, tree: 2, blob: 3, tag: 4 };
const OFFSET_DELTA = 6;
const NAMED_DELTA = 7;

/** The largest content, in bytes, that is stored uncompressed. */
const SMALL = 512;

/**
 * As zlib writes it; small content is stored uncompressed, which takes a tenth of the time.
 * @param {Buffer} data
 */
function deflated(data) {
  if (data.length > SMALL) return deflateSync(data);
  let [low, high] = [1, 0];
  for (const byte of data) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  const packed = Buffer.alloc(data.length + 11);
  packed.writeUInt16BE(0x7801, 0);
  packed[2] = 1;
  packed.writeUInt16LE(data.length, 3);
  packed.writeUInt16LE(~data.length & 0xffff, 5);
  data.copy(packed, 7);
  packed.writeUInt32BE(high * 65_536 + low, data.length + 7);
  return packed;
}

/** @param {...(Buffer | string)} parts */
const sha1 = (...parts) => {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/**
 * The name of an object.
 * @param {Kind} kind
 * @param {Buffer} data
 */
export const objectId = (kind, data) => sha1(`${kind} ${data.length}\0`, data).toString('hex');

/**
 * A tree of exactly these entries in this order, whatever they are.
 * @param {[mode: string, name: string | Buffer, id: string][]} entries
 */
export const treeBytes = (entries) =>
  Buffer.concat(
    entries.flatMap(([mode, name, id]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(id, 'hex'),
    ]),
  );

/**
 * @param {string} tree
 * @param {{ parents?: string[], message?: string, time?: number }} [options]
 */
export function commitBytes(tree, { parents = [], message = 'x\n', time = 1_700_000_000 } = {}) {
  const who = `P <p@example.org> ${time} +0000`;
  const lines = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${who}`, `committer ${who}`];
  return Buffer.from(`${lines.join('\n')}\n\n${message}`);
}

/** A number in the format of deltas. @param {number} value */
export function deltaNumber(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/**
 * A delta that copies all of its base so many times, and adds some bytes.
 * @param {number} baseSize
 * @param {number} times
 * @param {Buffer} [more] at most 127 bytes
 */
export function repeatDelta(baseSize, times, more = Buffer.alloc(0)) {
  const copies = [];
  for (let copy = 0; copy < times; copy++) {
    for (let at = 0; at < baseSize; at += 0xffffff) {
      const size = Math.min(0xffffff, baseSize - at);
      copies.push(Buffer.from([0xff, at & 255, (at >> 8) & 255, (at >> 16) & 255, (at >> 24) & 255]));
      copies.push(Buffer.from([size & 255, (size >> 8) & 255, (size >> 16) & 255]));
    }
  }
  const insert = more.length > 0 ? [Buffer.from([more.length]), more] : [];
  return Buffer.concat([deltaNumber(baseSize), deltaNumber(baseSize * times + more.length), ...copies, ...insert]);
}

/** A pack, byte by byte, which can have content that `git` would not write. */
export class PackBytes {
  /** @type {Buffer[]} */
  #parts = [];
  #size = 12;
  count = 0;

  /**
   * @param {Kind} kind
   * @param {Buffer} data
   * @returns {string} its name
   */
  add(kind, data) {
    this.addRaw(NUMBERS[kind], data.length, deflated(data));
    return objectId(kind, data);
  }

  /**
   * @param {number} base where the base begins
   * @param {Buffer} delta
   * @returns {number} where this one begins
   */
  addDelta(base, delta) {
    let distance = this.#size - base;
    const bytes = [distance & 127];
    for (distance = Math.floor(distance / 128); distance > 0; distance = Math.floor(distance / 128)) {
      distance -= 1;
      bytes.unshift(128 | (distance & 127));
    }
    return this.addRaw(OFFSET_DELTA, delta.length, deflated(delta), Buffer.from(bytes));
  }

  /**
   * @param {string} base name of the base
   * @param {Buffer} delta
   */
  addNamedDelta(base, delta) {
    return this.addRaw(NAMED_DELTA, delta.length, deflated(delta), Buffer.from(base, 'hex'));
  }

  /**
   * An entry that may be invalid.
   * @param {number} type
   * @param {number} size the claimed size
   * @param {Buffer} packed
   * @param {Buffer} [base]
   * @returns {number} where it begins
   */
  addRaw(type, size, packed, base = Buffer.alloc(0)) {
    const offset = this.#size;
    const header = [];
    let byte = (type << 4) | (size & 15);
    for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
      header.push(byte | 128);
      byte = rest & 127;
    }
    header.push(byte);
    for (const part of [Buffer.from(header), base, packed]) {
      this.#parts.push(part);
      this.#size += part.length;
    }
    this.count += 1;
    return offset;
  }

  /** Where the next entry begins. */
  get end() {
    return this.#size;
  }

  /** @param {{ count?: number }} [options] `count`: the claimed number of objects */
  toBuffer({ count = this.count } = {}) {
    const header = Buffer.alloc(12);
    header.write('PACK');
    header.writeUInt32BE(2, 4);
    header.writeUInt32BE(count, 8);
    const body = Buffer.concat([header, ...this.#parts]);
    return Buffer.concat([body, sha1(body)]);
  }
}
