/** The common wrapper of agent tools. */

import { signalOf } from '../boundary/abort.js';
import { TGPError, ValidationError } from '../boundary/errors.js';
import type { DryRunResult } from '../types/dry_run.js';
import type { ExecResult, LogEntry, RunStats } from '../types/runs.js';
import type { AgentTool, ExecToolResult, ToolCallOptions } from '../types/tools.js';

/** Whether the call is made or is a dry run. */
export type CallMode = 'real' | 'dry';

/** Details of a failed run. */
type FailureDetails = { logs?: LogEntry[]; stack?: string; line?: number; column?: number };
/** A run or its dry run. */
type Run = Promise<ExecResult | DryRunResult>;
/** The report of a run, or the preview of a dry run. */
type Report = (ExecToolResult & { dryRun?: undefined }) | DryRunResult;

/** @param schema a universal schema */
export function agentTool<Args, Result>(
  description: string,
  schema: object,
  run: (args: Args, signal: AbortSignal | undefined, mode: CallMode) => Promise<Result>,
): AgentTool {
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

function modeOf(options: (ToolCallOptions & { dryRun?: unknown }) | undefined): CallMode {
  try {
    const dryRun = options?.dryRun;
    if (dryRun === undefined || typeof dryRun === 'boolean') return dryRun === true ? 'dry' : 'real';
  } catch {
    // An unreadable option must not become a real call.
  }
  throw new ValidationError('"dryRun" must be true or false.', { details: { field: 'dryRun' } });
}

/** The outcome of a run as data: a failure is returned, not thrown, so that a model can repair the tool. */
export async function report(run: Run): Promise<Report> {
  try {
    const done = await run;
    if ('dryRun' in done) return done;
    const { stats, ...outcome } = done;
    return { success: true, ...outcome, stats: rounded(stats) };
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    const { logs = [], stack, line, column } = error.details as FailureDetails;
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

/** Rounds to two decimals and omits the time of loading no packages, which saves tokens. */
function rounded({ packageLoadMs = 0, ...stats }: RunStats): RunStats {
  const shown = packageLoadMs > 0 ? { packageLoadMs, ...stats } : stats;
  const entries = Object.entries(shown).map(([key, value]) => [key, Math.round(value * 100) / 100]);
  return Object.fromEntries(entries);
}

/** Adds the code to the message, because models see only the message of a thrown error. */
export function withCodeInMessage(error: unknown) {
  if (error instanceof TGPError && !error.message.includes(error.code)) {
    error.message = `${error.message} [${error.code}]`;
  }
  return error;
}
