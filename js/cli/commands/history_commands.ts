/** The commands about commits and the remote: `tgp log` and `tgp sync`. */

import { join } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import { messageOf } from '../../boundary/thrown.js';
import { FILES } from '../../kernel/access_symbols.js';
import { refuseDryRun } from '../../kernel/runs/dry_run.js';
import type { TGP } from '../../kernel/tgp.js';
import type { UncommittedFile } from '../../types/tools.js';
import type { Format } from '../terminal/screen.js';
import { field, json, line, styled, withProgress } from '../terminal/screen.js';
import { findFileInHistory, locateRoot, withWorkspace } from '../workspace/workspace.js';

type Options = { config?: string; format: Format };

const SHORT_HASH = 7;

/** @param name a tool or file, also one that was removed; all commits if undefined */
export async function log(name: string | undefined, { format, config, limit }: Options & { limit?: number }) {
  const commits = await withWorkspace({ config }, async (kernel) => {
    const path = name === undefined ? undefined : await findFileInHistory(kernel, name);
    return kernel.git.log(path, { limit });
  });
  if (format === 'json') {
    json(commits);
    return 0;
  }
  for (const { commit, date, author, message, why } of commits) {
    const hash = styled('yellow', commit.slice(0, SHORT_HASH));
    line(
      `${hash}  ${styled('dim', date.slice(0, 'YYYY-MM-DDThh:mm'.length).replace('T', ' '))}  ${field(message)}${why === undefined ? '' : ` (${field(why)})`}  ${styled('dim', field(author))}`,
    );
  }
  if (commits.length === 0) line('There are no commits yet.');
  return 0;
}

/** `tgp sync`: exchanges commits with the remote. */
export async function sync({ format, config, yes, dryRun }: Options & { yes?: boolean; dryRun?: boolean }) {
  // Refused before the boot, which contacts the remote.
  refuseDryRun({ dryRun }, 'An exchange with a remote');
  const before = await localHead(config);
  const { remote, commit, changed, uncommitted, warning } = await withProgress(format, 'Syncing', () =>
    withWorkspace({ config, yes }, async (kernel) => {
      // Booting pulls already.
      await kernel.sync();
      const { git } = kernel.config;
      const [newest] = await kernel.git.log(undefined, { limit: 1 });
      return {
        remote: git.repo !== undefined,
        commit: newest?.commit,
        changed: newest?.commit === before ? [] : await changedSince(kernel, before),
        ...(await uncommittedFiles(kernel)),
      };
    }),
  );
  if (format === 'json') {
    json({ remote, commit, changed, uncommitted, ...(warning && { warning }) });
    return 0;
  }
  for (const path of changed) line(`${styled('green', 'changed')}  ${field(path)}`);
  const at = commit === undefined ? '' : ` at ${commit.slice(0, SHORT_HASH)}`;
  line(remote ? styled('green', `In sync with the remote${at}.`) : 'There is no remote. Set git.repo in the config.');
  for (const { path, state } of uncommitted)
    line(`${styled('yellow', 'not committed')}  ${state.padEnd('missing'.length)}  ${field(path)}`);
  if (warning !== undefined) line(styled('yellow', warning));
  if (uncommitted.length > 0) line('Run "tgp commit" to commit files that exist only on this disk.');
  return 0;
}

/** Files that are not committed. A failure is a warning only, because the exchange with the remote has succeeded. */
async function uncommittedFiles(kernel: TGP): Promise<{ uncommitted: UncommittedFile[]; warning?: string }> {
  try {
    return { uncommitted: await kernel.git.uncommitted() };
  } catch (error) {
    return { uncommitted: [], warning: `Uncommitted files cannot be listed: ${messageOf(error)}` };
  }
}

/** The current commit of the workspace, read before a kernel boots. */
async function localHead(config: string | undefined) {
  const { root } = await locateRoot({ config });
  const read = (name: string) => readTextAtMost(join(root, '.git', name)).catch(() => '');
  const head = (await read('HEAD')).trim();
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return head || undefined;
  const packed = (await read('packed-refs')).split('\n').find((entry) => entry.endsWith(` ${ref}`));
  return (await read(ref)).trim() || packed?.split(' ')[0];
}

/** @param before undefined if there was no commit yet */
async function changedSince(kernel: TGP, before: string | undefined) {
  if (before === undefined) return kernel[FILES].read('list_files', { dir: '.' });
  const diff = await kernel.git.diff(undefined, { from: before });
  return [...diff.matchAll(/^diff --git a\/.+ b\/(.+)$/gm)].map(([, path]) => String(path));
}
