/** The default logger, and a wrapper for application loggers that never throws. */

import { guarded, ignored } from '../boundary/guarded.js';
import type { Logger } from '../types/kernel.js';

/** Writes only to standard error: standard output belongs to the application. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: (message, ...rest) => console.error(`[tgp] ${message}`, ...rest),
  warn: (message, ...rest) => console.warn(`[tgp] ${message}`, ...rest),
  error: (message, ...rest) => console.error(`[tgp] ${message}`, ...rest),
};

/** Wraps an application's logger: its exceptions and missing methods are ignored. */
export function withoutThrowing(logger: Logger): Logger {
  const level = (name: keyof Logger) =>
    guarded(ignored, (message: string, ...rest: unknown[]) => logger[name](message, ...rest));
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}
