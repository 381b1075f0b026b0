import { json, line } from './screen.js';

/**
 * Prints what a command would do.
 * @param {import('./screen.js').Format} format
 * @param {import('../../index.js').DryRunResult} preview
 * @returns {number} the exit code
 */
export function previewed(format, preview) {
  if (format === 'json') json(preview);
  else line(preview.text);
  return preview.stopped === undefined ? 0 : 1;
}
