import { json, line } from './screen.js';

/**
 * Prints the preview of a dry run.
 * @param {import('./screen.js').Format} format
 * @param {import('../../index.js').DryRunResult} preview
 * @returns {number} the exit code
 */
export function printPreview(format, preview) {
  if (format === 'json') json(preview);
  else line(preview.text);
  return preview.stopped === undefined ? 0 : 1;
}
