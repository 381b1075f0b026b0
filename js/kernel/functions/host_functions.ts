/** Functions of the application and the kernel that guests may call. */

import { AsyncResource } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import type { BindingError } from '../../../binding.cjs';
import { AbortedError, ValidationError } from '../../boundary/errors.js';
import { parseForeignJson } from '../../boundary/foreign_json.js';
import { isSettled, settled } from '../../boundary/foreign_promise.js';
import { toJsonText } from '../../boundary/json_text.js';
import { described } from '../../boundary/thrown.js';
import type { SqlDetail } from '../../sql/adapter.js';
import type { OpenTables } from '../../sql/catalogue/table_visibility.js';
import type { DryRunResult } from '../../types/dry_run.js';
import type { SqlDialect } from '../../types/sql.js';
import type { ApplicationFunction } from './application_functions.js';
import { currentCall, onBehalfOf } from './function_context.js';

type Answer = (id: number, value?: string, error?: BindingError) => void;
type TransactionEnd = 'commit' | 'rollback';
/** A request of the native part. */
type HostCall = {
  id: number;
  /** The outermost run. */
  runId: number;
  /** The nearest run that was started from JavaScript: `runId`, or a run nested in it. */
  contextId: number;
  /** The run that waits for the answer: one of these, or a run nested in them. */
  callerId: number;
  /** The nested runs from below `runId` down to `callerId`. */
  nesting: number[];
  /** `commit` and `rollback` end the transaction of the waiting run. */
  kind: 'call' | TransactionEnd;
  name: string;
  /** A JSON array. */
  args: string;
};
/** A call of a function by a run. */
export type CallOf = {
  /** The outermost run. */
  runId: number;
  /** The nearest run that was started from JavaScript. */
  contextId: number;
  /** The run that waits for the answer. */
  callerId: number;
  /** The runs from the outermost one down to the waiting one. */
  nesting: number[];
  /** What the policy inspects in SQL. */
  sqlDetail: () => SqlDetail;
  /** Which tables the policy allows. */
  openTables: OpenTables | undefined;
  /** Fires when the run has ended. */
  signal: AbortSignal;
  /** Whether the function is still running. */
  function: { isOpen: boolean };
};
/** A function that guests may call. */
type Served<Values extends unknown[] = unknown[]> = (call: CallOf, values: Values) => unknown;
/** A run started from JavaScript. */
type RunContext = {
  /** The async context of its caller, so that functions see the current request. */
  caller: AsyncResource;
  /** The run whose function call has started it. */
  above: number | undefined;
  /** Aborts its calls when it ends. */
  end?: AbortController;
  /** Collects the statements of a dry run. */
  sql?: DryRunResult['sql'];
  /** What the policy inspects in its SQL. */
  sqlDetail?: () => SqlDetail;
  /** Which tables the policy allows. */
  openTables?: OpenTables;
  /** Fires at the end of this run or of a parent. */
  signal?: AbortSignal;
};

/** Maximum length of an answer as JSON: more than fits into a guest's memory. */
const MAX_ANSWER_CHARS = 16 << 20;

const OVER = 'The run is over.';
const noSqlDetail = (): SqlDetail => 'nothing';
/** Run id of calls without a run. */
const NO_RUN = 0;

/** The registry of functions that guests may call, and of callbacks at the end of runs. */
export class HostFunctions {
  #functions = new Map<string, Served>();
  /** Names that a dry run may call. */
  #dry = new Set<string>();
  #finishers: ((runId: number, end: TransactionEnd) => unknown)[] = [];
  #nestedFinishers: ((runId: number, nested: number, end: TransactionEnd) => unknown)[] = [];
  #contexts = new Map<number, RunContext>();
  /** Dialect of `exec_sql`, if there is a database. */
  sqlDialect: SqlDialect | undefined;
  /** Identifies these functions in objects that outlive them. */
  #token = Object.freeze({});

  /** @param own the application's */
  constructor(own = new Map<string, ApplicationFunction>()) {
    for (const [name, { call, readOnly }] of own) {
      if (readOnly) this.#dry.add(name);
      this.#functions.set(name, ({ contextId, callerId, signal, function: own }, values) => {
        const asked = { kernel: this.#token, runId: callerId, contextId, function: own };
        return onBehalfOf(asked, () => call.apply({ signal }, values));
      });
    }
  }

  /** Names on the guest's `tgp`. Names with `#` are internal to the kernel. */
  get names() {
    return [...this.#functions.keys()].filter((name) => !name.startsWith('#'));
  }

  /** Names that a dry run may call: read-only functions, and ones that are rolled back. */
  get dryNames() {
    return this.names.filter((name) => this.#dry.has(name));
  }

  /**
   * The list of statements of a dry run; undefined for other runs.
   * @param runId an outermost run
   */
  sqlOf(runId: number) {
    return this.#contexts.get(runId)?.sql;
  }

  /**
   * Adds a function that receives its run. An application function of the same name takes precedence.
   * @param fn with the arguments that its caller, the native part or `tgp`, passes
   * @returns whether it was added
   */
  add<Values extends unknown[]>(name: string, fn: Served<Values>): boolean {
    if (this.#functions.has(name)) return false;
    this.#functions.set(name, fn as Served);
    this.#dry.add(name);
    return true;
  }

  /** Adds a callback for the end of every run that has called a function. */
  onFinish(finisher: (runId: number, end: TransactionEnd) => unknown) {
    this.#finishers.push(finisher);
  }

  /** Adds a callback for the end of every nested run that has called a function. */
  onNestedFinish(finisher: (runId: number, nested: number, end: TransactionEnd) => unknown) {
    this.#nestedFinishers.push(finisher);
  }

  /** The run that waits for the current application function; undefined outside of one. */
  get waitingRun() {
    return currentCall(this.#token)?.runId;
  }

  /** Whether the current code runs inside an application function that has not returned. */
  get isInFunction() {
    return currentCall(this.#token)?.function.isOpen === true;
  }

  /** Does `work` as run `runId` of the current caller. */
  async during<T>(runId: number, work: () => Promise<T>, facts?: Pick<RunContext, 'sql' | 'sqlDetail' | 'openTables'>) {
    // `AsyncLocalStorage.snapshot` would do the same, but cost a quarter of the time of a run on this thread.
    const caller = new AsyncResource('tgp.run', { requireManualDestroy: true });
    const context: RunContext = { caller, above: currentCall(this.#token)?.contextId, ...facts };
    this.#contexts.set(runId, context);
    try {
      return await work();
    } finally {
      this.#contexts.delete(runId);
      context.end?.abort(new AbortedError(OVER));
    }
  }

  /** Cancels the pending calls of a run and refuses further ones. */
  cancel(runId: number) {
    this.#end(runId, 'The run was aborted.');
  }

  /** Handles a call of the native part and always answers it. */
  async serve({ id, runId, contextId, callerId, nesting, kind, name, args }: HostCall, answer: Answer) {
    try {
      const context = this.#contexts.get(contextId);
      const call = () => {
        const { sqlDetail = noSqlDetail, openTables } = context ?? {};
        const signal = this.#signalOf(contextId, runId);
        const own = { isOpen: true };
        const asked = { runId, contextId, callerId, nesting, sqlDetail, openTables, signal, function: own };
        return this.#call(asked, name, args);
      };
      const end = (how: TransactionEnd) =>
        nesting.length > 0 ? this.#finishNested(runId, callerId, how) : this.#finish(runId, how);
      const work = () => (kind === 'call' ? call() : end(kind));
      const { value } = await (context ? context.caller.runInAsyncScope(work) : work());
      // Empty text represents `undefined`.
      const text =
        value === undefined ? '' : toJsonText(value, `the answer of tgp.${name}`, { maxChars: MAX_ANSWER_CHARS });
      answer(id, text);
    } catch (error) {
      answer(id, undefined, described(error));
    }
  }

  /** @returns wrapped, so that a thenable value is not awaited */
  async #call(call: CallOf, name: string, args: string): Promise<{ value?: unknown }> {
    call.signal.throwIfAborted();
    try {
      const values = parseForeignJson(args);
      if (!Array.isArray(values)) throw new ValidationError(`The arguments of tgp.${name} are not a list.`);
      const given = this.#functions.get(name)?.(call, values);
      return { value: isSettled(given) ? given : await settled(given) };
    } finally {
      call.function.isOpen = false;
    }
  }

  /** A signal that fires when a run, which is `rootId` or nested in it, has ended. */
  #signalOf(runId: number, rootId: number): AbortSignal {
    const context = this.#contexts.get(runId);
    if (context === undefined) {
      // Internal calls of the kernel have no run and are never aborted. The runs of other calls have already ended.
      return runId === NO_RUN ? new AbortController().signal : AbortSignal.abort(new AbortedError(OVER));
    }
    const { signal } = endOf(context);
    if (runId === rootId) return signal;
    if (context.signal === undefined) {
      context.signal = AbortSignal.any([signal, this.#signalOf(context.above ?? rootId, rootId)]);
      setMaxListeners(0, context.signal);
    }
    return context.signal;
  }

  #end(runId: number, why: string) {
    const context = this.#contexts.get(runId);
    if (context) endOf(context).abort(new AbortedError(why));
  }

  async #finish(runId: number, end: TransactionEnd): Promise<{ value?: unknown }> {
    this.#end(runId, OVER);
    for (const finisher of this.#finishers) await finisher(runId, end);
    return {};
  }

  async #finishNested(runId: number, nested: number, end: TransactionEnd): Promise<{ value?: unknown }> {
    for (const finisher of this.#nestedFinishers) await finisher(runId, nested, end);
    return {};
  }
}

function endOf(context: RunContext) {
  if (context.end === undefined) {
    context.end = new AbortController();
    // All calls of a run share one signal, so many listeners are not a leak.
    setMaxListeners(0, context.end.signal);
  }
  return context.end;
}
