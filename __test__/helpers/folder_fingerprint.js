import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Not compared: the ledger, which records a dry run like any other call, and what the kernel writes in the background: fingerprints
 * of files that were read, and the counts of earlier calls.
 */
const RECORDS = /(^|\/)\.git\/tgp\/(ledger|(registry-stamps|tool-uses|reuse)\.json$|\.tgp-tmp-)/;

/**
 * Every file below a folder with the hash of its content, including those of Git.
 * @param {string} folder
 * @returns {Record<string, string>}
 */
export function fingerprint(folder) {
  /** @type {Record<string, string>} */
  const files = {};
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (RECORDS.test(name)) continue;
    if (entry.isDirectory()) files[`${name}/`] = 'folder';
    else if (entry.isSymbolicLink()) files[name] = readlinkSync(path);
    else if (entry.isFile()) files[name] = createHash('sha256').update(readFileSync(path)).digest('hex');
  }
  return files;
}

/**
 * @param {string} folder
 * @param {...string} args
 */
export function git(folder, ...args) {
  const own = ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'core.autocrlf=false'];
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8' });
}

/**
 * The diff of the last commit, without `meta.json`.
 * @param {string} folder
 */
export function lastDiff(folder) {
  return git(folder, 'diff', '--no-renames', 'HEAD~1', 'HEAD', '--', '.', ':(exclude)meta.json');
}
