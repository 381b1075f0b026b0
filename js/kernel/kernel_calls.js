/** Calls to the native kernel on behalf of a caller. */

import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { unwrap } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { KERNEL_CALLS } from '../boundary/kernel_tools.js';
import { described } from '../boundary/thrown.js';
import { withoutGit } from '../files/without_git.js';
import { nextCallNumber } from './call_numbers.js';
import { keepingAlive } from './kernel_resources.js';

/**
 * @template Value
 * @typedef {(kernel: NativeKernel, caller: string | undefined) => Promise<import('../boundary/typed_native.js').Outcome<Value>>} Start
 * `caller` identifies the caller to the native part
 */

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {<Done>(change: () => Promise<Done>) => Promise<Done>} During makes a change and notifies listeners of the tools
 * @typedef {{ session?: string, model?: string, agent?: string, id?: string, token?: string, approve?: import('../../index.js').Approve, dryRun?: boolean, mode?: import('../../index.js').Mode, answered?: () => import('../../index.js').Approve | undefined }} Caller
 * the caller: session, model and agent, its approver, and the approver of the current call
 * @typedef {{ tool: string, caller?: Caller, path?: string, effect?: string, args?: unknown }} CallInfo a call as recorded in the ledger
 * @typedef {CallInfo & { effect: string, changes: boolean, args: unknown }} OwnCall a call that JavaScript executes itself
 */

/** @type {Map<string, string>} */
const EFFECTS = new Map(Object.entries(KERNEL_CALLS).map(([tool, { effect }]) => [tool, effect]));

/** Executes calls on the booted native kernel, with synchronised files. */
export class KernelCalls {
  #life;
  #during;
  #log;

  /**
   * @param {import('./lifecycle.js').Lifecycle} life
   * @param {During} during
   * @param {import('../../index.js').Logger} log
   */
  constructor(life, during, log) {
    this.#life = life;
    this.#during = during;
    this.#log = log;
  }

  /** Throws between a shutdown and the next boot. */
  refuseWhenDown() {
    this.#life.refuseWhenDown();
  }

  /** The native kernel, without waiting; undefined before the boot. */
  get running() {
    return this.#life.running;
  }

  /** Whether the running kernel sees the current files, without synchronising an application's adapter first. */
  get isLevel() {
    return this.#life.running !== undefined && this.#life.mirror === undefined;
  }

  /**
   * Makes a call that reads.
   * @template Value
   * @param {Start<Value>} start
   * @param {AbortSignal} [signal]
   * @param {CallInfo} [asked] the call to record, if it is made on behalf of a caller
   * @returns {Promise<Value>}
   */
  async read(start, signal, asked) {
    return this.reach((kernel) => this.#begin(kernel, start, signal, asked), signal);
  }

  /**
   * Does work with the booted kernel. The work passes the gate itself, if required.
   * @template Value
   * @param {(kernel: NativeKernel) => Promise<Value>} work
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Value>}
   */
  reach(work, signal) {
    return keepingAlive(this.#life, async () => {
      throwIfAborted(signal);
      // With a signal the work starts later: an abort in the same turn of the event loop then starts nothing.
      const running = signal === undefined ? this.#life.running : undefined;
      const kernel = running ?? (await untilAborted(this.#life.ready(), signal));
      if (this.#life.mirror) await untilAborted(this.#life.mirror.refresh(), signal);
      throwIfAborted(signal);
      return await work(kernel);
    });
  }

  /**
   * A read on behalf of a caller, as part of a later call.
   * @template Value
   * @param {Start<Value>} start
   * @param {Caller | undefined} caller
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Value>}
   */
  readFor(start, caller, signal) {
    return this.read((kernel) => start(kernel, this.#callerText(0, this.#life.gate.presentCaller(caller))), signal);
  }

  /**
   * A call that writes no files, but may change the list of tools.
   * @template Value
   * @param {Start<Value>} start
   */
  register(start) {
    return this.#during(() => this.read(start));
  }

  /**
   * A call that writes files. It resolves after an application's adapter has the change too.
   * @template {object} Value
   * @param {Start<Value>} start
   * @param {AbortSignal} [signal]
   * @param {CallInfo} [asked]
   * @returns {Promise<Value>}
   */
  async change(start, signal, asked) {
    return keepingAlive(this.#life, async () => {
      throwIfAborted(signal);
      const kernel = await untilAborted(this.#life.ready(), signal);
      const change = () => this.#begin(kernel, start, signal, asked);
      return this.#during(async () => {
        const { mirror } = this.#life;
        if (!mirror) return change();
        const done = await mirror.write(change);
        return this.#life.config.git.repo === undefined ? withoutGit(done) : done;
      });
    });
  }

  /**
   * Receives changes from the remote, and logs the warnings.
   * @param {Start<import('../boundary/crossing.js').Incoming>} start
   * @param {CallInfo} asked
   * @returns {Promise<{ changed: string[] }>}
   */
  async receive(start, asked) {
    const { changed, warnings } = await this.change(start, undefined, asked);
    for (const warning of warnings) this.#log.warn(warning);
    return { changed };
  }

  /**
   * A call that JavaScript executes itself, with the same policy, approval and recording as native calls.
   * @template Value
   * @param {OwnCall} asked
   * @param {() => Promise<Value>} work
   * @returns {Promise<Value>}
   */
  async own(asked, work) {
    return keepingAlive(this.#life, async () => {
      const kernel = await this.#life.ready();
      const { tool, effect, changes, args, path } = asked;
      const caller = this.#life.gate.presentCaller(asked.caller);
      const number = nextCallNumber();
      const call = {
        number,
        tool,
        effect,
        changes,
        path,
        args: toJsonText(args, 'args', { nonFiniteNumbers: 'null' }),
      };
      const enter = async (/** @type {string | undefined} */ approval) =>
        kernel.enter({ ...call, caller: this.#callerText(number, caller, approval) });
      unwrap(await this.#life.gate.pass(kernel, enter, caller, undefined));
      return this.#observed(kernel, number, asked, () => recorded(kernel, number, work));
    });
  }

  /**
   * One call that the native part begins and JavaScript completes.
   * @template Begun, Value
   * @param {CallInfo} asked
   * @param {(kernel: NativeKernel, caller: string) => Promise<import('../boundary/typed_native.js').Outcome<Begun>>} start
   * @param {(begun: Begun) => Promise<Value>} work
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Value>}
   */
  async continued(asked, start, work, signal) {
    return this.reach((kernel) => {
      const number = nextCallNumber();
      const caller = this.#life.gate.presentCaller(asked.caller);
      const ask = (/** @type {string | undefined} */ approval) =>
        start(kernel, this.#callerText(number, caller, approval));
      return this.#observed(kernel, number, asked, async () => {
        const begun = unwrap(await this.#life.gate.pass(kernel, ask, caller, signal));
        return recorded(kernel, number, () => work(begun));
      });
    }, signal);
  }

  /**
   * Evaluates a call without making it.
   * @param {Omit<OwnCall, 'changes'>} asked
   */
  async judge({ tool, effect, args, caller: given, path }) {
    const caller = this.#life.gate.presentCaller(given);
    const call = { tool, effect, changes: false, path, args: toJsonText(args, 'args', { nonFiniteNumbers: 'null' }) };
    return this.read(async (kernel) => kernel.judge({ ...call, number: 0, caller: this.#callerText(0, caller) }));
  }

  /**
   * The tools for the prompt of a caller; undefined before the boot, and for a denied token.
   * @param {number} limit
   * @param {Caller | undefined} caller
   */
  catalogue(limit, caller) {
    const { running } = this.#life;
    const listed = running?.catalogue(limit, this.#callerText(0, caller));
    return listed === undefined || listed.error?.code === 'ERR_DENIED' ? undefined : unwrap(listed);
  }

  /**
   * For each tool, with the path of a forged one: whether it is visible to the caller, by the policy and the token of the request.
   * @param {[string, string | null][]} tools
   * @param {Caller | undefined} given
   */
  async shownTools(tools, given) {
    return this.coveredTools(tools, this.#life.gate.presentCaller(given));
  }

  /**
   * The same for a given token, regardless of the current request.
   * @param {[string, string | null][]} tools
   * @param {Caller | undefined} caller
   */
  coveredTools(tools, caller) {
    return this.read((kernel) => kernel.shownTools(this.#callerText(0, caller), JSON.stringify(tools)));
  }

  /**
   * The most useful forged tools that are visible to a caller.
   * @param {{ after: number, offered: string[], limit: number, counted: boolean }} wanted
   * @param {Caller | undefined} caller
   */
  offeredTools({ after, offered, limit, counted }, caller) {
    return this.read((kernel) => kernel.offeredTools(this.#callerText(0, caller), after, offered, limit, counted));
  }

  /**
   * Which details of SQL statements the policy and the token of a caller inspect.
   * @param {Caller | undefined} caller
   * @returns {import('../sql/adapter.js').SqlDetail}
   */
  sqlDetail(caller) {
    if (!this.#life.isJudged && caller?.token === undefined) return 'nothing';
    const kernel = this.#life.running;
    // The policy is not available while the kernel stops, so everything is checked.
    if (!kernel) return 'tables';
    const callerText = { number: 0, ...(caller?.token !== undefined && { token: caller.token }) };
    return /** @type {any} */ (unwrap(kernel.sqlDetail(JSON.stringify(callerText))));
  }

  /**
   * Which tables the policy and the token of a caller allow.
   * @param {() => Caller | undefined} present
   * @returns {import('../sql/table_visibility.js').OpenTables}
   */
  openTables(present) {
    return async (dialect, tables, verbs) => {
      const caller = present();
      if (this.sqlDetail(caller) !== 'tables') return tables.map(() => true);
      const callerText = this.#callerText(0, caller);
      const pairs = JSON.stringify(tables.map(({ schema, name }) => [name, schema]));
      return this.read((kernel) => kernel.openTables(callerText, dialect, pairs, verbs?.join(' ')));
    };
  }

  /**
   * Starts a call, unless the signal has fired.
   * @template Value
   * @param {NativeKernel} kernel
   * @param {Start<Value>} start
   * @param {AbortSignal | undefined} signal
   * @param {CallInfo | undefined} asked
   * @returns {Promise<Value>}
   */
  async #begin(kernel, start, signal, asked) {
    throwIfAborted(signal);
    const number = nextCallNumber();
    const caller = this.#life.gate.presentCaller(asked?.caller);
    const work = async () => {
      const ask = (/** @type {string | undefined} */ approval) =>
        start(kernel, this.#callerText(number, caller, approval));
      return outcomeValue(await this.#life.gate.pass(kernel, ask, caller, signal), signal);
    };
    return asked === undefined ? work() : this.#observed(kernel, number, asked, work);
  }

  /**
   * @template Value
   * @param {NativeKernel} kernel
   * @param {number} number
   * @param {CallInfo} asked
   * @param {() => Promise<Value>} work
   * @returns {Promise<Value>}
   */
  #observed(kernel, number, asked, work) {
    const { telemetry } = this.#life;
    if (!telemetry.isOn()) return work();
    return telemetry.call({ effect: EFFECTS.get(asked.tool), ...asked }, kernel.callName(number), work);
  }

  /**
   * The caller, encoded for the native part.
   * @param {number} number
   * @param {Caller} [caller]
   * @param {string} [approval] the id of an approval of the call
   */
  #callerText(number, caller, approval) {
    const parent = this.#life.functions.waitingRun;
    const { approve: _, answered: __, ...named } = caller ?? {};
    /** @type {import('../boundary/crossing.js').Caller} */
    const callerText = { number, ...named, ...(parent !== undefined && { parent }), ...(approval && { approval }) };
    return JSON.stringify(callerText);
  }
}

/**
 * The value of an outcome. An error caused by the signal has its reason as cause.
 * @template Value
 * @param {import('../boundary/typed_native.js').Outcome<Value>} outcome
 * @param {AbortSignal | undefined} signal
 */
export function outcomeValue(outcome, signal) {
  return unwrap(outcome, outcome.error?.code === 'ERR_ABORTED' ? { cause: signal?.reason } : {});
}

/**
 * Does the work of a call and records its result.
 * @template Value
 * @param {NativeKernel} kernel
 * @param {number} number
 * @param {() => Promise<Value>} work
 * @returns {Promise<Value>}
 */
async function recorded(kernel, number, work) {
  try {
    const value = await work();
    await kernel.leave(number, shownResult(value), undefined);
    return value;
  } catch (error) {
    await kernel.leave(number, undefined, described(error));
    throw error;
  }
}

/**
 * A result as JSON for the ledger; null if it is not serialisable.
 * @param {unknown} value
 */
function shownResult(value) {
  try {
    return toJsonText(value, 'result', { nonFiniteNumbers: 'null' });
  } catch {
    return 'null';
  }
}
