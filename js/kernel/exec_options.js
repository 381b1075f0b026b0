/** Validates and encodes the options of runs. */

import { isAbortSignal } from '../boundary/abort.js';
import { dropOldest } from '../boundary/drop_oldest.js';
import { TGPError } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { parseArguments } from '../boundary/validation.js';
import { ExecOptionsSchema } from './option_schemas.js';

/** @typedef {(approval: string | undefined, isInFunction: boolean) => string} TextWith `isInFunction`: the run is started by an application function that has not returned yet */

/** Maximum number of cached option sets: a seed that varies would fill the memory. */
const MAX_KNOWN = 256;

/**
 * Cache of validated options. Most runs use the same few sets, and validation takes as long as all other work before a run starts.
 * @type {Set<string>}
 */
const known = new Set();

/**
 * The options of a run: the signal, and the rest as JSON for the kernel.
 * @param {import('../../index.js').ExecOptions | undefined} options a private copy
 * @param {'application' | 'agent'} kind of caller
 * @param {import('./kernel_calls.js').Caller | undefined} caller asks
 * @param {import('../telemetry/telemetry.js').Tracing} tracing
 * @param {import('./runnable.js').Runnable['more']} own options specific to this kind of run
 * @returns {{ signal: AbortSignal | undefined, textWith: TextWith }} the text may name an approval
 */
export function readExecOptions(options, kind, caller, tracing, own) {
  const more = tracing === 'traced' ? { ...own, callerKind: kind, trace: true } : { ...own, callerKind: kind };
  if (options === undefined) return { signal: undefined, textWith: texts(more, caller) };
  const { signal, dryRun, mode, ...limits } = options;
  const isUsual =
    (signal === undefined || isAbortSignal(signal)) && (dryRun === undefined || dryRun === true) && mode === undefined;
  const plain = isUsual && Object.values(limits).every(isNumber);
  if (!plain) parseArguments(ExecOptionsSchema, options, 'exec options');
  const text = textOf({ ...limits, callerKind: kind });
  if (plain && !known.has(text)) {
    parseArguments(ExecOptionsSchema, options, 'exec options');
    dropOldest(known, MAX_KNOWN);
    known.add(text);
  }
  const asked =
    dryRun === true || mode !== undefined ? { ...caller, ...(dryRun && { dryRun }), ...(mode && { mode }) } : caller;
  const isUsualText = own === undefined && tracing === 'untraced';
  return { signal, textWith: texts({ ...limits, ...more }, asked, isUsualText ? text : undefined) };
}

/**
 * @param {import('../boundary/crossing.js').ExecOptions} options
 * @param {import('./kernel_calls.js').Caller | undefined} caller
 * @param {string} [text] the options as JSON, if already encoded
 * @returns {TextWith}
 */
function texts(options, caller, text) {
  return (approval, isInFunction) => {
    const all = isInFunction ? { ...options, below: true } : options;
    if (caller === undefined && approval === undefined) return isInFunction ? textOf(all) : (text ?? textOf(all));
    const { approve: _, answered: __, ...named } = caller ?? {};
    return textOf({ ...all, caller: approval === undefined ? named : { ...named, approval } });
  };
}

/**
 * Arguments as JSON for the sandbox.
 * @param {unknown} args
 */
export function argumentsText(args) {
  try {
    return toJsonText(args, 'args');
  } catch (error) {
    if (error instanceof TGPError) error.message = `Arguments must be serializable JSON: ${error.message}`;
    throw error;
  }
}

/**
 * A copy of the options, read once: a getter may return another value next time.
 * @param {unknown} options
 * @returns {import('../../index.js').ExecOptions}
 */
export function plainly(options) {
  try {
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) return { ...options };
  } catch {
    // The schema reports the error.
  }
  return /** @type {any} */ (parseArguments(ExecOptionsSchema, options, 'exec options'));
}

/** @param {import('../boundary/crossing.js').ExecOptions} options */
function textOf(options) {
  return JSON.stringify(options);
}

/** @param {unknown} value */
function isNumber(value) {
  return typeof value === 'number';
}
