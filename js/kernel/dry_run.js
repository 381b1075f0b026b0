/** Dry runs: what a call would do, as data and as text. */

import { TGPError, ValidationError } from '../boundary/errors.js';
import { previewText } from './preview_text.js';

/**
 * @typedef {import('../../index.js').DryRunResult} DryRunResult
 * @typedef {import('../boundary/crossing.js').PreviewReport} PreviewReport
 * @typedef {import('../boundary/crossing.js').FileChangeCall} FileChangeCall
 * @typedef {import('./kernel_calls.js').Caller} Caller
 */

/**
 * @param {Partial<DryRunResult> & { leftOut?: number, written?: any }} parts
 * @returns {DryRunResult}
 */
export function dryRunResult({ result, diffs = [], sql = [], requests = [], calls = [], stopped, leftOut, written }) {
  const preview = {
    ...(result !== undefined && { result }),
    diffs,
    sql,
    requests,
    calls,
    ...(stopped !== undefined && { stopped }),
  };
  return { dryRun: true, ...preview, text: previewText(preview, { leftOut, written }) };
}

/**
 * Previews a change of files.
 * @param {import('./kernel_calls.js').KernelCalls} calls
 * @param {Caller | undefined} caller
 * @param {FileChangeCall} change
 * @param {AbortSignal} [signal]
 * @returns {Promise<DryRunResult>}
 */
export async function previewedChange(calls, caller, change, signal) {
  const { tool, ...args } = change;
  const path = 'from' in change ? change.from : change.path;
  const call = { tool, caller: { ...caller, dryRun: true }, path, args };
  const text = JSON.stringify(change, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value));
  const { diffs, result } = await calls.read(
    (kernel, callerText) => kernel.previewChange(text, callerText),
    signal,
    call,
  );
  return dryRunResult({ diffs, result: uncommitted(result), written: result.written ?? result });
}

/**
 * The answer of a change without the fields that only a commit determines.
 * @param {any} answer
 * @returns {any}
 */
function uncommitted({ persisted: _, written, ...answer }) {
  return { ...answer, ...(written !== undefined && { written: uncommitted(written) }) };
}

/**
 * Previews a run. A failed run also has a preview: it may have failed because the dry run refused a request.
 * @param {Promise<any>} run
 * @param {DryRunResult['sql']} sql
 * @returns {Promise<DryRunResult>}
 */
export async function previewedRun(run, sql) {
  try {
    const { result, preview } = await run;
    return dryRunResult({ ...preview, result, sql });
  } catch (error) {
    const preview = /** @type {any} */ (error instanceof TGPError ? error.details.preview : undefined);
    if (preview === undefined || !(error instanceof TGPError)) throw error;
    return dryRunResult({ ...preview, sql, stopped: { code: error.code, message: error.message } });
  }
}

/**
 * Refuses `dryRun` for calls that cannot be previewed.
 * @param {{ dryRun?: boolean }} options
 * @param {string} what
 */
export function refuseDryRun({ dryRun }, what) {
  if (dryRun !== true) return;
  throw new ValidationError(`${what} cannot be previewed. Remove "dryRun". Nothing was done.`, {
    details: { field: 'dryRun' },
  });
}
