/** Dry runs: what a call would do, as data and as text. */

import type { Caller } from '../../boundary/caller.js';
import type { FileChangeCall, Moved, PreviewReport } from '../../boundary/crossing.js';
import { TGPError, ValidationError } from '../../boundary/errors.js';
import { wellFormedJson } from '../../boundary/json_text.js';
import type { DryRunResult } from '../../types/dry_run.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { previewText } from './preview_text.js';

/** The result of a dry run, from the effects that were held back. */
export function dryRunResult({
  result,
  diffs = [],
  sql = [],
  requests = [],
  calls = [],
  stopped,
  leftOut,
  written,
}: Partial<DryRunResult> & { leftOut?: number; written?: Partial<Moved> }): DryRunResult {
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

/** The answer of a change, as far as a preview reads it. */
type ChangeAnswer = { persisted?: unknown; written?: ChangeAnswer };

/** Previews a change of files. */
export async function previewedChange(
  calls: KernelCalls,
  caller: Caller | undefined,
  change: FileChangeCall,
  signal?: AbortSignal,
): Promise<DryRunResult> {
  const { tool, ...args } = change;
  const path = 'from' in change ? change.from : change.path;
  const call = { tool, caller: { ...caller, dryRun: true }, path, args };
  const text = wellFormedJson(change);
  const { diffs, result } = await calls.read(
    (kernel, callerText) => kernel.previewChange(text, callerText),
    signal,
    call,
  );
  return dryRunResult({ diffs, result: uncommitted(result), written: result.written ?? result });
}

/** The answer of a change without the fields that only a commit determines. */
function uncommitted({ persisted: _, written, ...answer }: ChangeAnswer): ChangeAnswer {
  return { ...answer, ...(written !== undefined && { written: uncommitted(written) }) };
}

/** Previews a run. A failed run also has a preview: it may have failed because the dry run refused a request. */
export async function previewedRun(
  run: Promise<{ result?: unknown; preview?: PreviewReport }>,
  sql: DryRunResult['sql'],
): Promise<DryRunResult> {
  try {
    const { result, preview } = await run;
    return dryRunResult({ ...preview, result, sql });
  } catch (error) {
    if (!(error instanceof TGPError) || error.details.preview === undefined) throw error;
    const preview = error.details.preview as PreviewReport;
    return dryRunResult({ ...preview, sql, stopped: { code: error.code, message: error.message } });
  }
}

/** Refuses `dryRun` for calls that cannot be previewed. */
export function refuseDryRun({ dryRun }: { dryRun?: boolean }, what: string) {
  if (dryRun !== true) return;
  throw new ValidationError(`${what} cannot be previewed. Remove "dryRun". Nothing was done.`, {
    details: { field: 'dryRun' },
  });
}
