/** Parses a script's options. Wrong usage ends it with exit code 2, which means that nothing was done. */

import { parseArgs } from 'node:util';

/**
 * @param {string} usage
 * @param {string} why
 * @returns {never}
 */
export function endWithUsage(usage, why) {
  process.stderr.write(`${why}\n${usage}\n`);
  process.exit(2);
}

/**
 * @template {import('node:util').ParseArgsConfig} T
 * @param {T} config
 * @param {string} usage
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function readOptions(config, usage) {
  try {
    return parseArgs(config);
  } catch (error) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    return endWithUsage(usage, message);
  }
}
