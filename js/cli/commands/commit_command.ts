/** `tgp commit`: commits files that were written without the kernel. */

import { NotFoundError, TGPError } from '../../boundary/errors.js';
import { messageOf } from '../../boundary/thrown.js';
import { refuseDryRun } from '../../kernel/runs/dry_run.js';
import type { TGP } from '../../kernel/tgp.js';
import type { UncommittedFile } from '../../types/tools.js';
import type { Format } from '../terminal/screen.js';
import { field, json, line, styled, withProgress } from '../terminal/screen.js';
import { findFileInHistory, isTool, matchingFiles, withWorkspace } from '../workspace/workspace.js';

type Committed = UncommittedFile & { commit?: string; problem?: string };
type Left = UncommittedFile & { reason: string };
type Report = { committed: Committed[]; left: Left[] };

const SHORT_HASH = 7;
/** Error codes that concern the repository or the policy, not one file. */
const REPOSITORY_ERRORS = ['ERR_GIT', 'ERR_DENIED', 'ERR_APPROVAL'];
const ACTIONS = { new: 'Add', changed: 'Change', missing: 'Remove' };
/** Maximum number of files named in one line. */
const MAX_NAMED = 5;

/**
 * Commits files that differ from the history, such as tools that a person wrote with an editor. With `check: 'strict'` invalid
 * tools are left out, as when an agent writes them.
 * @param names tools, files or folders; all uncommitted files if empty
 */
export async function commit(
  names: string[],
  {
    format,
    config,
    message,
    yes,
    dryRun,
  }: { config?: string; message?: string; yes?: boolean; dryRun?: boolean; format: Format },
) {
  refuseDryRun({ dryRun }, 'A commit of uncommitted files');
  const report = await withProgress(format, 'Committing', () =>
    withWorkspace({ config, yes }, async (kernel) => {
      const { good, left } = await split(kernel, await selected(kernel, names));
      return commitAll(kernel, good, left, message);
    }),
  );
  if (format === 'json') json(report);
  else print(report);
  return report.left.length === 0 ? 0 : 1;
}

/** A short list of file names. */
export function named(files: { path: string }[]) {
  const paths = files.slice(0, MAX_NAMED).map(({ path }) => path);
  const more = files.length - paths.length;
  return `${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function selected(kernel: TGP, names: string[]): Promise<UncommittedFile[]> {
  const uncommitted = await kernel.git.uncommitted();
  if (names.length === 0) return uncommitted;
  const paths = uncommitted.map(({ path }) => path);
  const matches = new Set<string>();
  for (const name of names) {
    const found = matchingFiles(paths, name);
    // A file that is committed already is fine; an unknown name is an error.
    if (found.length === 0) await findFileInHistory(kernel, name);
    for (const path of found) matches.add(path);
  }
  return uncommitted.filter(({ path }) => matches.has(path));
}

/** Separates files that may be committed from those that a strict check refuses. */
async function split(kernel: TGP, files: UncommittedFile[]) {
  const good: UncommittedFile[] = [];
  const left: Left[] = [];
  for (const file of files) {
    const reason = kernel.config.check === 'strict' ? await faultOf(kernel, file) : undefined;
    if (reason === undefined) good.push(file);
    else left.push({ ...file, reason });
  }
  return { good, left };
}

async function faultOf(kernel: TGP, { path, state }: UncommittedFile) {
  if (state === 'missing' || !isTool(path)) return undefined;
  const checked = await kernel.check(path).catch((error) => ({ reason: messageOf(error) }));
  if ('reason' in checked) return checked.reason;
  if (checked.valid) return undefined;
  const first = checked.diagnostics.find(({ severity }) => severity === 'error');
  return first === undefined ? 'it is not valid' : `${path}:${first.line}:${first.column}: ${first.message}`;
}

/**
 * Commits the files in one commit, or with pull requests in one commit per file. Files with a secret and files that cannot be
 * committed, such as too large ones, are left out.
 */
async function commitAll(
  kernel: TGP,
  files: UncommittedFile[],
  left: Left[],
  message: string | undefined,
): Promise<Report> {
  const report: Report = { committed: [], left };
  const isApart = kernel.config.git.writeStrategy === 'pr';
  const waiting = isApart ? files.map((file) => [file]) : [files];
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    if (batch.length === 0) continue;
    const paths = batch.map(({ path }) => path);
    const written = await kernel.git.persist(message ?? subject(batch), paths).catch((error) => ({ error }));
    if ('error' in written) {
      const { error } = written;
      const isOfFiles = error instanceof TGPError && !REPOSITORY_ERRORS.includes(error.code);
      // An error of the repository or the policy concerns every file; files that are committed already are still reported.
      if (!isOfFiles && report.committed.length === 0) throw error;
      const rest = isOfFiles ? [] : waiting.splice(0).flat();
      const { refused, others } = isOfFiles ? splitByError(batch, error) : { refused: [...batch, ...rest], others: [] };
      report.left.push(...refused.map((file) => ({ ...file, reason: messageOf(error) })));
      waiting.push(...others);
      continue;
    }
    const { persisted, commit, problem, findings = [] } = written;
    if (persisted !== false) {
      report.committed.push(...batch.map((file) => ({ ...file, commit, ...(problem && { problem }) })));
      continue;
    }
    const secretIn = (path: string) => findings.find((finding) => finding.startsWith(`${path}:`));
    const secretFiles = batch.filter(({ path }) => secretIn(path) !== undefined);
    const reason = problem ?? 'it was not committed';
    const refused = secretFiles.length === 0 ? batch : secretFiles;
    report.left.push(...refused.map((file) => ({ ...file, reason: secretIn(file.path) ?? reason })));
    waiting.push(batch.filter((file) => !refused.includes(file)));
  }
  if (!isApart && report.committed.length > 0) await kernel.registry.sync();
  return report;
}

/**
 * The files of a batch that an error concerns, and batches of the others. If the error names no file, each is retried alone.
 */
function splitByError(
  batch: UncommittedFile[],
  error: TGPError,
): { refused: UncommittedFile[]; others: UncommittedFile[][] } {
  const refused = batch.length === 1 ? batch : batch.filter(({ path }) => path === error.details.path);
  if (refused.length === 0) return { refused, others: batch.map((file) => [file]) };
  return { refused, others: [batch.filter((file) => !refused.includes(file))] };
}

function subject(files: UncommittedFile[]) {
  const [first, ...others] = files;
  if (first === undefined) throw new NotFoundError('There is nothing to commit.');
  return others.length === 0 ? `${ACTIONS[first.state]}: ${first.path}` : `Commit: ${named(files)}`;
}

function print({ committed, left }: Report) {
  for (const { path, state, commit } of committed) {
    const hash = commit === undefined ? '' : styled('dim', `  ${commit.slice(0, SHORT_HASH)}`);
    line(`${styled('green', 'committed')}  ${state.padEnd('missing'.length)}  ${field(path)}${hash}`);
  }
  for (const { path, state, reason } of left) {
    line(`${styled('red', 'left out')}   ${state.padEnd('missing'.length)}  ${field(path)}\n    ${reason}`);
  }
  for (const problem of new Set(committed.flatMap((file) => file.problem ?? []))) line(styled('yellow', problem));
  if (committed.length === 0 && left.length === 0) line('Everything is committed.');
}
