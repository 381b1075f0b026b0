import { NotFoundError } from '../boundary/errors.js';
import { FILES } from '../kernel/agent_access.js';
import { previewed } from './previewed.js';
import { json, line, styled } from './screen.js';
import { destination, findFileOfAnyTime, findTool, withWorkspace } from './workspace.js';

/**
 * @typedef {import('./screen.js').Format} Format
 * @typedef {import('../../index.js').MoveResult} Changed
 * @typedef {{ config?: string, format: Format, why?: string, yes?: boolean, dryRun?: boolean }} Options
 */

const SHORT_HASH = 7;

/**
 * @param {string} given a tool, or any other file of the workspace
 * @param {Options} options
 */
export async function remove(given, { format, config, why, yes, dryRun }) {
  const changed = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findTool(kernel, given, { among: 'files' });
    return dryRun ? kernel[FILES].preview({ tool: 'delete_file', path }) : kernel.git.remove(path, { why });
  });
  if ('dryRun' in changed) return previewed(format, changed);
  return told(format, 'removed', changed.path, changed);
}

/**
 * @param {string} given a tool, or any other file of the workspace
 * @param {string} to its new path, or less of it
 * @param {Options} options
 */
export async function move(given, to, { format, config, why, yes, dryRun }) {
  const { from, changed } = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findTool(kernel, given, { among: 'files' });
    const target = destination(path, to);
    const change = /** @type {const} */ ({ tool: 'move_file', from: path, to: target });
    const moved = dryRun ? kernel[FILES].preview(change) : kernel.git.move(path, target, { why });
    return { from: path, changed: await moved };
  });
  if ('dryRun' in changed) return previewed(format, changed);
  return told(format, 'moved', `${from} -> ${changed.path}`, changed);
}

/**
 * @param {string} given a tool or file, also one that was removed
 * @param {string} commit
 * @param {Options} options
 */
export async function revert(given, commit, { format, config, why, yes, dryRun }) {
  const changed = await withWorkspace({ config, yes }, async (kernel) => {
    const path = await findFileOfAnyTime(kernel, given);
    const change = /** @type {const} */ ({ tool: 'revert_file', path, commit });
    const reverted = dryRun ? kernel[FILES].preview(change) : kernel.git.revert(path, commit, { why });
    return reverted.catch((error) => {
      throw error instanceof NotFoundError ? inTermsOfCommands(error, path) : error;
    });
  });
  if ('dryRun' in changed) return previewed(format, changed);
  return told(format, 'reverted', changed.path, changed);
}

/**
 * An error that names the tool of a model, for a person.
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
function told(format, done, what, changed) {
  const { persisted, commit, problem, relinked = [], mentions = [] } = changed;
  if (format === 'json') {
    json(changed);
    return persisted === false ? 1 : 0;
  }
  line(
    `${styled('green', done)}  ${what}${commit === undefined ? '' : styled('dim', `  ${commit.slice(0, SHORT_HASH)}`)}`,
  );
  for (const path of relinked) line(`${styled('green', 'relinked')}  ${path}`);
  for (const path of mentions) line(`${styled('yellow', 'still names the old path')}  ${path}`);
  if (problem !== undefined) line(styled('yellow', problem));
  return persisted === false ? 1 : 0;
}
