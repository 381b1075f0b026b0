import { untilAborted } from '../boundary/abort.js';
import { unwrap } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { ForgedTools } from '../forged/forged_tools.js';
import { systemPrompt } from '../prompt/system_prompt.js';
import { withTypes } from '../types_check/check_report.js';
import { agentFiles, EXEC_FOR_AGENT, FILES, RUN_FOR_AGENT } from './agent_access.js';
import { masked } from './config.js';
import { readExecOptions } from './exec_options.js';
import { KernelCalls } from './kernel_calls.js';
import { kernelGit } from './kernel_git.js';
import { kernelRegistry } from './kernel_registry.js';
import { kernelVfs } from './kernel_vfs.js';
import { Lifecycle } from './lifecycle.js';
import { consoleLogger, harmless } from './logger.js';
import { ShutdownOptionsSchema, ToolsOptionsSchema } from './option_schemas.js';

/**
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').TGPConfig} TGPConfig
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').ExecOptions} ExecOptions
 * @typedef {import('../../index.js').ExecResult} ExecResult
 * @typedef {(kernel: import('../boundary/typed_native.js').NativeKernel, runId: number, args: string, options: string) => void} StartRun
 */

/** Options of the TypeScript package this one replaces; the native kernel does these jobs itself. */
const IGNORED_OPTIONS = /** @type {const} */ (['fs', 'http']);

let lastRunId = 0;

/** @type {(path: string) => StartRun} */
const startsTool = (path) => (kernel, runId, args, options) => kernel.exec(runId, path, args, options);

/** @type {(code: string) => StartRun} */
const startsCode = (code) => (kernel, runId, args, options) => kernel.runCode(runId, code, args, options);

/** What an application holds: every method checks what it is given and hands it on. */
export class TGP {
  /** @type {import('../../index.js').Logger} */
  logger;
  /** @type {TGPOptions} */
  #options;
  #life;
  #calls;
  /** @type {ForgedTools} */
  #forged;

  /** @param {TGPOptions} [options] */
  constructor(options = {}) {
    this.#options = options;
    this.logger = options.logger ?? consoleLogger;
    const log = harmless(this.logger);
    this.#life = new Lifecycle(options, log);
    this.#calls = new KernelCalls(this.#life, (change) => this.#forged.during(change), log);
    this.#forged = new ForgedTools(
      {
        list: (since) => this.#calls.read((kernel) => kernel.listToolsSince(since)),
        run: (path, args, signal) => this[EXEC_FOR_AGENT](path, args, { signal }),
      },
      log,
    );
    const ignored = IGNORED_OPTIONS.filter((name) => options[name] !== undefined);
    if (ignored.length > 0) {
      log.warn(`Ignored: ${ignored.join(' and ')}. The native kernel reaches files and Git remotes by itself.`);
    }
  }

  /** @returns {TGPConfig | TGPConfigInput} */
  get config() {
    return this.#life.config ?? masked(this.#options.config ?? {});
  }

  async boot() {
    await this.#life.ready();
  }

  /**
   * @param {string} path
   * @param {unknown} [args]
   * @param {ExecOptions} [options]
   * @returns {Promise<ExecResult>}
   */
  async exec(path, args = {}, options = undefined) {
    requireText(path, 'path');
    return this.#exec(startsTool(path), args, options, 'application');
  }

  /**
   * @param {string} path
   * @param {unknown} [args]
   * @param {ExecOptions} [options]
   * @returns {Promise<ExecResult>}
   */
  async [EXEC_FOR_AGENT](path, args = {}, options = undefined) {
    requireText(path, 'path');
    return this.#exec(startsTool(path), args, options, 'agent');
  }

  /**
   * @param {string} code
   * @param {unknown} [args]
   * @param {ExecOptions} [options]
   * @returns {Promise<ExecResult>}
   */
  async run(code, args = {}, options = undefined) {
    requireText(code, 'code');
    return this.#exec(startsCode(code), args, options, 'application');
  }

  /**
   * @param {string} code
   * @param {unknown} [args]
   * @param {ExecOptions} [options]
   * @returns {Promise<ExecResult>}
   */
  async [RUN_FOR_AGENT](code, args = {}, options = undefined) {
    requireText(code, 'code');
    return this.#exec(startsCode(code), args, options, 'agent');
  }

  /**
   * @param {StartRun} startRun
   * @param {unknown} args
   * @param {ExecOptions | undefined} options
   * @param {'application' | 'agent'} caller
   * @returns {Promise<ExecResult>}
   */
  async #exec(startRun, args, options, caller) {
    const { signal, text: optionsText } = readExecOptions(options, caller);
    const argsText = toJsonText(args, 'args');
    const runId = ++lastRunId;
    return this.#calls.read((kernel) => {
      const { functions, runs } = this.#life;
      this.#life.inspect(kernel);
      const start = () => startRun(kernel, runId, argsText, optionsText);
      const cancel = () => {
        functions.cancel(runId);
        kernel.cancel(runId);
      };
      return functions.during(runId, () => runs.wait(runId, start, cancel, signal));
    }, signal);
  }

  /**
   * @param {string} path
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<import('../../index.js').CheckResult>}
   */
  async check(path, { signal } = {}) {
    requireText(path, 'path');
    const { types: sources, ...report } = await this.#calls.read((kernel) => kernel.checkTool(path), signal);
    const types = await untilAborted(this.#life.types.check(sources), signal);
    return withTypes(sources.files[0]?.path ?? path, report, types);
  }

  /**
   * @param {string} path
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<import('../../index.js').FixResult>}
   */
  async fix(path, { signal } = {}) {
    requireText(path, 'path');
    return this.#calls.change((kernel) => kernel.fixTool(path), signal);
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
  async find(query, { limit, signal } = {}) {
    requireText(query, 'query');
    return this.#calls.read((kernel) => kernel.findTool(query, limit), signal);
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
    const { tools } = await this.#calls.read(async (kernel) => kernel.catalogue(limit));
    return this.#forged.snapshot(tools.map(({ path }) => path));
  }

  /** @type {import('../../index.js').TGP['liveTools']} */
  async liveTools(base = /** @type {any} */ ({})) {
    return /** @type {any} */ (await this.#forged.live(base));
  }

  async refreshTools() {
    await this.#forged.refresh();
  }

  /** @param {(change: import('../../index.js').ToolsChange) => void} listener */
  onToolsChanged(listener) {
    return this.#forged.onChanged(listener);
  }

  get vfs() {
    return this.#options.vfs ?? kernelVfs(this.#life);
  }

  get registry() {
    return kernelRegistry(this.#calls);
  }

  async sync() {
    await this.#calls.receive((kernel) => kernel.sync());
  }

  get git() {
    return kernelGit(this.#calls);
  }

  get [FILES]() {
    return agentFiles(this.#calls);
  }

  /** @param {{ maxTokens?: number }} [options] */
  getSystemPrompt({ maxTokens } = {}) {
    return systemPrompt({
      maxTokens,
      catalogue: (limit) => {
        const kernel = this.#life.running;
        return kernel && unwrap(kernel.catalogue(limit));
      },
      functions: this.#life.functionNames,
    });
  }

  /** @param {{ pushTimeoutMs?: number }} [options] */
  async shutdown(options = {}) {
    const { pushTimeoutMs } = parseArguments(ShutdownOptionsSchema, options, 'shutdown options');
    return this.#life.stop(pushTimeoutMs);
  }

  [Symbol.asyncDispose]() {
    return this.shutdown();
  }
}
