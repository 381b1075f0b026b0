/** A file that is not there, and the one that was probably meant. */

import { TGPError } from '../boundary/errors.js';
import { closest } from '../boundary/validation.js';

/** @typedef {import('../../index.js').AgentTool} AgentTool */

const MAX_SLIPS = 6;
const MAX_COMPARED = 2_000;

/**
 * The same tools, whose messages about a missing file name a file that is nearly called so.
 * @template {Record<string, AgentTool>} Tools
 * @param {Tools} tools
 * @param {() => Promise<string[]>} list the paths there are
 * @returns {Tools}
 */
export function suggestingPaths(tools, list) {
  const suggesting = Object.entries(tools).map(([name, tool]) => [name, suggestingTool(tool, list)]);
  return /** @type {Tools} */ (Object.fromEntries(suggesting));
}

/**
 * @param {AgentTool} tool
 * @param {() => Promise<string[]>} list
 * @returns {AgentTool}
 */
function suggestingTool(tool, list) {
  /**
   * @param {any} args
   * @param {string} message
   */
  const withSuggestion = async (args, message) => {
    const path = args?.path;
    if (typeof path !== 'string' || /did you mean/i.test(message)) return message;
    const near = nearest(path, await list().catch(() => []));
    // The code stays at the end.
    return near === undefined
      ? message
      : message.replace(/\.?( \[ERR_[A-Z_]+\])?$/, (_, code = '') => `. Did you mean "${near}"?${code}`);
  };
  return {
    ...tool,
    execute: async (args, options) => {
      try {
        const output = await tool.execute(args, options);
        if (output?.success !== false || output.code !== 'ERR_NOT_FOUND') return output;
        return { ...output, error: await withSuggestion(args, output.error) };
      } catch (error) {
        // Some other thing than the file, such as a text in it, may be what is not there.
        const isFile = error instanceof TGPError && error.code === 'ERR_NOT_FOUND' && !('field' in error.details);
        if (isFile) error.message = await withSuggestion(args, error.message);
        throw error;
      }
    },
  };
}

/**
 * @param {string} path
 * @param {string[]} paths
 * @returns {string | undefined}
 */
function nearest(path, paths) {
  const wanted = path.replace(/^(?:\.?\/)+/, '');
  // There is such a file: what is missing is something else.
  if (wanted === '' || paths.includes(wanted)) return undefined;
  const isSame = (/** @type {string} */ one) => bare(one) === bare(wanted);
  const sameEnd = paths.filter((one) => bare(one).endsWith(`/${bare(wanted)}`) || fileName(one) === fileName(wanted));
  return paths.find(isSame) ?? (sameEnd.length === 1 ? sameEnd[0] : undefined) ?? closest(wanted, alike(wanted, paths));
}

/**
 * Those that a slip of the pen could have made of it; each is compared letter by letter.
 * @param {string} wanted
 * @param {string[]} paths
 */
function alike(wanted, paths) {
  return paths.filter(({ length }) => Math.abs(length - wanted.length) <= MAX_SLIPS).slice(0, MAX_COMPARED);
}

/**
 * Without what is often left out.
 * @param {string} path
 */
function bare(path) {
  return path.replace(/\.[^./]+$/, '').replace(/^tools\//, '');
}

/** @param {string} path */
function fileName(path) {
  return bare(path).split('/').at(-1);
}
