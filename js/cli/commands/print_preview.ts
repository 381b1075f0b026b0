import type { DryRunResult } from '../../types/dry_run.js';
import type { Format } from '../terminal/screen.js';
import { json, line } from '../terminal/screen.js';

/**
 * Prints the preview of a dry run.
 * @returns the exit code
 */
export function printPreview(format: Format, preview: DryRunResult): number {
  if (format === 'json') json(preview);
  else line(preview.text);
  return preview.stopped === undefined ? 0 : 1;
}
