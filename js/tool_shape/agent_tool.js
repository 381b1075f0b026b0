/** What all tools for agents have in common, whoever defines them. */

import { signalOf } from '../boundary/abort.js';
import { TGPError, ValidationError } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').ExecToolResult} ExecToolResult
 * @typedef {import('../../index.js').DryRunResult} DryRunResult
 * @typedef {'real' | 'dry'} Mode whether the call is to be made, or only to be seen
 */

/**
 * @template Args
 * @template Result
 * @param {string} description
 * @param {any} schema a universal schema
 * @param {(args: Args, signal: AbortSignal | undefined, mode: Mode) => Promise<Result>} run
 * @returns {import('../../index.js').AgentTool<any, any>}
 */
export function agentTool(description, schema, run) {
  return {
    description,
    parameters: schema,
    inputSchema: schema,
    execute: async (args, options) => {
      try {
        return await run(args, signalOf(options, 'abortSignal'), modeOf(options));
      } catch (error) {
        throw withCodeInMessage(error);
      }
    },
  };
}

/**
 * @param {any} options of a call
 * @returns {Mode}
 */
function modeOf(options) {
  try {
    const dryRun = options?.dryRun;
    if (dryRun === undefined || typeof dryRun === 'boolean') return dryRun === true ? 'dry' : 'real';
  } catch {
    // What cannot be read must not become a real call.
  }
  throw new ValidationError('"dryRun" must be true or false.', { details: { field: 'dryRun' } });
}

/**
 * What a run did, as data: a model repairs a tool from a failure it can read.
 * @param {Promise<any>} run what it has done, or would do
 * @returns {Promise<any>} an `ExecToolResult`, or for a dry run a `DryRunResult`
 */
export async function report(run) {
  try {
    const { stats, ...done } = await run;
    if (done.dryRun === true) return done;
    return { success: true, ...done, stats: rounded(stats) };
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    const { logs = [], stack, line, column } = /** @type {any} */ (error.details);
    return {
      success: false,
      error: error.message,
      code: error.code,
      logs,
      ...(stack !== undefined && { stack }),
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    };
  }
}

/**
 * Two decimals: the others say nothing, and a model pays for each.
 * @param {import('../../index.js').RunStats} stats
 * @returns {import('../../index.js').RunStats}
 */
function rounded(stats) {
  const entries = Object.entries(stats).map(([key, value]) => [key, Math.round(value * 100) / 100]);
  return Object.fromEntries(entries);
}

/**
 * Of a thrown error a model sees the message only, so the code has to be in it.
 * @param {unknown} error
 */
export function withCodeInMessage(error) {
  if (error instanceof TGPError && !error.message.includes(error.code)) {
    error.message = `${error.message} [${error.code}]`;
  }
  return error;
}
