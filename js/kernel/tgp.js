/** The public kernel class. */

import { untilAborted } from '../boundary/abort.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { ForgedTools } from '../forged/forged_tools.js';
import { systemPrompt } from '../prompt/system_prompt.js';
import { typeOf } from '../prompt/typescript_signature.js';
import { withTypes } from '../types_check/check_report.js';
import { ARGUMENTS_OF, agentFiles, FILES, ON_BEHALF, OWNER, RESULTS, SQL } from './agent_access.js';
import { previewedChange, refuseDryRun } from './dry_run.js';
import { AGENT_RUNS, AgentHost } from './kernel_agent.js';
import { KernelCalls } from './kernel_calls.js';
import { kernelGit } from './kernel_git.js';
import { kernelLedger } from './kernel_ledger.js';
import { readOptions } from './kernel_options.js';
import { caveatsText, kernelPolicy } from './kernel_policy.js';
import { kernelRegistry } from './kernel_registry.js';
import { KernelRuns } from './kernel_runs.js';
import { kernelSessions } from './kernel_sessions.js';
import { kernelVfs } from './kernel_vfs.js';
import { Lifecycle } from './lifecycle.js';
import { harmless } from './logger.js';
import {
  CheckOptionsSchema,
  FindOptionsSchema,
  FixOptionsSchema,
  PromptOptionsSchema,
  ShutdownOptionsSchema,
  SyncOptionsSchema,
  ToolsOptionsSchema,
} from './option_schemas.js';
import { readTools, wrong } from './read_tool_set.js';
import { ToolListCache } from './tool_list_cache.js';

/**
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').ExecOptions} ExecOptions
 * @typedef {import('./kernel_calls.js').Caller} Caller
 */

/** Options of the TypeScript package that this one replaces; the native kernel does not need them. */
const IGNORED_OPTIONS = /** @type {const} */ (['fs', 'http']);

/** The caller of a list or prompt for an unnamed agent. */
const ANY_AGENT = { agent: 'agent' };

/** The kernel as applications use it: every method validates its arguments and forwards the call. */
export class TGP extends AgentHost {
  /** @type {import('../../index.js').Logger} */
  logger;
  /** @type {import('../../index.js').VFSAdapter} */
  vfs;
  /** @type {import('../../index.js').Registry} */
  registry;
  /** @type {import('../../index.js').KernelGit} */
  git;
  /** @type {import('../../index.js').KernelLedger} */
  ledger;
  /** @type {import('../../index.js').KernelPolicy} */
  policy;
  #life;
  #calls;
  #runs;
  #listed = new ToolListCache();
  /** @type {ForgedTools} */
  #forged;
  /** The owner on whose behalf the kernel's methods are called, if not the application. @type {Caller | undefined} */
  #owner;

  /** @param {TGPOptions} [options] */
  constructor(options = {}) {
    super();
    const parsed = readOptions(options);
    this.logger = parsed.logger;
    this.#owner = /** @type {any} */ (parsed.options)[OWNER];
    const log = harmless(this.logger);
    this.#life = new Lifecycle(parsed, log);
    this.#calls = new KernelCalls(this.#life, (change) => this.#forged.during(change), log);
    this.#runs = new KernelRuns(this.#life, this.#calls, () => this.#forged);
    this.#forged = new ForgedTools(
      {
        life: () => this.#life.life,
        list: (since) => this.#calls.read((kernel) => kernel.listToolsSince(since)),
        offered: (wanted, caller) => this.#calls.offeredTools(wanted, caller),
        at: (paths) => this.#calls.read((kernel) => kernel.toolsAt(paths)),
        run: (path, args, options, caller) => this.#runs.tool(path, args, options, { kind: 'agent', caller }),
        shown: async (paths, caller) => {
          if (!this.#life.isJudged && caller.token === undefined) return undefined;
          const tools = paths.map((path) => /** @type {[string, string]} */ (['exec_tool', path]));
          return this.#calls.coveredTools(tools, caller);
        },
        typeOf,
        results: this[RESULTS],
        budget: () => {
          const { liveTools, liveToolChars } = this.#life.config.agent;
          return { tools: liveTools, chars: liveToolChars };
        },
      },
      log,
    );
    this.vfs = parsed.options.vfs ?? kernelVfs(this.#life);
    this.registry = kernelRegistry(this.#calls, this.vfs, this.#owner, this.#listed);
    this.git = kernelGit(this.#calls, this.#owner);
    this.ledger = kernelLedger(this.#calls);
    this.policy = kernelPolicy(this.#calls, this.#life);
    this.sessions = kernelSessions(this.#calls, this.ledger);
    const ignored = IGNORED_OPTIONS.filter((name) => parsed.options[name] !== undefined);
    if (ignored.length > 0) {
      log.warn(`Ignored options: ${ignored.join(' and ')}. The native kernel accesses files and Git remotes itself.`);
    }
  }

  get config() {
    return this.#life.config;
  }

  async boot() {
    await this.#life.boot();
    const { running } = this.#life;
    // Lists and prompts are synchronous: prefetched here, they do not block Node's thread later.
    if (running) await this.#listed.readAhead(running);
  }

  /** @type {import('../../index.js').TGP['exec']} */
  async exec(/** @type {string} */ path, /** @type {unknown} */ args = {}, /** @type {any} */ options = undefined) {
    return await this.#runs.tool(path, args, options, { kind: 'application', caller: this.#owner });
  }

  /**
   * Access to this kernel on behalf of an agent.
   * @param {Caller} caller the agent is
   */
  [ON_BEHALF](caller) {
    return {
      files: agentFiles(this.#calls, caller),
      /** @type {(query: string, limit?: number, signal?: AbortSignal) => ReturnType<TGP['find']>} */
      find: (query, limit, signal) => this.#find(query, { limit, signal }, caller),
      /** @type {(path: string, signal?: AbortSignal) => ReturnType<TGP['check']>} */
      check: (path, signal) => this.#check(path, { signal }, caller),
      /** @type {(path: string, args: unknown, options: ExecOptions) => Promise<any>} */
      exec: (path, args, options) => this.#runs.toolFor(path, args, options, caller),
      /** @type {(code: string, args: unknown, options: ExecOptions) => Promise<any>} */
      run: (code, args, options) => this.#runs.codeFor(code, args, options, caller),
      /** @type {(path: string | undefined, signal?: AbortSignal, mode?: 'real' | 'dry') => ReturnType<TGP['test']>} */
      test: (path, signal, mode) =>
        this.#runs.tests(
          path,
          { signal },
          { kind: 'agent', caller: mode === 'dry' ? { ...caller, dryRun: true } : caller },
        ),
      /** @type {<Value>(call: import('./kernel_calls.js').OwnCall, work: () => Promise<Value>) => Promise<Value>} */
      own: (call, work) => this.#calls.own({ ...call, caller: { ...caller, ...call.caller } }, work),
      /** @type {(call: Omit<import('./kernel_calls.js').OwnCall, 'caller' | 'changes'>) => ReturnType<KernelCalls['judge']>} */
      judge: (call) => this.#calls.judge({ ...call, caller }),
      /** Which details of SQL statements the policy inspects. */
      sqlDetail: () => this.#calls.sqlDetail(this.#life.gate.presentCaller(caller)),
      /** Which tables the policy allows. */
      openTables: this.#calls.openTables(() => this.#life.gate.presentCaller(caller)),
      /** The paths of the workspace and the policy file. */
      places: () => this.#life.places(),
      /** @type {(options: { maxTokens?: number, mode?: import('../../index.js').Mode, catalogue?: boolean }) => string} */
      systemPrompt: (options) => this.#systemPrompt(options, caller),
      /** @type {(tools: [string, string | null][]) => Promise<boolean[]>} */
      shownTools: (tools) => this.#calls.shownTools(tools, caller),
      /** @type {import('./served_requests.js').ServedRequests['during']} */
      serving: (request, work) => this.#life.gate.requests.during(request, work),
    };
  }

  /**
   * @param {string} path
   * @param {unknown} args
   * @returns {Promise<unknown>} the validated arguments
   */
  [ARGUMENTS_OF](path, args) {
    return this.#forged.argumentsOf(path, args);
  }

  /** @type {import('../../index.js').TGP['run']} */
  async run(/** @type {string} */ code, /** @type {unknown} */ args = {}, /** @type {any} */ options = undefined) {
    return this.#runs.code(code, args, options, { kind: 'application', caller: this.#owner });
  }

  /** @type {import('../../index.js').TGP['test']} */
  async test(path, options) {
    return this.#runs.tests(path, options, { kind: 'application', caller: this.#owner });
  }

  /**
   * @param {string} path
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<import('../../index.js').CheckResult>}
   */
  async check(path, options = {}) {
    return this.#check(path, options, this.#owner);
  }

  /**
   * @param {string} path
   * @param {{ signal?: AbortSignal }} options
   * @param {Caller | undefined} caller
   * @returns {Promise<import('../../index.js').CheckResult>}
   */
  async #check(path, options, caller) {
    requireText(path, 'path');
    const { signal } = parseArguments(CheckOptionsSchema, options, 'check options');
    const call = { tool: 'check_tool', caller, path, args: { path } };
    // The native part checks rules and JavaScript checks types, as one call with one result.
    return this.#calls.continued(
      call,
      (kernel, callerText) => kernel.checkTool(path, callerText),
      async ({ types: sources, ...report }) => {
        const types = await untilAborted(this.#life.types.check(sources), signal);
        return withTypes(sources.files[0]?.path ?? path, report, types);
      },
      signal,
    );
  }

  /** @type {import('../../index.js').TGP['fix']} */
  async fix(/** @type {string} */ path, options = {}) {
    requireText(path, 'path');
    const { signal, dryRun } = parseArguments(FixOptionsSchema, options, 'fix options');
    if (dryRun)
      return /** @type {any} */ (previewedChange(this.#calls, this.#owner, { tool: 'fix_tool', path }, signal));
    const call = { tool: 'fix_tool', caller: this.#owner, path };
    return this.#calls.change((kernel, callerText) => kernel.fixTool(path, callerText), signal, call);
  }

  /** @returns {Promise<import('../../index.js').Confinement>} */
  async confinement() {
    const { warning: _, ...walls } = await this.#calls.read((kernel) => kernel.confinement());
    return walls;
  }

  /**
   * @param {string} query
   * @param {{ limit?: number, signal?: AbortSignal }} [options]
   * @returns {Promise<import('../../index.js').FoundTool[]>}
   */
  async find(query, options = {}) {
    return this.#find(query, options, this.#owner);
  }

  /**
   * @param {string} query
   * @param {{ limit?: number, signal?: AbortSignal }} options
   * @param {Caller | undefined} caller
   * @returns {Promise<import('../../index.js').FoundTool[]>}
   */
  async #find(query, options, caller) {
    requireText(query, 'query');
    const { limit, signal } = parseArguments(FindOptionsSchema, options, 'find options');
    const search = async (
      /** @type {import('../boundary/typed_native.js').NativeKernel} */ kernel,
      /** @type {string | undefined} */ callerText,
    ) => {
      const { memory } = this.#life;
      const vector = await untilAborted(memory.vectorOf(query), signal);
      const found = await kernel.findTool(query, limit, vector, callerText);
      memory.reportProblem(kernel);
      return found;
    };
    return this.#calls.read(search, signal, { tool: 'find_tool', caller, args: { query, limit } });
  }

  /** @returns {Promise<import('../../index.js').Stats>} */
  async stats() {
    return this.#calls.read((kernel) => kernel.stats());
  }

  /**
   * @param {import('../../index.js').ToolsOptions} [options]
   * @returns {Promise<Record<string, import('../../index.js').ForgedTool>>}
   */
  async tools(options = {}) {
    const { query, limit } = parseArguments(ToolsOptionsSchema, options, 'tools options');
    if (query !== undefined) {
      const found = await this.find(query, { limit });
      return this.#forged.snapshot(found.map(({ path }) => path));
    }
    if (limit === undefined) return this.#forged.snapshot();
    await this.#life.ready();
    const { tools } = this.#calls.catalogue(limit, ANY_AGENT) ?? { tools: [] };
    return this.#forged.snapshot(tools.map(({ path }) => path));
  }

  /** @type {import('../../index.js').TGP['liveTools']} */
  async liveTools(base = /** @type {any} */ ({})) {
    return /** @type {any} */ (await this.#forged.live(readTools(base)));
  }

  async refreshTools() {
    await this.#forged.refresh();
  }

  /** @param {(change: import('../../index.js').ToolsChange) => void} listener */
  onToolsChanged(listener) {
    if (typeof listener !== 'function') throw wrong('listener', 'a function');
    return this.#forged.onChanged(listener);
  }

  /** @param {{ dryRun?: false }} [options] */
  async sync(options = {}) {
    refuseDryRun(parseArguments(SyncOptionsSchema, options, 'sync options'), 'A synchronisation with a remote');
    const call = { tool: 'sync', caller: this.#owner };
    await this.#calls.receive((kernel, callerText) => kernel.sync(callerText), call);
  }

  /**
   * @param {import('../../index.js').TokenCaveats} caveats
   * @returns {Promise<{ token: string, id: string }>}
   */
  async issueToken(caveats) {
    const text = caveatsText(caveats);
    return this.#calls.read(async (kernel) => kernel.issueToken(text));
  }

  /** @param {string} id */
  async revokeToken(id) {
    requireText(id, 'id');
    await this.#calls.read(async (kernel) => kernel.revokeToken(id));
  }

  get [FILES]() {
    return agentFiles(this.#calls, this.#owner);
  }

  /** @returns {import('../tool_shape/bounded_result.js').ResultRule} */
  get [RESULTS]() {
    return {
      maxChars: () => this.#life.config.agent.resultChars,
      argumentBytes: () => {
        const { sandbox, fs } = this.#life.config;
        // A patch has two texts: search and replace.
        return 2 * Math.max(sandbox.argsBytes, fs.fileBytes);
      },
      keep: async (value) => this.#life.results?.keep(value) ?? [],
    };
  }

  [SQL]() {
    return this.#life.sql;
  }

  /** @param {{ maxTokens?: number, mode?: import('../../index.js').Mode }} [options] */
  getSystemPrompt(options = {}) {
    return this.#systemPrompt(options, this.#owner ?? ANY_AGENT);
  }

  /**
   * @param {{ maxTokens?: number, mode?: import('../../index.js').Mode, catalogue?: boolean }} options
   * @param {Caller} caller reads it
   */
  #systemPrompt(options, caller) {
    const { maxTokens, mode, catalogue = true } = parseArguments(PromptOptionsSchema, options, 'prompt options');
    return systemPrompt({
      maxTokens,
      catalogue: (limit) => (catalogue ? this.#calls.catalogue(limit, caller) : undefined),
      facts: {
        config: { ...(this.#life.isConfigKnown && this.config), ...(mode && { mode }) },
        sql: this.#life.sqlGuide,
        functions: this.#life.functionGuides,
        isJudged: this.#life.isJudged,
      },
      live: this.#forged.liveNames,
    });
  }

  /** @param {{ pushTimeoutMs?: number }} [options] */
  async shutdown(options = {}) {
    const { pushTimeoutMs } = parseArguments(ShutdownOptionsSchema, options, 'shutdown options');
    // No await without agent runs, so that alternating boot and shutdown calls keep their order.
    if (this[AGENT_RUNS].isAny) await this[AGENT_RUNS].stop();
    return this.#life.stop(pushTimeoutMs);
  }

  [Symbol.asyncDispose]() {
    return this.shutdown();
  }
}
