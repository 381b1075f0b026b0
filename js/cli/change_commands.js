import { posix } from 'node:path';
import { NotFoundError, TGPError } from '../boundary/errors.js';
import { FILES } from '../kernel/agent_access.js';
import { named } from './commit_command.js';
import { printPreview } from './print_preview.js';
import { field, json, line, styled } from './screen.js';
import { destination, findFileInHistory, findTool, isTest, isTool, withWorkspace } from './workspace.js';

/**
 * @typedef {import('./screen.js').Format} Format
 * @typedef {import('../../index.js').MoveResult & { alsoMove?: { from: string, to: string } }} Changed `alsoMove`: the test that was not moved with its tool
 * @typedef {{ config?: string, format: Format, why?: string, yes?: boolean, dryRun?: boolean }} Options
 */

const SHORT_HASH = 7;

/**
 * @param {string} name a tool, or any other file of the workspace
 * @param {Options} options
 */
export async function remove(name, { format, config, why, yes, dryRun }) {
  const changed = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findTool(kernel, name, { among: 'files' });
    const removed = dryRun ? kernel[FILES].preview({ tool: 'delete_file', path }) : kernel.git.remove(path, { why });
    return removed.catch((error) => {
      throw error instanceof TGPError && Array.isArray(error.details?.importers) ? stillImported(error, path) : error;
    });
  });
  if ('dryRun' in changed) return printPreview(format, changed);
  return printChange(format, 'removed', changed.path, changed);
}

/**
 * @param {string} name a tool, or any other file of the workspace
 * @param {string} to its new path; `tools/` and the extension may be left out
 * @param {Options} options
 */
export async function move(name, to, { format, config, why, yes, dryRun }) {
  const { from, changed, test } = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findTool(kernel, name, { among: 'files' });
    const target = destination(path, to);
    const change = /** @type {const} */ ({ tool: 'move_file', from: path, to: target });
    const moved = await (dryRun ? kernel[FILES].preview(change) : kernel.git.move(path, target, { why }));
    return { from: path, changed: moved, test: await testLeft(kernel, path) };
  });
  if ('dryRun' in changed) return printPreview(format, changed);
  const alsoMove = test === undefined ? undefined : { from: test, to: testOf(changed.path, test) };
  return printChange(format, 'moved', `${from} -> ${changed.path}`, { ...changed, ...(alsoMove && { alsoMove }) });
}

/**
 * The test of a moved tool, which stays at its old path.
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {string} tool
 */
async function testLeft(kernel, tool) {
  if (!isTool(tool) || isTest(tool)) return undefined;
  const stem = tool.slice(0, -posix.extname(tool).length);
  const files = await kernel[FILES].list('.');
  return files.find((path) => isTest(path) && path.slice(0, -posix.extname(path).length) === `${stem}.test`);
}

/**
 * @param {string} tool
 * @param {string} test its old path, whose extension is kept
 */
function testOf(tool, test) {
  return `${tool.slice(0, -posix.extname(tool).length)}.test${posix.extname(test)}`;
}

/**
 * @param {string} name a tool or file, also one that was removed
 * @param {string} commit
 * @param {Options} options
 */
export async function revert(name, commit, { format, config, why, yes, dryRun }) {
  const changed = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findFileInHistory(kernel, name);
    const change = /** @type {const} */ ({ tool: 'revert_file', path, commit });
    const reverted = dryRun ? kernel[FILES].preview(change) : kernel.git.revert(path, commit, { why });
    return reverted.catch((error) => {
      throw error instanceof NotFoundError ? inTermsOfCommands(error, path) : error;
    });
  });
  if ('dryRun' in changed) return printPreview(format, changed);
  return printChange(format, 'reverted', changed.path, changed);
}

/**
 * A TGPError instead of the ValidationError, so that the exit code is "failure" and not "wrong usage".
 * @param {TGPError} error
 * @param {string} path
 */
function stillImported({ code, details, cause }, path) {
  const importers = /** @type {string[]} */ (details?.importers);
  const verb = importers.length === 1 ? 'imports' : 'import';
  const message = `${path} was not removed: ${named(importers.map((importer) => ({ path: importer })))} ${verb} it. Remove the ${importers.length === 1 ? 'import' : 'imports'} first. To change the path, use "tgp move", which updates imports.`;
  return new TGPError(code, message, { details, cause });
}

/**
 * Replaces the model's tool name in an error by the command for people.
 * @param {InstanceType<typeof NotFoundError>} error
 * @param {string} path
 */
function inTermsOfCommands({ message, details, cause }, path) {
  return new NotFoundError(message.replaceAll('file_history', `"tgp log ${path}"`), { details, cause });
}

/**
 * @param {Format} format
 * @param {string} done
 * @param {string} what
 * @param {Changed} changed
 */
function printChange(format, done, what, changed) {
  const { persisted, commit, problem, relinked = [], mentions = [], alsoMove } = changed;
  if (format === 'json') {
    json(changed);
    return persisted === false ? 1 : 0;
  }
  line(
    `${styled('green', done)}  ${field(what)}${commit === undefined ? '' : styled('dim', `  ${commit.slice(0, SHORT_HASH)}`)}`,
  );
  for (const path of relinked) line(`${styled('green', 'relinked')}  ${field(path)}`);
  for (const path of mentions) line(`${styled('yellow', 'still names the old path')}  ${field(path)}`);
  if (alsoMove !== undefined)
    line(styled('yellow', `also move its test: tgp move ${field(alsoMove.from)} ${field(alsoMove.to)}`));
  if (problem !== undefined) line(styled('yellow', problem));
  return persisted === false ? 1 : 0;
}
