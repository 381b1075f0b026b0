import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { RESOLVED } from '../kernel/config.js';
import { TGP } from '../kernel/tgp.js';
import { named } from './commit_command.js';
import { place } from './doctor_place.js';
import { ok, problem, warning } from './finding.js';
import { namedWithReason, untakenFiles } from './untaken_files.js';

/** @typedef {NonNullable<import('./doctor_config.js').Patient['located']>} Located */

const run = promisify(execFile);
export const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * The root, its repository, and what is in the one and not in the other.
 * @param {import('./doctor_config.js').Patient} patient
 * @returns {Promise<import('./finding.js').Finding>}
 */
export async function workspace({ located, config }) {
  // What is wrong with the configuration has been told.
  if (located === undefined) return ok('');
  const { root, name } = located;
  const unfit = await place(located);
  if (unfit !== undefined) return unfit;
  if (!existsSync(join(root, '.git'))) {
    const is = existsSync(root) ? 'holds no workspace yet' : 'does not exist yet';
    return warning(`${name} ${is}`, 'Run "tgp init", or let the first use of the kernel make it.');
  }
  const head = await readTextAtMost(join(root, '.git', 'HEAD')).catch(() => '');
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  if (branch === undefined) {
    return problem(
      `${name} is on no branch`,
      `Run "git -C ${name} switch main", or remove ${name} and run "tgp init".`,
    );
  }
  if (await isTrackedByApplication(root)) {
    const place = relative(located.resolved.baseDir, root).split(sep).join('/');
    const remedy = `Add /${place}/ to .gitignore: it is a repository of its own.`;
    return warning(`${name} on branch ${branch}, not ignored by the repository around it`, remedy);
  }
  const { uncommitted, untaken } = config === 'faulty' ? { uncommitted: [], untaken: [] } : await onlyHere(located);
  const details = [];
  const remedies = [];
  if (uncommitted.length > 0) {
    details.push(`${counted(uncommitted.length)} not committed: ${named(uncommitted)}`);
    remedies.push('Run "tgp commit": what is only on this disk is in no history, and others do not get it.');
  }
  if (untaken.length > 0) {
    details.push(`${counted(untaken.length)} neither listed, run nor committed: ${namedWithReason(untaken)}`);
    remedies.push('Give what is to be a tool or a file another name, or put the file itself where the link is.');
  }
  if (details.length === 0) return ok(`${name} on branch ${branch}`);
  return warning(`${name} on branch ${branch}, where ${details.join('; ')}`, remedies.join(' '));
}

/** @param {number} count */
function counted(count) {
  return count === 1 ? '1 file is' : `${count} files are`;
}

/**
 * Asked of a kernel that has the files and their repository, and nothing else: it exchanges nothing with a remote.
 * @param {Located} located
 */
async function onlyHere({ root, resolved }) {
  const { branch, writeStrategy } = resolved.config.git ?? {};
  const { allowedDirs: _, ...fs } = resolved.config.fs ?? {};
  const bare = { rootDir: root, fs, git: { branch, writeStrategy }, sandbox: { warm: 0 }, allowedImports: [] };
  const here = process.cwd();
  // A kernel refuses a root around the current folder.
  if (`${here}${sep}`.startsWith(`${root}${sep}`)) process.chdir(resolved.baseDir);
  const given = { config: bare, application: {}, baseDir: resolved.baseDir, warnings: [] };
  const kernel = new TGP(/** @type {any} */ ({ logger: SILENT, [RESOLVED]: given }));
  try {
    return { uncommitted: await kernel.git.uncommitted(), untaken: await untakenFiles(kernel, root) };
  } finally {
    await kernel.shutdown();
    process.chdir(here);
  }
}

/**
 * @param {string} root
 * @returns {Promise<boolean>} false as well where there is no `git` command to ask: the kernel itself needs none
 */
async function isTrackedByApplication(root) {
  // The repository around the root, also for somebody who stands in it.
  const around = { cwd: dirname(root) };
  const inside = await run('git', ['rev-parse', '--is-inside-work-tree'], around).catch(() => undefined);
  if (!inside) return false;
  return run('git', ['check-ignore', '-q', root], around).then(
    () => false,
    (error) => error.code === 1,
  );
}
