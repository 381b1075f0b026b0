/** Runs of tools, code and tests. */

import type { Caller } from '../../boundary/caller.js';
import { isForModel } from '../../boundary/caller.js';
import { requireText } from '../../boundary/validation.js';
import type { Tracing } from '../../telemetry/telemetry.js';
import type { DryRunResult } from '../../types/dry_run.js';
import type { ExecOptions, ExecResult, ExecToolOptions } from '../../types/runs.js';
import type { TestOptions } from '../../types/tests.js';
import { combinedTestApproval } from '../approvals/test_approval.js';
import { nextCallNumber } from '../calls/call_numbers.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { outcomeValue } from '../calls/kernel_calls.js';
import type { KernelRuntime } from '../kernel_runtime.js';
import { previewedRun } from './dry_run.js';
import { argumentsText, plainly, readExecOptions } from './exec_options.js';
import { fitted, withType } from './fitted_arguments.js';
import { runTests } from './run_tests.js';
import type { Runnable } from './runnable.js';
import { codeRun, toolRun } from './runnable.js';

/** Starts runs of tools, code and tests on behalf of a caller. */
export class RunStarter {
  #runtime;
  #calls;

  constructor(runtime: KernelRuntime, calls: KernelCalls) {
    this.#runtime = runtime;
    this.#calls = calls;
  }

  /** May throw before it returns a promise. */
  tool(path: string, args: unknown, options: ExecToolOptions | undefined, caller: Caller | undefined) {
    requireText(path, 'path');
    return typed(this.#run(toolRun(path), args, options === undefined ? undefined : plainly(options), caller));
  }

  async code(code: string, args: unknown, options: ExecToolOptions | undefined, caller: Caller | undefined) {
    requireText(code, 'code');
    return typed(this.#run(codeRun(code), args, options === undefined ? undefined : plainly(options), caller));
  }

  /** Runs a tool for an agent, with arguments from a model. */
  async toolFor(path: string, args: unknown = {}, options: ExecOptions, caller: Caller) {
    requireText(path, 'path');
    const given = plainly(options);
    return fitted((fitting) => this.#run(toolRun(path), fitting, given, caller), args);
  }

  /**
   * Converts arguments from a model for the current text of a tool.
   * @throws ValidationError if it does not take them
   */
  async argumentsOf(path: string, args: unknown): Promise<unknown> {
    return fitted(async (fitting) => {
      const text = argumentsText(fitting);
      await this.#calls.read((kernel) => kernel.fitArguments(path, text));
      return fitting;
    }, args);
  }

  /** Runs code for an agent. */
  async codeFor(code: string, args: unknown = {}, options: ExecOptions, caller: Caller) {
    requireText(code, 'code');
    const given = plainly(options);
    return fitted((fitting) => this.#run(codeRun(code), fitting, given, caller), args);
  }

  async tests(path: string | undefined, options: TestOptions | undefined, caller: Caller | undefined) {
    let runner = caller;
    return runTests(
      path,
      options,
      async (given, signal) => {
        const tests = await this.#calls.readFor(
          (kernel, callerText) => kernel.testFiles(given, callerText),
          caller,
          signal,
        );
        if (tests.length > 1) runner = this.#askedOnce(path, caller);
        return tests;
      },
      (test, limits) => this.#run(test, {}, limits, runner),
      (test) => {
        const asked = { tool: 'accept_test', caller, path: test };
        return this.#calls.change((kernel, callerText) => kernel.acceptTest(test, callerText), options?.signal, asked);
      },
      {
        isHeld: isForModel(caller) && (caller?.mode ?? this.#runtime.config.mode) !== 'explore',
        by: this.#runtime.gate.withRequest(caller)?.token === undefined ? 'open' : 'token',
      },
    );
  }

  /** The caller with an approver that is asked once for all tests of a call. */
  #askedOnce(path: string | undefined, caller: Caller | undefined): Caller | undefined {
    const { gate } = this.#runtime;
    if (caller === undefined || caller.answered?.() !== undefined) return caller;
    const approve = gate.approverOf(gate.withRequest(caller));
    if (approve === undefined) return caller;
    const named = path === undefined ? {} : { path };
    const judge = () => this.#calls.judge({ tool: 'test_tool', effect: 'run', args: named, caller, ...named });
    const once = combinedTestApproval(judge, approve, path);
    return { ...caller, answered: () => once };
  }

  /**
   * @param options a private copy
   * @returns the result, or with `dryRun` its preview
   */
  #run(
    runnable: Runnable,
    args: unknown,
    options: ExecToolOptions | undefined,
    caller: Caller | undefined,
  ): Promise<ExecResult | DryRunResult> {
    if (options?.dryRun !== true) return this.#begin(runnable, args, options, caller);
    const sql: DryRunResult['sql'] = [];
    return previewedRun(this.#begin(runnable, args, options, caller, sql), sql);
  }

  /** @param sql collects the statements of a dry run */
  #begin(
    { tool, path, more, start: startRun }: Runnable,
    args: unknown,
    options: ExecToolOptions | undefined,
    given: Caller | undefined,
    sql?: DryRunResult['sql'],
  ): Promise<ExecResult> {
    const caller = this.#runtime.gate.withRequest(given);
    // Read now: the function may have returned when the run begins.
    const { isInFunction } = this.#runtime;
    const run = (tracing: Tracing) => {
      const { signal, textWith } = readExecOptions(options, caller, tracing, more);
      const argsText = argumentsText(args);
      const runId = nextCallNumber();
      return this.#calls.withKernel(async (kernel) => {
        const { functions, runs, gate } = this.#runtime;
        this.#runtime.inspect(kernel);
        const cancel = () => {
          functions.cancel(runId);
          kernel.cancel(runId);
        };
        const start = (approval: string | undefined) => {
          const begin = () => startRun(kernel, runId, argsText, textWith(approval, isInFunction), functions.waitingRun);
          const sqlDetail = () => this.#calls.sqlDetail(caller);
          const facts = { sql, sqlDetail, openTables: this.#calls.openTables(() => caller) };
          return functions.during(runId, () => runs.wait(runId, begin, cancel, signal), facts);
        };
        const outcome = await gate.during(runId, caller?.approve, () => gate.pass(kernel, start, caller, signal));
        return outcomeValue(outcome, signal);
      }, signal);
    };
    const { telemetry } = this.#runtime;
    if (!telemetry.isOn()) return run('untraced');
    return telemetry.run({ tool, caller, path, effect: 'run', args }, undefined, run);
  }
}

/** Names the type that a tool takes, if it refuses its arguments. */
async function typed<Value>(run: Promise<Value>): Promise<Value> {
  try {
    return await run;
  } catch (error) {
    throw withType(error, 'as they are');
  }
}
