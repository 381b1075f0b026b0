/** Checks of the workspace and its files, for `tgp doctor`. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import { RESOLVED } from '../../kernel/config/config.js';
import { TGP } from '../../kernel/tgp.js';
import { named } from '../commands/commit_command.js';
import { SILENT } from '../workspace/workspace.js';
import type { CheckContext } from './doctor_config.js';
import { checkRootFolder, checkWritable } from './doctor_root.js';
import type { Finding } from './finding.js';
import { ok, problem, warning } from './finding.js';
import { describeFiles, unsupportedFiles } from './unsupported_files.js';

type Located = NonNullable<CheckContext['located']>;

const run = promisify(execFile);

/** Checks the root folder, its repository, and files that are not committed. */
export async function workspace({ located, config, worker }: CheckContext): Promise<Finding> {
  // The config check has reported the problem already.
  if (located === undefined) return ok('');
  const { root, name } = located;
  const finding = await checkRootFolder(located);
  if (finding !== undefined) return finding;
  if (!existsSync(join(root, '.git'))) {
    const is = existsSync(root) ? 'has no workspace yet' : 'does not exist yet';
    return warning(`${name} ${is}`, 'Run "tgp init"; otherwise the first use of the kernel creates it.');
  }
  const head = await readTextAtMost(join(root, '.git', 'HEAD')).catch(() => '');
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  if (branch === undefined) {
    return problem(
      `${name} has no current branch (detached HEAD)`,
      `Run "git -C ${name} branch rescued" to keep commits made meanwhile, then "git -C ${name} switch main".`,
    );
  }
  const { uncommitted, unsupported } =
    config === 'faulty' ? { uncommitted: [], unsupported: [] } : await tryWorkspace(located, worker);
  const unwritable = await checkWritable(located);
  if (unwritable !== undefined) return unwritable;
  if (await isTrackedByApplication(root)) {
    const place = relative(located.resolved.baseDir, root).split(sep).join('/');
    const remedy = `Add /${place}/ to .gitignore: it is a repository of its own.`;
    return warning(`${name} on branch ${branch}, not ignored by the enclosing repository`, remedy);
  }
  const details = [];
  const remedies = [];
  if (uncommitted.length > 0) {
    details.push(`${counted(uncommitted.length)} not committed: ${named(uncommitted)}`);
    remedies.push('Run "tgp commit": these files exist only on this disk and are not in the history.');
  }
  if (unsupported.length > 0) {
    details.push(`${counted(unsupported.length)} not listed, run or committed: ${describeFiles(unsupported)}`);
    remedies.push('Rename the files, or replace links by the files themselves.');
  }
  if (details.length === 0) return ok(`${name} on branch ${branch}`);
  return warning(`${name} on branch ${branch}, where ${details.join('; ')}`, remedies.join(' '));
}

function counted(count: number) {
  return count === 1 ? '1 file is' : `${count} files are`;
}

/**
 * Opens the workspace and runs code in it, as an application does, but without remote and ledger.
 * @returns its files that are not committed or not supported
 */
async function tryWorkspace({ root, resolved }: Located, worker: CheckContext['worker']) {
  const { branch, writeStrategy } = resolved.config.git ?? {};
  const { allowedDirs: _, ...fs } = resolved.config.fs ?? {};
  const bare = {
    rootDir: root,
    fs,
    git: { branch, writeStrategy },
    sandbox: { warm: 0 },
    allowedImports: [],
    ledger: { on: false },
  };
  const here = process.cwd();
  // A kernel refuses a root that contains the current folder.
  if (`${here}${sep}`.startsWith(`${root}${sep}`)) process.chdir(resolved.baseDir);
  const settings = { config: bare, application: {}, baseDir: resolved.baseDir, warnings: [] };
  const options = { logger: SILENT, [RESOLVED]: settings };
  const kernel = new TGP(options);
  try {
    // A worker that does not start is reported already.
    if (worker !== 'faulty') await kernel.run('return 42');
    return { uncommitted: await kernel.git.uncommitted(), unsupported: await unsupportedFiles(kernel, root) };
  } finally {
    await kernel.shutdown();
    process.chdir(here);
  }
}

/** @returns false as well without a `git` command, which the kernel does not need */
async function isTrackedByApplication(root: string): Promise<boolean> {
  // The repository that encloses the root, even if the current folder is inside the root.
  const around = { cwd: dirname(root) };
  const inside = await run('git', ['rev-parse', '--is-inside-work-tree'], around).catch(() => undefined);
  if (!inside) return false;
  return run('git', ['check-ignore', '-q', root], around).then(
    () => false,
    (error) => error.code === 1,
  );
}
