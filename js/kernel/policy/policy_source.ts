/** Loads the configured policy and encodes it for the native part. */

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import { ConfigError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { toJsonText } from '../../boundary/json_text.js';
import { messageOf } from '../../boundary/thrown.js';
import type { PolicyFunction, PolicyInput } from '../../types/policy.js';

export type PolicySource = {
  /** For the native part. */
  text: string;
  /** The policy file. */
  file?: string;
  /** Of that file before it was read. */
  fingerprint?: string;
  /** The application's policy function. */
  decide?: PolicyFunction;
};

/** Several thousand lines of rules; the native part has its own limits. */
export const MAX_FILE_BYTES = 1 << 20;

export async function policySource(policy: PolicyInput | undefined, baseDir: string): Promise<PolicySource> {
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

/** A fingerprint of a file (inode, size, times). */
export async function fingerprintOf(file: string) {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return 'unreadable';
  }
}

/**
 * The rules of a file.
 * @param place the path without links
 */
export async function policyFileText(file: string, place: string = file) {
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

/** Why a file cannot be read, without the path that the system names. */
function reasonOf(cause: unknown) {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return ': there is no such file';
  return typeof code === 'string' ? ` (${code})` : `: ${messageOf(cause).replace(/\.$/, '')}`;
}

/** The text of a policy file, as the native part takes it. */
export function policyText(file: string, text: string) {
  return JSON.stringify({ file: { name: basename(file), text } });
}

/**
 * Refuses a policy file that agents or tools could write.
 * @param folders that tools and agents can write
 * @returns the path of the file without links
 */
export async function refuseWritablePolicy(file: string, folders: string[]): Promise<string> {
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

/** Resolves the links of the existing part of a path. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realOf(above), basename(path));
  }
}

/** The last pending operation of each policy file. */
const turns = new Map<string, Promise<unknown>>();

/** Serialises operations on a policy file within this process. */
export async function inTurn<T>(file: string, work: () => Promise<T>): Promise<T> {
  const done = (turns.get(file) ?? Promise.resolve()).then(work);
  const over = done.catch(ignored);
  turns.set(file, over);
  try {
    return await done;
  } finally {
    if (turns.get(file) === over) turns.delete(file);
  }
}
