import { NotFoundError, TGPError } from '../boundary/errors.js';
import { messageOf } from '../boundary/thrown.js';
import { refuseDryRun } from '../kernel/dry_run.js';
import { field, json, line, styled, withProgress } from './screen.js';
import { filesMeant, findFileOfAnyTime, isTool, withWorkspace } from './workspace.js';

/**
 * @typedef {import('../../index.js').UncommittedFile} UncommittedFile
 * @typedef {import('../kernel/tgp.js').TGP} TGP
 * @typedef {UncommittedFile & { commit?: string, problem?: string }} Committed
 * @typedef {UncommittedFile & { reason: string }} Left
 * @typedef {{ committed: Committed[], left: Left[] }} Report
 */

const SHORT_HASH = 7;
/** Failures that say nothing about one file. */
const NOT_OF_FILES = ['ERR_GIT', 'ERR_DENIED', 'ERR_APPROVAL'];
const DEEDS = { new: 'Add', changed: 'Change', missing: 'Remove' };
/** Files that a line names. */
const MAX_NAMED = 5;

/**
 * Commits what is on disk and not in the history: tools that a person wrote with an editor. What the check of the configuration
 * refuses stays out, as it does when an agent writes it.
 * @param {string[]} given tools, files or folders; everything when there are none
 * @param {{ config?: string, message?: string, yes?: boolean, dryRun?: boolean, format: import('./screen.js').Format }} options
 */
export async function commit(given, { format, config, message, yes, dryRun }) {
  refuseDryRun({ dryRun }, 'A commit of what is on disk');
  const report = await withProgress(format, 'Committing', () =>
    withWorkspace({ config, yes }, async (kernel) => {
      const { good, left } = await sifted(kernel, await chosen(kernel, given));
      return commitAll(kernel, good, left, message);
    }),
  );
  if (format === 'json') json(report);
  else print(report);
  return report.left.length === 0 ? 0 : 1;
}

/**
 * Files in a few words.
 * @param {{ path: string }[]} files
 */
export function named(files) {
  const paths = files.slice(0, MAX_NAMED).map(({ path }) => path);
  const more = files.length - paths.length;
  return `${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * @param {TGP} kernel
 * @param {string[]} given
 * @returns {Promise<UncommittedFile[]>}
 */
async function chosen(kernel, given) {
  const uncommitted = await kernel.git.uncommitted();
  if (given.length === 0) return uncommitted;
  const paths = uncommitted.map(({ path }) => path);
  /** @type {Set<string>} */
  const meant = new Set();
  for (const name of given) {
    const found = filesMeant(paths, name);
    // A file that is committed already is fine; one that nobody knows is a mistake.
    if (found.length === 0) await findFileOfAnyTime(kernel, name);
    for (const path of found) meant.add(path);
  }
  return uncommitted.filter(({ path }) => meant.has(path));
}

/**
 * What may be committed, and what a strict check refuses.
 * @param {TGP} kernel
 * @param {UncommittedFile[]} files
 */
async function sifted(kernel, files) {
  /** @type {UncommittedFile[]} */
  const good = [];
  /** @type {Left[]} */
  const left = [];
  for (const file of files) {
    const reason = kernel.config.check === 'strict' ? await faultOf(kernel, file) : undefined;
    if (reason === undefined) good.push(file);
    else left.push({ ...file, reason });
  }
  return { good, left };
}

/**
 * @param {TGP} kernel
 * @param {UncommittedFile} file
 */
async function faultOf(kernel, { path, state }) {
  if (state === 'missing' || !isTool(path)) return undefined;
  const checked = await kernel.check(path).catch((error) => ({ reason: messageOf(error) }));
  if ('reason' in checked) return checked.reason;
  if (checked.valid) return undefined;
  const first = checked.diagnostics.find(({ severity }) => severity === 'error');
  return first === undefined ? 'it is not valid' : `${path}:${first.line}:${first.column}: ${first.message}`;
}

/**
 * As one commit; with pull requests each file has one of its own. Files with a secret stay out, and so do those that cannot
 * be committed, such as one that is too large.
 * @param {TGP} kernel
 * @param {UncommittedFile[]} files
 * @param {Left[]} left
 * @param {string | undefined} message
 * @returns {Promise<Report>}
 */
async function commitAll(kernel, files, left, message) {
  /** @type {Report} */
  const report = { committed: [], left };
  const isApart = kernel.config.git.writeStrategy === 'pr';
  const waiting = isApart ? files.map((file) => [file]) : [files];
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    if (batch.length === 0) continue;
    const paths = batch.map(({ path }) => path);
    const written = await kernel.git.persist(message ?? subject(batch), paths).catch((error) => ({ error }));
    if ('error' in written) {
      const { error } = written;
      const isOfFiles = error instanceof TGPError && !NOT_OF_FILES.includes(error.code);
      // What is wrong with the repository, or not allowed, is so for every file; what is committed by now is still worth telling.
      if (!isOfFiles && report.committed.length === 0) throw error;
      const rest = isOfFiles ? [] : waiting.splice(0).flat();
      const { refused, others } = isOfFiles ? sortedOut(batch, error) : { refused: [...batch, ...rest], others: [] };
      report.left.push(...refused.map((file) => ({ ...file, reason: messageOf(error) })));
      waiting.push(...others);
      continue;
    }
    const { persisted, commit, problem, findings = [] } = written;
    if (persisted !== false) {
      report.committed.push(...batch.map((file) => ({ ...file, commit, ...(problem && { problem }) })));
      continue;
    }
    const secretIn = (/** @type {string} */ path) => findings.find((finding) => finding.startsWith(`${path}:`));
    const held = batch.filter(({ path }) => secretIn(path) !== undefined);
    const reason = problem ?? 'it was not committed';
    const refused = held.length === 0 ? batch : held;
    report.left.push(...refused.map((file) => ({ ...file, reason: secretIn(file.path) ?? reason })));
    waiting.push(batch.filter((file) => !refused.includes(file)));
  }
  if (!isApart && report.committed.length > 0) await kernel.registry.sync();
  return report;
}

/**
 * The files of a batch that an error is about, and batches of the others. When it does not say, each is tried by itself.
 * @param {UncommittedFile[]} batch
 * @param {TGPError} error
 * @returns {{ refused: UncommittedFile[], others: UncommittedFile[][] }}
 */
function sortedOut(batch, error) {
  const refused = batch.length === 1 ? batch : batch.filter(({ path }) => path === error.details.path);
  if (refused.length === 0) return { refused, others: batch.map((file) => [file]) };
  return { refused, others: [batch.filter((file) => !refused.includes(file))] };
}

/** @param {UncommittedFile[]} files */
function subject(files) {
  const [first, ...others] = files;
  if (first === undefined) throw new NotFoundError('There is nothing to commit.');
  return others.length === 0 ? `${DEEDS[first.state]}: ${first.path}` : `Commit: ${named(files)}`;
}

/** @param {Report} report */
function print({ committed, left }) {
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
