/** @typedef {import('../index.js').Logger} Logger */

/** @type {Logger} */
export const consoleLogger = {
  debug: () => {},
  info: (message, ...rest) => console.info(`[tgp] ${message}`, ...rest),
  warn: (message, ...rest) => console.warn(`[tgp] ${message}`, ...rest),
  error: (message, ...rest) => console.error(`[tgp] ${message}`, ...rest),
};
