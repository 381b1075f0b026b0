import { NotFoundError } from '../boundary/errors.js';
import { json, line, styled } from './screen.js';
import { findTool, withWorkspace } from './workspace.js';

/**
 * @typedef {import('./screen.js').Format} Format
 * @typedef {import('../../index.js').MoveResult} Changed
 * @typedef {{ config?: string, format: Format, why?: string }} Options
 */

const SHORT_HASH = 7;

/**
 * @param {string} given a tool, or any other file of the workspace
 * @param {Options} options
 */
export async function remove(given, { format, config, why }) {
  const changed = await withWorkspace({ config }, async (kernel) =>
    kernel.git.remove(await findTool(kernel, given, { among: 'files' }), { why }),
  );
  return told(format, 'removed', changed.path, changed);
}

/**
 * @param {string} given a tool, or any other file of the workspace
 * @param {string} to its new path, from the root
 * @param {Options} options
 */
export async function move(given, to, { format, config, why }) {
  const { from, changed } = await withWorkspace({ config }, async (kernel) => {
    const path = await findTool(kernel, given, { among: 'files' });
    return { from: path, changed: await kernel.git.move(path, to, { why }) };
  });
  return told(format, 'moved', `${from} -> ${changed.path}`, changed);
}

/**
 * @param {string} given a tool or file, also one that was removed
 * @param {string} commit
 * @param {Options} options
 */
export async function revert(given, commit, { format, config, why }) {
  const changed = await withWorkspace({ config }, async (kernel) => {
    const path = await findTool(kernel, given, { among: 'files' }).catch((error) => {
      if (error instanceof NotFoundError) return given;
      throw error;
    });
    return kernel.git.revert(path, commit, { why });
  });
  return told(format, 'reverted', changed.path, changed);
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
