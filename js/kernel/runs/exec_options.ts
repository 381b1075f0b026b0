/** Validates and encodes the options of runs. */

import { isAbortSignal } from '../../boundary/abort.js';
import type { Caller } from '../../boundary/caller.js';
import type { ExecOptions as ExecOptionsType } from '../../boundary/crossing.js';
import { dropOldest } from '../../boundary/drop_oldest.js';
import { TGPError, ValidationError } from '../../boundary/errors.js';
import { isRecord } from '../../boundary/foreign_json.js';
import { toJsonText } from '../../boundary/json_text.js';
import { parseArguments } from '../../boundary/validation.js';
import type { Tracing } from '../../telemetry/telemetry.js';
import type { ExecToolOptions } from '../../types/runs.js';
import { ExecToolOptionsSchema } from '../config/option_schemas.js';
import type { Runnable } from './runnable.js';

/** Encodes the options. `isInFunction`: the run is started by an application function that has not returned yet. */
type TextWith = (approval: string | undefined, isInFunction: boolean) => string;

/** Maximum number of cached option sets: a seed that varies would fill the memory. */
const MAX_KNOWN = 256;

/**
 * Cache of validated options. Most runs use the same few sets, and validation takes as long as all other work before a run starts.
 */
const known = new Set<string>();

/**
 * The options of a run: the signal, and the rest as JSON for the kernel.
 * @param options a private copy
 * @param caller asks
 * @param own options specific to this kind of run
 * @returns the text may name an approval
 */
export function readExecOptions(
  options: ExecToolOptions | undefined,
  caller: Caller | undefined,
  tracing: Tracing,
  own: Runnable['more'],
): { signal: AbortSignal | undefined; textWith: TextWith } {
  const more = tracing === 'traced' ? { ...own, trace: true } : { ...own };
  if (options === undefined) return { signal: undefined, textWith: texts(more, caller) };
  const { signal, dryRun, mode, validate, ...limits } = options;
  const isUsual =
    (signal === undefined || isAbortSignal(signal)) &&
    (dryRun === undefined || dryRun === true) &&
    mode === undefined &&
    validate === undefined;
  const plain = isUsual && Object.values(limits).every(isNumber);
  if (!plain) parseArguments(ExecToolOptionsSchema, options, 'exec options');
  const text = textOf(limits);
  if (plain && !known.has(text)) {
    parseArguments(ExecToolOptionsSchema, options, 'exec options');
    dropOldest(known, MAX_KNOWN);
    known.add(text);
  }
  const asked =
    dryRun === true || mode !== undefined ? { ...caller, ...(dryRun && { dryRun }), ...(mode && { mode }) } : caller;
  const isUsualText = own === undefined && tracing === 'untraced' && validate === undefined;
  const all = { ...limits, ...more, ...(validate !== undefined && { validate }) };
  return { signal, textWith: texts(all, asked, isUsualText ? text : undefined) };
}

/** @param text the options as JSON, if already encoded */
function texts(options: ExecOptionsType, caller: Caller | undefined, text?: string): TextWith {
  return (approval, isInFunction) => {
    const all = isInFunction ? { ...options, below: true } : options;
    if (caller === undefined && approval === undefined) return isInFunction ? textOf(all) : (text ?? textOf(all));
    const { approve: _, answered: __, ...named } = caller ?? {};
    return textOf({ ...all, caller: approval === undefined ? named : { ...named, approval } });
  };
}

/** Arguments as JSON for the sandbox. */
export function argumentsText(args: unknown) {
  try {
    return toJsonText(args, 'args');
  } catch (error) {
    if (error instanceof TGPError) error.message = `Arguments must be serializable JSON: ${error.message}`;
    throw error;
  }
}

/** A copy of the options, read once: a getter may return another value next time. */
export function plainly(options: unknown): ExecToolOptions {
  try {
    if (isRecord(options)) return { ...options };
  } catch {
    // The schema reports the error.
  }
  try {
    return parseArguments(ExecToolOptionsSchema, options, 'exec options');
  } catch (error) {
    if (error instanceof ValidationError && typeof options !== 'object') {
      error.message += ' A tool takes one object of arguments, as the second parameter; options are the third.';
    }
    throw error;
  }
}

function textOf(options: ExecOptionsType) {
  return JSON.stringify(options);
}

function isNumber(value: unknown) {
  return typeof value === 'number';
}
