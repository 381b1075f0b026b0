/** The common wrapper of agent tools. */

import { signalOf } from '../boundary/abort.js';
import { TGPError, ValidationError } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').ExecToolResult} ExecToolResult
 * @typedef {import('../../index.js').DryRunResult} DryRunResult
 * @typedef {'real' | 'dry'} Mode whether the call is made or is a dry run
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
    // An unreadable option must not become a real call.
  }
  throw new ValidationError('"dryRun" must be true or false.', { details: { field: 'dryRun' } });
}

/**
 * The outcome of a run as data: a failure is returned, not thrown, so that a model can repair the tool.
 * @param {Promise<any>} run the run or its dry run
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
 * Rounds to two decimals, which saves tokens.
 * @param {import('../../index.js').RunStats} stats
 * @returns {import('../../index.js').RunStats}
 */
function rounded(stats) {
  const entries = Object.entries(stats).map(([key, value]) => [key, Math.round(value * 100) / 100]);
  return Object.fromEntries(entries);
}

/**
 * Adds the code to the message, because models see only the message of a thrown error.
 * @param {unknown} error
 */
export function withCodeInMessage(error) {
  if (error instanceof TGPError && !error.message.includes(error.code)) {
    error.message = `${error.message} [${error.code}]`;
  }
  return error;
}
