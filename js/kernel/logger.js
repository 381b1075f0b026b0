import { guarded, ignored } from '../boundary/guarded.js';

/** @typedef {import('../../index.js').Logger} Logger */

/**
 * It writes to standard error alone: standard output is the application's, and may be what another program reads.
 * @type {Logger}
 */
export const consoleLogger = {
  debug: () => {},
  info: (message, ...rest) => console.error(`[tgp] ${message}`, ...rest),
  warn: (message, ...rest) => console.warn(`[tgp] ${message}`, ...rest),
  error: (message, ...rest) => console.error(`[tgp] ${message}`, ...rest),
};

/**
 * An application's logger as everything in here uses it: what it throws, or lacks, is nobody's failure.
 * @param {Logger} logger
 * @returns {Logger}
 */
export function harmless(logger) {
  const level = (/** @type {keyof Logger} */ name) =>
    guarded(ignored, (/** @type {string} */ message, /** @type {unknown[]} */ ...rest) =>
      logger[name](message, ...rest),
    );
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}
