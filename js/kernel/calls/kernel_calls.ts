/** Calls to the native kernel on behalf of a caller. */

import { throwIfAborted, untilAborted } from '../../boundary/abort.js';
import type { Caller, CallInfo } from '../../boundary/caller.js';
import type { Incoming, KernelReads, Caller as NativeCaller } from '../../boundary/crossing.js';
import { toJsonText, wellFormedJson } from '../../boundary/json_text.js';
import { KERNEL_TOOL_FACTS } from '../../boundary/kernel_tool_facts.js';
import { described } from '../../boundary/thrown.js';
import type { NativeKernel, NativeOutcome } from '../../boundary/typed_native.js';
import { unwrap } from '../../boundary/unwrap.js';
import { withoutGit } from '../../files/vfs_mirror.js';
import type { SqlDetail } from '../../sql/adapter.js';
import type { OpenTables } from '../../sql/catalogue/table_visibility.js';
import type { DescribedCall } from '../../tool_shape/tool_owner.js';
import type { Logger } from '../../types/kernel.js';
import { keepingAlive } from '../kernel_resources.js';
import type { KernelRuntime } from '../kernel_runtime.js';
import { nextCallNumber } from './call_numbers.js';

/** Begins a call of the native part. `caller` is the `Caller` as JSON. */
type Start<Value> = (kernel: NativeKernel, caller: string | undefined) => Promise<NativeOutcome<Value>>;

/** Makes a change and notifies listeners of the tools. */
type During = <Done>(change: () => Promise<Done>) => Promise<Done>;
/** A call that JavaScript executes itself. */
export type OwnCall = DescribedCall & { caller?: Caller; changes: boolean };

const EFFECTS = new Map<string, string>(Object.entries(KERNEL_TOOL_FACTS).map(([tool, { effect }]) => [tool, effect]));

/** Executes calls on the booted native kernel, with synchronised files. */
export class KernelCalls {
  #runtime;
  #during;
  #log;

  constructor(runtime: KernelRuntime, during: During, log: Logger) {
    this.#runtime = runtime;
    this.#during = during;
    this.#log = log;
  }

  /** Throws between a shutdown and the next boot. */
  refuseWhenDown() {
    this.#runtime.refuseWhenDown();
  }

  /** The native kernel, without waiting; undefined before the boot. */
  get running() {
    return this.#runtime.running;
  }

  /** Whether the running kernel sees the current files, without synchronising an application's adapter first. */
  get hasCurrentFiles() {
    return this.#runtime.running !== undefined && this.#runtime.mirror === undefined;
  }

  /**
   * Makes a call that reads.
   * @param asked the call to record, if it is made on behalf of a caller
   */
  async read<Value>(start: Start<Value>, signal?: AbortSignal, asked?: CallInfo): Promise<Value> {
    return this.withKernel((kernel) => this.#begin(kernel, start, signal, asked), signal);
  }

  /** Calls a kernel tool that only reads. An argument that is `null` is recorded, one that is `undefined` is not. */
  readTool<Tool extends keyof KernelReads>(
    tool: Tool,
    args: Record<string, unknown>,
    caller: Caller | undefined,
    signal?: AbortSignal,
  ): Promise<KernelReads[Tool]> {
    const text = wellFormedJson(args);
    const path = args[KERNEL_TOOL_FACTS[tool].path ?? ''];
    const call = { tool, caller, args, ...(typeof path === 'string' && { path }) };
    return this.read((kernel, callerText) => kernel.read(tool, text, callerText), signal, call);
  }

  /** Does work with the booted kernel. The work passes the gate itself, if required. */
  withKernel<Value>(work: (kernel: NativeKernel) => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const { running, mirror } = this.#runtime;
    // With a signal the work starts later: an abort in the same turn of the event loop then starts nothing.
    if (running !== undefined && mirror === undefined && signal === undefined) {
      return keepingAlive(this.#runtime, () => work(running));
    }
    return keepingAlive(this.#runtime, async () => {
      throwIfAborted(signal);
      const kernel = (signal === undefined && running) || (await untilAborted(this.#runtime.ready(), signal));
      if (this.#runtime.mirror) await untilAborted(this.#runtime.mirror.refresh(), signal);
      throwIfAborted(signal);
      return await work(kernel);
    });
  }

  /** A read on behalf of a caller, as part of a later call. */
  readFor<Value>(start: Start<Value>, caller: Caller | undefined, signal: AbortSignal | undefined): Promise<Value> {
    return this.read((kernel) => start(kernel, this.#callerText(0, this.#runtime.gate.withRequest(caller))), signal);
  }

  /** A call that writes no files, but may change the list of tools. */
  register<Value>(start: Start<Value>) {
    return this.#during(() => this.read(start));
  }

  /** A call that writes files. It resolves after an application's adapter has the change too. */
  async change<Value extends object>(start: Start<Value>, signal?: AbortSignal, asked?: CallInfo): Promise<Value> {
    return keepingAlive(this.#runtime, async () => {
      throwIfAborted(signal);
      const kernel = await untilAborted(this.#runtime.ready(), signal);
      const change = () => this.#begin(kernel, start, signal, asked);
      return this.#during(async () => {
        const { mirror } = this.#runtime;
        if (!mirror) return change();
        const done = await mirror.write(change);
        return this.#runtime.config.git.repo === undefined ? withoutGit(done) : done;
      });
    });
  }

  /** Receives changes from the remote, and logs the warnings. */
  async receive(start: Start<Incoming>, asked: CallInfo): Promise<{ changed: string[] }> {
    const { changed, warnings } = await this.change(start, undefined, asked);
    for (const warning of warnings) this.#log.warn(warning);
    return { changed };
  }

  /** A call that JavaScript executes itself, with the same policy, approval and recording as native calls. */
  async own<Value>(asked: OwnCall, work: () => Promise<Value>): Promise<Value> {
    return keepingAlive(this.#runtime, async () => {
      const kernel = await this.#runtime.ready();
      const { tool, effect, changes, args, path } = asked;
      const caller = this.#runtime.gate.withRequest(asked.caller);
      const number = nextCallNumber();
      const call = {
        number,
        tool,
        effect,
        changes,
        path,
        args: toJsonText(args, 'args', { nonFiniteNumbers: 'null' }),
      };
      const enter = async (approval: string | undefined) =>
        kernel.enter({ ...call, caller: this.#callerText(number, caller, approval) });
      unwrap(await this.#runtime.gate.pass(kernel, enter, caller, undefined));
      return this.#observed(kernel, number, asked, () => recorded(kernel, number, work));
    });
  }

  /** One call that the native part begins and JavaScript completes. */
  async continued<Begun, Value>(
    asked: CallInfo,
    start: (kernel: NativeKernel, caller: string) => Promise<NativeOutcome<Begun>>,
    work: (begun: Begun) => Promise<Value>,
    signal: AbortSignal | undefined,
  ): Promise<Value> {
    return this.withKernel((kernel) => {
      const number = nextCallNumber();
      const caller = this.#runtime.gate.withRequest(asked.caller);
      const ask = (approval: string | undefined) => start(kernel, this.#callerText(number, caller, approval));
      return this.#observed(kernel, number, asked, async () => {
        const begun = unwrap(await this.#runtime.gate.pass(kernel, ask, caller, signal));
        return recorded(kernel, number, () => work(begun));
      });
    }, signal);
  }

  /** Evaluates a call without making it. */
  async judge({ tool, effect, args, caller: given, path }: DescribedCall & { caller?: Caller }) {
    const caller = this.#runtime.gate.withRequest(given);
    const call = { tool, effect, changes: false, path, args: toJsonText(args, 'args', { nonFiniteNumbers: 'null' }) };
    return this.read(async (kernel) => kernel.judge({ ...call, number: 0, caller: this.#callerText(0, caller) }));
  }

  /** Whether a call would be allowed by guardian, tests and policy. It is not made. */
  async allowed({ tool, effect, args, caller: given, path }: DescribedCall & { caller?: Caller }) {
    const caller = this.#callerText(0, this.#runtime.gate.withRequest(given));
    const call = { tool, effect, changes: false, path, args: toJsonText(args, 'args', { nonFiniteNumbers: 'null' }) };
    return this.read(async (kernel) => kernel.allowed({ ...call, number: 0, caller }));
  }

  /** The tools for the prompt of a caller; undefined before the boot, and for a denied token. */
  catalogue(limit: number, caller: Caller | undefined) {
    const { running } = this.#runtime;
    const listed = running?.catalogue(limit, this.#callerText(0, caller));
    return listed === undefined || listed.error?.code === 'ERR_DENIED' ? undefined : unwrap(listed);
  }

  /**
   * For each tool, with the path of a forged one: whether it is visible to the caller, by the policy and the token of the request.
   */
  async shownTools(tools: [string, string | null][], given: Caller | undefined) {
    return this.coveredTools(tools, this.#runtime.gate.withRequest(given));
  }

  /** The same for a given token, regardless of the current request. */
  coveredTools(tools: [string, string | null][], caller: Caller | undefined) {
    return this.read((kernel) => kernel.shownTools(this.#callerText(0, caller), JSON.stringify(tools)));
  }

  /** The most useful forged tools that are visible to a caller. */
  offeredTools(
    { after, offered, limit, counted }: { after: number; offered: string[]; limit: number; counted: boolean },
    caller: Caller | undefined,
  ) {
    return this.read((kernel) => kernel.offeredTools(this.#callerText(0, caller), after, offered, limit, counted));
  }

  /** Which details of SQL statements the policy and the token of a caller inspect. */
  sqlDetail(caller: Caller | undefined): SqlDetail {
    if (!this.#runtime.isJudged && caller?.token === undefined) return 'nothing';
    const kernel = this.#runtime.running;
    // The policy is not available while the kernel stops, so everything is checked.
    if (!kernel) return 'tables';
    const callerText = { number: 0, ...(caller?.token !== undefined && { token: caller.token }) };
    return unwrap(kernel.sqlDetail(JSON.stringify(callerText))) as SqlDetail;
  }

  /** Which tables the policy and the token of a caller allow. */
  openTables(present: () => Caller | undefined): OpenTables {
    return async (dialect, tables, verbs) => {
      const caller = present();
      if (this.sqlDetail(caller) !== 'tables') return tables.map(() => true);
      const callerText = this.#callerText(0, caller);
      const pairs = JSON.stringify(tables.map(({ schema, name }) => [name, schema]));
      return this.read((kernel) => kernel.openTables(callerText, dialect, pairs, verbs?.join(' ')));
    };
  }

  /** Starts a call, unless the signal has fired. */
  async #begin<Value>(
    kernel: NativeKernel,
    start: Start<Value>,
    signal: AbortSignal | undefined,
    asked: CallInfo | undefined,
  ): Promise<Value> {
    throwIfAborted(signal);
    const number = nextCallNumber();
    const caller = this.#runtime.gate.withRequest(asked?.caller);
    const work = async () => {
      const ask = (approval: string | undefined) => start(kernel, this.#callerText(number, caller, approval));
      return outcomeValue(await this.#runtime.gate.pass(kernel, ask, caller, signal), signal);
    };
    return asked === undefined ? work() : this.#observed(kernel, number, asked, work);
  }

  #observed<Value>(kernel: NativeKernel, number: number, asked: CallInfo, work: () => Promise<Value>): Promise<Value> {
    const { telemetry } = this.#runtime;
    if (!telemetry.isOn()) return work();
    return telemetry.call({ effect: EFFECTS.get(asked.tool), ...asked }, kernel.callName(number), work);
  }

  /**
   * The caller, encoded for the native part.
   * @param approval the id of an approval of the call
   */
  #callerText(number: number, caller?: Caller, approval?: string) {
    const parent = this.#runtime.functions.waitingRun;
    const { approve: _, answered: __, ...named } = caller ?? {};
    const callerText: NativeCaller = {
      number,
      ...named,
      ...(parent !== undefined && { parent }),
      ...(approval && { approval }),
    };
    return JSON.stringify(callerText);
  }
}

/** The value of an outcome. An error caused by the signal has its reason as cause. */
export function outcomeValue<Value>(outcome: NativeOutcome<Value>, signal: AbortSignal | undefined) {
  return unwrap(outcome, outcome.error?.code === 'ERR_ABORTED' ? { cause: signal?.reason } : {});
}

/** Does the work of a call and records its result. */
async function recorded<Value>(kernel: NativeKernel, number: number, work: () => Promise<Value>): Promise<Value> {
  try {
    const value = await work();
    await kernel.leave(number, shownResult(value), undefined);
    return value;
  } catch (error) {
    await kernel.leave(number, undefined, described(error));
    throw error;
  }
}

/** A result as JSON for the ledger; null if it is not serialisable. */
function shownResult(value: unknown) {
  try {
    return toJsonText(value, 'result', { nonFiniteNumbers: 'null' });
  } catch {
    return 'null';
  }
}
