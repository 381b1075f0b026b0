/** The default logger, and a wrapper for application loggers that never throws. */

import { guarded, ignored } from '../boundary/guarded.js';

/** @typedef {import('../../index.js').Logger} Logger */

/**
 * Writes only to standard error: standard output belongs to the application.
 * @type {Logger}
 */
export const consoleLogger = {
  debug: () => {},
  info: (message, ...rest) => console.error(`[tgp] ${message}`, ...rest),
  warn: (message, ...rest) => console.warn(`[tgp] ${message}`, ...rest),
  error: (message, ...rest) => console.error(`[tgp] ${message}`, ...rest),
};

/**
 * Wraps an application's logger: its exceptions and missing methods are ignored.
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
