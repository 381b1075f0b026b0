/** The public kernel class. */

import type { Caller } from '../boundary/caller.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { LiveForgedTools } from '../forged/forged_tools.js';
import { typeOf } from '../prompt/typescript_signature.js';
import type { ResultRule } from '../tool_shape/bounded_result.js';
import type { Agent, AgentOptions, KernelSessions } from '../types/agent.js';
import type { KernelChronicle } from '../types/chronicle.js';
import type { FilledTGPConfig } from '../types/config.js';
import type { Confinement } from '../types/confinement.js';
import type { DryRunOption, DryRunResult } from '../types/dry_run.js';
import type { VFSAdapter } from '../types/files.js';
import type { KernelGraph } from '../types/graph.js';
import type { AllowedQuery, KernelGuardian, ToolAllowed } from '../types/guardian.js';
import type { CheckResult, FixResult, FoundTool, Logger, Registry, TGPOptions } from '../types/kernel.js';
import type { KernelLedger } from '../types/ledger.js';
import type { Stats } from '../types/memory.js';
import type { KernelPolicy, TokenCaveats } from '../types/policy.js';
import type { ExecResult, ExecToolOptions } from '../types/runs.js';
import type { Mode, TestOptions, TestResult } from '../types/tests.js';
import type { ForgedTools, KernelGit, KernelTools, ToolSet, ToolsChange } from '../types/tools.js';
import { ARGUMENTS_OF, FILES, ON_BEHALF, OWNER, RESULTS, SQL } from './access_symbols.js';
import { agentAccess, agentFiles } from './agent_access.js';
import { AGENT_RUNS, agentFactory, OpenAgentRuns } from './agent_factory.js';
import { KernelCalls } from './calls/kernel_calls.js';
import { readOptions, warnOfIgnoredOptions } from './config/kernel_options.js';
import { FixOptionsSchema, ShutdownOptionsSchema, SyncOptionsSchema } from './config/option_schemas.js';
import { kernelGit } from './files/kernel_git.js';
import { kernelVfs } from './files/kernel_vfs.js';
import { kernelGraph } from './graph/kernel_graph.js';
import { kernelGuardian } from './guardian/kernel_guardian.js';
import { toolAllowed } from './guardian/tool_allowed.js';
import { KernelRuntime } from './kernel_runtime.js';
import { kernelChronicle } from './ledger/kernel_chronicle.js';
import { kernelLedger } from './ledger/kernel_ledger.js';
import { withoutThrowing } from './logger.js';
import { caveatsText, kernelPolicy } from './policy/kernel_policy.js';
import { previewedChange, refuseDryRun } from './runs/dry_run.js';
import { RunStarter } from './runs/run_starter.js';
import { kernelSessions } from './sessions/kernel_sessions.js';
import { kernelRegistry } from './tools/kernel_registry.js';
import { ANY_AGENT, kernelTools } from './tools/kernel_tools.js';
import { readTools, wrong } from './tools/read_tool_set.js';
import { ToolInspection } from './tools/tool_inspection.js';
import { ToolListCache } from './tools/tool_list_cache.js';

/**
 * The kernel: one workspace of tools, its Git repository and its sandbox.
 *
 * @example
 * const kernel = new TGP();
 * const { result } = await kernel.exec('tools/shipping/dim_weight.ts', { length: 10, width: 20, height: 30 });
 * await kernel.shutdown();
 */
export class TGP {
  /** @internal */
  readonly [AGENT_RUNS] = new OpenAgentRuns();
  /** The sessions of agents. */
  readonly sessions: KernelSessions;

  /** The logger of the kernel. */
  logger: Logger;
  /** The files of the root: neither checked nor committed, unlike with {@link KernelTools.write}. */
  readonly vfs: VFSAdapter;
  /** The registry of tools and their metadata. */
  readonly registry: Registry;
  /** The forged tools for models, and {@link KernelTools.write} for the application. */
  readonly tools: KernelTools;
  /** The repository: history, commits and the remote. */
  readonly git: KernelGit;
  /**
   * The ledger: calls of all kernels with this root, and their results.
   * @example
   * for (const { ts, tool, path } of await kernel.ledger.tail({ session: 'order-77', type: 'CALL' })) console.log(ts, tool, path);
   */
  readonly ledger: KernelLedger;
  /** The events of files in the ledger, in the shape of the original protocol. */
  readonly chronicle: KernelChronicle;
  /** The guardian: contradictions between ledger, Git and graph, assertions, and reviews of plans. */
  readonly guardian: KernelGuardian;
  /** The graph: how tools, files, commits, sessions and runs are related, as of any commit. */
  readonly graph: KernelGraph;
  /** The policy: validates rules, explains a call, and replays recorded calls. */
  readonly policy: KernelPolicy;
  #runtime;
  #calls;
  #runs;
  #inspection;
  #listed = new ToolListCache();
  #forged: LiveForgedTools;
  /** The owner on whose behalf the kernel's methods are called, if not the application. */
  #owner: Caller | undefined;

  /** Does not block, starts no process and does not read the configuration; {@link TGP.boot} does. */
  constructor(options: TGPOptions = {}) {
    const parsed = readOptions(options);
    this.logger = parsed.logger;
    this.#owner = parsed.options[OWNER];
    const log = withoutThrowing(this.logger);
    this.#runtime = new KernelRuntime(parsed, log);
    this.#calls = new KernelCalls(this.#runtime, (change) => this.#forged.during(change), log);
    this.#runs = new RunStarter(this.#runtime, this.#calls);
    this.#forged = new LiveForgedTools(
      {
        generation: () => this.#runtime.generation,
        list: (since) => this.#calls.read((kernel) => kernel.listToolsSince(since)),
        offered: (wanted, caller) => this.#calls.offeredTools(wanted, caller),
        at: (paths) => this.#calls.read((kernel) => kernel.toolsAt(paths)),
        run: async (path, args, options, caller) => await this.#runs.tool(path, args, options, caller),
        shown: async (paths, caller) => {
          if (!this.#runtime.isJudged && caller.token === undefined) return undefined;
          const tools = paths.map((path): [string, string] => ['exec_tool', path]);
          return this.#calls.coveredTools(tools, caller);
        },
        typeOf,
        results: this[RESULTS],
        budget: () => {
          const { liveTools, liveToolChars } = this.#runtime.config.agent;
          return { tools: liveTools, chars: liveToolChars };
        },
      },
      log,
    );
    this.#inspection = new ToolInspection(this.#runtime, this.#calls, () => this.#forged.liveNames);
    this.vfs = parsed.options.vfs ?? kernelVfs(this.#runtime);
    this.registry = kernelRegistry(this.#calls, this.vfs, this.#owner, this.#listed);
    this.tools = kernelTools(
      { runtime: this.#runtime, calls: this.#calls, forged: this.#forged, inspection: this.#inspection },
      this.#owner,
    );
    this.git = kernelGit(this.#calls, this.#owner);
    this.ledger = kernelLedger(this.#calls);
    this.chronicle = kernelChronicle(this.#calls);
    this.guardian = kernelGuardian(this.#calls, parsed.options.reviewPlan);
    this.graph = kernelGraph(this.#calls, this.#owner);
    this.policy = kernelPolicy(this.#calls, this.#runtime);
    this.sessions = kernelSessions(this.#calls, this.ledger);
    warnOfIgnoredOptions(parsed.options, log);
  }

  /**
   * The configuration with every default, secrets masked. Before the boot it is made of `options.config`; a config file is read
   * by the boot. The object stays the same.
   */
  get config(): FilledTGPConfig {
    return this.#runtime.config;
  }

  /**
   * Reads the configuration and prepares the workspace. Optional: every call boots when needed. Concurrent and repeated
   * calls are one boot; after a failure the next call tries again. It ends when the tools are known, so that lists and prompts wait
   * for nothing; other calls that boot the kernel do not wait for that. After {@link TGP.shutdown} it boots again and
   * reads the config file again.
   */
  async boot(): Promise<void> {
    await this.#runtime.boot();
    const { running } = this.#runtime;
    // Lists and prompts are synchronous: prefetched here, they do not block Node's thread later.
    if (running) await this.#listed.readAhead(running);
  }

  /** A dry run of {@link TGP.exec}: nothing is changed. */
  // biome-ignore lint/suspicious/noExplicitAny: the result of any tool, unless the caller names its type
  exec<Result = any>(
    path: string,
    args: unknown,
    options: ExecToolOptions & DryRunOption,
  ): Promise<DryRunResult<Result>>;
  /**
   * Runs a tool in the sandbox.
   * @param path the tool, relative to the root
   * @param args what the tool gets. Dates cross as ISO strings, BigInts as decimal strings, Maps as objects, Sets as
   * arrays, and members that are undefined are left out; functions, symbols, cycles, NaN and the infinities are a
   * {@link ValidationError}. The text that runs validates them, unless `validate` is `false`. Default: `{}`.
   * @throws {TGPError} of the class of the failure; `details.logs` has the logs of the tool
   */
  // biome-ignore lint/suspicious/noExplicitAny: the result of any tool, unless the caller names its type
  exec<Result = any>(path: string, args?: unknown, options?: ExecToolOptions): Promise<ExecResult<Result>>;
  async exec(path: string, args: unknown = {}, options?: ExecToolOptions): Promise<ExecResult | DryRunResult> {
    return await this.#runs.tool(path, args, options, this.#owner);
  }

  /** Access to this kernel on behalf of an agent. @internal */
  [ON_BEHALF](caller: Caller) {
    return agentAccess(
      { runtime: this.#runtime, calls: this.#calls, runs: this.#runs, tools: this.#inspection },
      caller,
    );
  }

  /** The arguments as a tool takes them. @internal */
  [ARGUMENTS_OF](path: string, args: unknown): Promise<unknown> {
    return this.#runs.argumentsOf(path, args);
  }

  /** A dry run of {@link TGP.run}: nothing is changed. */
  // biome-ignore lint/suspicious/noExplicitAny: the result of any code, unless the caller names its type
  run<Result = any>(
    code: string,
    args: unknown,
    options: ExecToolOptions & DryRunOption,
  ): Promise<DryRunResult<Result>>;
  /**
   * Runs TypeScript that is in no file: same sandbox, limits and checks as {@link TGP.exec}, nothing written, committed or
   * registered. Its imports are those of a file in `tools/`; errors name it `tools/.code.ts`.
   * @throws {TGPError} as {@link TGP.exec}
   */
  // biome-ignore lint/suspicious/noExplicitAny: the result of any code, unless the caller names its type
  run<Result = any>(code: string, args?: unknown, options?: ExecToolOptions): Promise<ExecResult<Result>>;
  async run(code: string, args: unknown = {}, options?: ExecToolOptions): Promise<ExecResult | DryRunResult> {
    return this.#runs.code(code, args, options, this.#owner);
  }

  /** Runs the tests of a tool (`tools/a/b.test.ts` of `tools/a/b.ts`), a test file, all below a folder, or all there are. */
  async test(path?: string, options?: TestOptions): Promise<TestResult> {
    return this.#runs.tests(path, options, this.#owner);
  }

  /** Checks a tool's source without running it: syntax, the eight standards and, when TypeScript is there, types. */
  async check(path: string, options: { signal?: AbortSignal } = {}): Promise<CheckResult> {
    return this.#inspection.check(path, options, this.#owner);
  }

  /** A dry run of {@link TGP.fix}: nothing is changed. */
  fix(path: string, options: { signal?: AbortSignal } & DryRunOption): Promise<DryRunResult>;
  /** Applies every repair that the findings of a tool offer, and commits the result. */
  fix(path: string, options?: { signal?: AbortSignal }): Promise<FixResult>;
  async fix(path: string, options: { signal?: AbortSignal; dryRun?: boolean } = {}): Promise<FixResult | DryRunResult> {
    requireText(path, 'path');
    const { signal, dryRun } = parseArguments(FixOptionsSchema, options, 'fix options');
    if (dryRun) return previewedChange(this.#calls, this.#owner, { tool: 'fix_tool', path }, signal);
    const call = { tool: 'fix_tool', caller: this.#owner, path };
    return this.#calls.change((kernel, callerText) => kernel.fixTool(path, callerText), signal, call);
  }

  /** The confinement of the sandbox on this machine, and its V8 engine; starts a worker if none has run yet. */
  async confinement(): Promise<Confinement> {
    const { warning: _, ...confinement } = await this.#calls.read((kernel) => kernel.confinement());
    return confinement;
  }

  /**
   * Searches tools by a description of a job, best match first; empty if no tool matches. The search uses words, their stems and
   * antonyms, and with an embedding model (see `memory` in {@link TGPConfigInput}) also their meaning.
   * @param options.limit most tools to return. Default: 5.
   */
  async find(query: string, options: { limit?: number; signal?: AbortSignal } = {}): Promise<FoundTool[]> {
    return this.#inspection.find(query, options, this.#owner);
  }

  /** Counts of forged and reused tools on this machine. */
  async stats(): Promise<Stats> {
    return this.#calls.read((kernel) => kernel.stats());
  }

  /**
   * The tools of `base` and the forged tools, as many as {@link TGP.tools} returns, in one object that is updated in place: once a
   * write, a fix, a revert or a sync of this kernel is done, the object has the tools as they then are. The AI SDK (4 to 7) reads
   * it at every step, so that a model can forge a tool in one step and call it by name in the next. Pass the object itself: a copy
   * is not updated. Changes by other processes are detected at the next call of {@link TGP.refreshTools}.
   * @example
   * await generateText({ model, tools: await kernel.liveTools(tgpTools(kernel)), stopWhen: stepCountIs(20), prompt });
   */
  // biome-ignore lint/suspicious/noExplicitAny: tools of any SDK
  async liveTools<Base extends Record<string, any> = ForgedTools>(base: Base = {} as Base): Promise<Base & ToolSet> {
    return (await this.#forged.live(readTools(base))) as Base & ToolSet;
  }

  /**
   * Checks for changes by other processes, which are detected within a second, and updates live sets and listeners, for example
   * in `prepareStep`.
   */
  async refreshTools(): Promise<void> {
    await this.#forged.refresh();
  }

  /**
   * Calls `listener` when tools were forged, changed or removed, before the call that did it is done.
   * @returns a function that removes the listener
   */
  onToolsChanged(listener: (change: ToolsChange) => void): () => void {
    if (typeof listener !== 'function') throw wrong('listener', 'a function');
    return this.#forged.onChanged(listener);
  }

  /**
   * Pushes local commits, then pulls remote commits. Does nothing without a remote.
   * @throws {GitConflictError} when others changed the same file; both versions are kept
   * @throws {GitError} when the remote cannot be reached; nothing is lost
   */
  async sync(options: { dryRun?: false } = {}): Promise<void> {
    refuseDryRun(parseArguments(SyncOptionsSchema, options, 'sync options'), 'A synchronisation with a remote');
    const call = { tool: 'sync', caller: this.#owner };
    await this.#calls.receive((kernel, callerText) => kernel.sync(callerText), call);
  }

  /**
   * Creates an agent: a model that works on tasks with the tools of this kernel, using the tool loop of the AI SDK (`ai` 6 or
   * later, which the application installs). Nothing happens before {@link Agent.run}.
   * @example
   * const agent = kernel.agent({ model: 'openai/gpt-5', budget: { steps: 40, tokens: 500_000 } });
   * const { outcome, text } = await agent.run('Which customers have not paid for 30 days?').result;
   * @throws {ValidationError} for invalid options
   */
  agent(options: AgentOptions): Agent {
    return agentFactory()(this, options);
  }

  /**
   * Whether a call of an agent would be allowed, by guardian, test mode and policy together. The call is not made.
   * @example
   * const { allowed, reason } = await kernel.isToolAllowed({ tool: 'delete_file', args: { path: 'tools/x.ts' } });
   * @throws {ValidationError} for a tool that does not exist
   */
  async isToolAllowed(query: AllowedQuery): Promise<ToolAllowed> {
    return toolAllowed(this.#calls, query);
  }

  /**
   * Issues a capability token: its holder can do only what its caveats cover and the policy allows. {@link attenuate} narrows it.
   * Without `tokens.keys` in the configuration it is valid only for this kernel.
   * @example
   * const { token } = await kernel.issueToken({ allow: ['read', 'run'], paths: ['tools/reports/**'], calls: 20 });
   * const tools = tgpTools(kernel, { token });
   *
   * @throws {ValidationError} for invalid caveats
   */
  async issueToken(caveats: TokenCaveats): Promise<{ token: string; id: string }> {
    const text = caveatsText(caveats);
    return this.#calls.read(async (kernel) => kernel.issueToken(text));
  }

  /** Revokes a token by its id, with all tokens derived from it, in this kernel. */
  async revokeToken(id: string): Promise<void> {
    requireText(id, 'id');
    await this.#calls.read(async (kernel) => kernel.revokeToken(id));
  }

  /** @internal */
  get [FILES]() {
    return agentFiles(this.#calls, this.#owner);
  }

  /** @internal */
  get [RESULTS](): ResultRule {
    return {
      maxChars: () => this.#runtime.config.agent.resultChars,
      argumentBytes: () => {
        const { sandbox, fs } = this.#runtime.config;
        // A patch has two texts: search and replace.
        return 2 * Math.max(sandbox.argsBytes, fs.fileBytes);
      },
      keep: async (value) => this.#runtime.results?.keep(value) ?? [],
    };
  }

  /** @internal */
  [SQL]() {
    return this.#runtime.sql;
  }

  /**
   * The system prompt for the kernel tools: the protocol, the eight standards with an example each, facts about this
   * kernel's sandbox (limits, packages, addresses, folders, the database, your functions), its typed API, the functions of
   * `@tgp/std`, and the tools that exist with their signatures. The limits and the tools are current; before
   * {@link TGP.boot} they are unknown, and the prompt instructs the model to search for tools.
   *
   * It keeps within `maxTokens`, estimated as a third of its UTF-8 bytes, which is more than current tokenisers count. Sections
   * that do not fit are shortened in this order: the functions of `@tgp/std`, the examples of the standards, the API and the facts
   * down to names, the standards down to theirs, the longer protocol. Of tools the descriptions go first; then the most used ones
   * are shown, and how many are left out.
   * @param options.maxTokens at least 50. Default: 4000.
   * @param options.mode of an agent whose tools have another one than the configuration.
   * @param options.catalogue false: without the tools that exist, for an agent that may not know all of them. Default: true.
   * @throws {ValidationError} when `maxTokens` is not valid
   */
  getSystemPrompt(options: { maxTokens?: number; mode?: Mode; catalogue?: boolean } = {}): string {
    return this.#inspection.systemPrompt(options, this.#owner ?? ANY_AGENT);
  }

  /**
   * Ends all runs and workers, and waits for the last push. May be called more than once; every other call then fails with
   * {@link ShutdownError}, until {@link TGP.boot} is called.
   * @param options.pushTimeoutMs how long to wait for the push; what is not pushed then stays committed, and the next kernel
   * pushes it. Platforms that stop a process give it a few seconds. Default: 10 000.
   */
  async shutdown(options: { pushTimeoutMs?: number } = {}): Promise<void> {
    const { pushTimeoutMs } = parseArguments(ShutdownOptionsSchema, options, 'shutdown options');
    // No await without agent runs, so that alternating boot and shutdown calls keep their order.
    if (this[AGENT_RUNS].isAny) await this[AGENT_RUNS].stop();
    return this.#runtime.stop(pushTimeoutMs);
  }

  /** {@link TGP.shutdown}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }
}
