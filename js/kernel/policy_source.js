/** Loads the configured policy and encodes it for the native part. */

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { ConfigError } from '../boundary/errors.js';
import { ignored } from '../boundary/guarded.js';
import { toJsonText } from '../boundary/json_text.js';
import { messageOf } from '../boundary/thrown.js';

/**
 * @typedef {import('../../index.js').PolicyFunction} PolicyFunction
 * @typedef {import('../../index.js').PolicyInput} PolicyInput
 * @typedef {object} PolicySource
 * @property {string} text for the native part
 * @property {string} [file] the policy file
 * @property {string} [fingerprint] of that file before it was read
 * @property {PolicyFunction} [decide] the application's policy function
 */

/** Several thousand lines of rules; the native part has its own limits. */
export const MAX_FILE_BYTES = 1 << 20;

/**
 * @param {PolicyInput | undefined} policy
 * @param {string} baseDir
 * @returns {Promise<PolicySource>}
 */
export async function policySource(policy, baseDir) {
  if (policy === undefined || policy === 'allow' || policy === 'safe')
    return { text: JSON.stringify(policy ?? 'allow') };
  if (typeof policy === 'function') return { text: '"hook"', decide: policy };
  if (typeof policy === 'string') {
    const file = resolve(baseDir, policy);
    const fingerprint = await fingerprintOf(file);
    return { text: await policyFileText(file), file, fingerprint };
  }
  try {
    return { text: `{"object":${toJsonText(policy, 'policy')}}` };
  } catch (cause) {
    throw new ConfigError(`The policy cannot be read: ${messageOf(cause)}`, { cause, details: { key: 'policy' } });
  }
}

/**
 * A fingerprint of a file (inode, size, times).
 * @param {string} file
 */
export async function fingerprintOf(file) {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return 'unreadable';
  }
}

/**
 * The rules of a file.
 * @param {string} file
 * @param {string} place the path without links
 */
export async function policyFileText(file, place = file) {
  const name = basename(file);
  try {
    // Opening a pipe would wait for a writer.
    if (!(await stat(place)).isFile()) throw new Error('it is not a file');
    return policyText(file, await readTextAtMost(place, MAX_FILE_BYTES));
  } catch (cause) {
    throw new ConfigError(
      `The policy "${name}" cannot be read${reasonOf(cause)}. Correct the file or "policy", which is 'allow', 'safe', the path of a file, an object or a function.`,
      { cause, details: { key: 'policy' } },
    );
  }
}

/**
 * Why a file cannot be read, without the path that the system names.
 * @param {any} cause
 */
function reasonOf(cause) {
  if (cause?.code === 'ENOENT') return ': there is no such file';
  return typeof cause?.code === 'string' ? ` (${cause.code})` : `: ${messageOf(cause).replace(/\.$/, '')}`;
}

/**
 * The text of a policy file, as the native part takes it.
 * @param {string} file
 * @param {string} text
 */
export function policyText(file, text) {
  return JSON.stringify({ file: { name: basename(file), text } });
}

/**
 * Refuses a policy file that agents or tools could write.
 * @param {string} file
 * @param {string[]} folders that tools and agents can write
 * @returns {Promise<string>} the path of the file without links
 */
export async function refuseWritablePolicy(file, folders) {
  const place = await realOf(file);
  for (const folder of folders) {
    if (!`${place}${sep}`.startsWith(`${await realOf(folder)}${sep}`)) continue;
    throw new ConfigError(
      `The policy "${basename(file)}" is in a folder that agents or tools can write (rootDir or fs.allowedDirs). Move it to another folder.`,
      { details: { key: 'policy' } },
    );
  }
  return place;
}

/**
 * Resolves the links of the existing part of a path.
 * @param {string} path
 * @returns {Promise<string>}
 */
async function realOf(path) {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realOf(above), basename(path));
  }
}

/** The last pending operation of each policy file. @type {Map<string, Promise<unknown>>} */
const turns = new Map();

/**
 * Serialises operations on a policy file within this process.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTurn(file, work) {
  const done = (turns.get(file) ?? Promise.resolve()).then(work);
  const over = done.catch(ignored);
  turns.set(file, over);
  try {
    return await done;
  } finally {
    if (turns.get(file) === over) turns.delete(file);
  }
}
