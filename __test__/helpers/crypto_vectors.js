/** Runs vectors of `crypto.subtle` in the sandbox, and makes damaged copies of valid ones. */

import { expect } from 'vitest';
import { createKernel } from './create_kernel.js';

/**
 * @typedef {{ name: string, algorithm: any, format: string, key: any, signature: Buffer, message: Buffer }} Vector
 * @typedef {{ name: string, algorithm: any, format: string, key: any, usage: string }} KeyVector
 */

export const MESSAGE = Buffer.from('The quick brown fox');
export const SANDBOX = { timeoutMs: 30_000, wallMs: 60_000 };
const TOOL = `const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hex = (buffer: ArrayBuffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
const found: unknown[] = [];
for (const one of args.vectors) {
  try {
    const data = typeof one.key === 'string' ? bytes(one.key) : one.key;
    const key = await crypto.subtle.importKey(one.format, data, one.algorithm, false, [one.usage]);
    if (one.usage === 'verify') found.push(await crypto.subtle.verify(one.algorithm, key, bytes(one.signature), bytes(one.message)));
    else found.push(hex(await crypto.subtle.sign(one.algorithm, key, bytes(one.message))));
  } catch (error: any) {
    found.push(error.name);
  }
}
return found;`;

/** @param {(Vector | KeyVector)[]} vectors @param {string} [usage] @returns {Promise<unknown[]>} */
export async function inSandbox(vectors, usage = 'verify') {
  const { forge } = await createKernel({ sandbox: SANDBOX });
  const encoded = vectors.map((vector) =>
    Object.fromEntries(
      Object.entries({ signature: Buffer.alloc(64), message: MESSAGE, usage, ...vector }).map(([name, value]) => [
        name,
        Buffer.isBuffer(value) ? value.toString('hex') : value,
      ]),
    ),
  );
  const { result } = await forge(TOOL, { vectors: encoded });
  return /** @type {unknown[]} */ (result);
}

/**
 * Expects the valid vectors to verify, and the others to fail or to have their keys refused.
 * @param {Vector[]} valid
 * @param {Vector[]} invalid
 */
export async function expectVerdicts(valid, invalid) {
  expect(valid.length).toBeGreaterThan(0);
  expect(invalid.length).toBeGreaterThan(0);
  const found = await inSandbox([...valid, ...invalid]);
  expect(found).toHaveLength(valid.length + invalid.length);
  const named = (/** @type {Vector[]} */ vectors, /** @type {number} */ from) =>
    vectors.map(({ name }, at) => [name, found[from + at]]);
  expect(named(valid, 0)).toEqual(valid.map(({ name }) => [name, true]));
  const accepted = named(invalid, valid.length).filter(
    ([, verdict]) => verdict !== false && verdict !== 'DataError' && verdict !== 'NotSupportedError',
  );
  expect(accepted).toEqual([]);
}

/** @param {Buffer} bytes @param {number} at */
export function flipped(bytes, at) {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

/** Variants of a valid vector that must not verify. @param {Vector} right @returns {Vector[]} */
export function damaged(right) {
  const { signature } = right;
  /** @type {[string, Buffer][]} */
  const others = [
    ['no signature', Buffer.alloc(0)],
    ['a signature of zeros', Buffer.alloc(signature.length)],
    ['a signature of ones', Buffer.alloc(signature.length, 0xff)],
    ['a byte less', signature.subarray(0, -1)],
    ['a byte less in front', signature.subarray(1)],
    ['a zero more', Buffer.concat([signature, Buffer.alloc(1)])],
    ['a zero more in front', Buffer.concat([Buffer.alloc(1), signature])],
    ['the first bit', flipped(signature, 0)],
    ['the middle', flipped(signature, signature.length >> 1)],
    ['the last bit', flipped(signature, signature.length - 1)],
  ];
  return [
    ...others.map(([name, other]) => ({ ...right, name: `${right.name}: ${name}`, signature: other })),
    { ...right, name: `${right.name}: another message`, message: flipped(right.message, 0) },
    { ...right, name: `${right.name}: no message`, message: Buffer.alloc(0) },
  ];
}

/** @param {import('node:crypto').KeyObject} key */
export const spkiOf = (key) => key.export({ format: 'der', type: 'spki' });
/** @param {import('node:crypto').KeyObject} key */
export const pkcs8Of = (key) => key.export({ format: 'der', type: 'pkcs8' });
/** @param {bigint} value @param {number} size */
export const bigEndian = (value, size) => Buffer.from(value.toString(16).padStart(2 * size, '0'), 'hex');
