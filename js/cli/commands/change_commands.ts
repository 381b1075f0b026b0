/** The commands that change files: `tgp remove`, `tgp move`, `tgp revert`. */

import { posix } from 'node:path';
import { NotFoundError, TGPError } from '../../boundary/errors.js';
import { FILES } from '../../kernel/access_symbols.js';
import type { TGP } from '../../kernel/tgp.js';
import type { MoveResult } from '../../types/tools.js';
import type { Format } from '../terminal/screen.js';
import { field, json, line, printPreview, styled } from '../terminal/screen.js';
import { destination, findFileInHistory, findTool, isTest, isTool, withWorkspace } from '../workspace/workspace.js';
import { named } from './commit_command.js';

/** `alsoMove`: the test that was not moved with its tool. */
type Changed = MoveResult & { alsoMove?: { from: string; to: string } };
type Options = { config?: string; format: Format; why?: string; yes?: boolean; dryRun?: boolean };

const SHORT_HASH = 7;

/** @param name a tool, or any other file of the workspace */
export async function remove(name: string, { format, config, why, yes, dryRun }: Options) {
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
 * @param name a tool, or any other file of the workspace
 * @param to its new path; `tools/` and the extension may be left out
 */
export async function move(name: string, to: string, { format, config, why, yes, dryRun }: Options) {
  const { from, changed, test } = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findTool(kernel, name, { among: 'files' });
    const target = destination(path, to);
    const change = { tool: 'move_file', from: path, to: target } as const;
    const moved = await (dryRun ? kernel[FILES].preview(change) : kernel.git.move(path, target, { why }));
    return { from: path, changed: moved, test: await testLeft(kernel, path) };
  });
  if ('dryRun' in changed) return printPreview(format, changed);
  const alsoMove = test === undefined ? undefined : { from: test, to: testOf(changed.path, test) };
  return printChange(format, 'moved', `${from} -> ${changed.path}`, { ...changed, ...(alsoMove && { alsoMove }) });
}

/** The test of a moved tool, which stays at its old path. */
async function testLeft(kernel: TGP, tool: string) {
  if (!isTool(tool) || isTest(tool)) return undefined;
  const stem = tool.slice(0, -posix.extname(tool).length);
  const files = await kernel[FILES].read('list_files', { dir: '.' });
  return files.find((path) => isTest(path) && path.slice(0, -posix.extname(path).length) === `${stem}.test`);
}

/** @param test its old path, whose extension is kept */
function testOf(tool: string, test: string) {
  return `${tool.slice(0, -posix.extname(tool).length)}.test${posix.extname(test)}`;
}

/** @param name a tool or file, also one that was removed */
export async function revert(name: string, commit: string, { format, config, why, yes, dryRun }: Options) {
  const changed = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findFileInHistory(kernel, name);
    const change = { tool: 'revert_file', path, commit } as const;
    const reverted = dryRun ? kernel[FILES].preview(change) : kernel.git.revert(path, commit, { why });
    return reverted.catch((error) => {
      throw error instanceof NotFoundError ? inTermsOfCommands(error, path) : error;
    });
  });
  if ('dryRun' in changed) return printPreview(format, changed);
  return printChange(format, 'reverted', changed.path, changed);
}

/** A TGPError instead of the ValidationError, so that the exit code is "failure" and not "wrong usage". */
function stillImported({ code, details, cause }: TGPError, path: string) {
  const importers = details?.importers as string[];
  const verb = importers.length === 1 ? 'imports' : 'import';
  const message = `${path} was not removed: ${named(importers.map((importer) => ({ path: importer })))} ${verb} it. Remove the ${importers.length === 1 ? 'import' : 'imports'} first. To change the path, use "tgp move", which updates imports.`;
  return new TGPError(code, message, { details, cause });
}

/** Replaces the model's tool name in an error by the command for people. */
function inTermsOfCommands({ message, details, cause }: InstanceType<typeof NotFoundError>, path: string) {
  return new NotFoundError(message.replaceAll('file_history', `"tgp log ${path}"`), { details, cause });
}

function printChange(format: Format, done: string, what: string, changed: Changed) {
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
