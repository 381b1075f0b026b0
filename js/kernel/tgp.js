import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { unwrap, ValidationError } from '../boundary/errors.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { ForgedTools } from '../forged/forged_tools.js';
import { systemPrompt } from '../prompt/system_prompt.js';
import { typeOf } from '../prompt/typescript_signature.js';
import { withTypes } from '../types_check/check_report.js';
import { ARGUMENTS_OF, agentFiles, EXEC_FOR_AGENT, FILES, RESULTS, RUN_FOR_AGENT, SQL } from './agent_access.js';
import { argumentsText, readExecOptions } from './exec_options.js';
import { KernelCalls } from './kernel_calls.js';
import { kernelGit } from './kernel_git.js';
import { readOptions } from './kernel_options.js';
import { kernelRegistry } from './kernel_registry.js';
import { kernelVfs } from './kernel_vfs.js';
import { Lifecycle } from './lifecycle.js';
import { harmless } from './logger.js';
import {
  CheckOptionsSchema,
  FindOptionsSchema,
  PromptOptionsSchema,
  ShutdownOptionsSchema,
  ToolsOptionsSchema,
} from './option_schemas.js';

/**
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').ExecOptions} ExecOptions
 * @typedef {import('../../index.js').ExecResult} ExecResult
 * @typedef {(kernel: import('../boundary/typed_native.js').NativeKernel, runId: number, args: string, options: string, parent: number | undefined) => void} StartRun
 */

/** Options of the TypeScript package this one replaces; the native kernel does these jobs itself. */
const IGNORED_OPTIONS = /** @type {const} */ (['fs', 'http']);

let lastRunId = 0;

/** @type {(path: string) => StartRun} */
const startsTool = (path) => (kernel, runId, args, options, parent) => kernel.exec(runId, path, args, options, parent);

/** @type {(code: string) => StartRun} */
const startsCode = (code) => (kernel, runId, args, options, parent) =>
  kernel.runCode(runId, code, args, options, parent);

/** What an application holds: every method checks what it is given and hands it on. */
export class TGP {
  /** @type {import('../../index.js').Logger} */
  logger;
  /** @type {import('../../index.js').VFSAdapter} */
  vfs;
  /** @type {import('../../index.js').Registry} */
  registry;
  /** @type {import('../../index.js').KernelGit} */
  git;
  #life;
  #calls;
  /** @type {ForgedTools} */
  #forged;

  /** @param {TGPOptions} [options] */
  constructor(options = {}) {
    const given = readOptions(options);
    this.logger = given.logger;
    const log = harmless(this.logger);
    this.#life = new Lifecycle(given, log);
    this.#calls = new KernelCalls(this.#life, (change) => this.#forged.during(change), log);
    this.#forged = new ForgedTools(
      {
        life: () => this.#life.life,
        list: (since) => this.#calls.read((kernel) => kernel.listToolsSince(since)),
        run: (path, args, signal) => this.#exec(startsTool(path), args, { signal }, 'agent'),
        typeOf,
        results: this[RESULTS],
        budget: () => {
          const { liveTools, liveToolChars } = this.#life.config.agent;
          return { tools: liveTools, chars: liveToolChars };
        },
      },
      log,
    );
    this.vfs = given.options.vfs ?? kernelVfs(this.#life);
    this.registry = kernelRegistry(this.#calls, this.vfs);
    this.git = kernelGit(this.#calls);
    const ignored = IGNORED_OPTIONS.filter((name) => given.options[name] !== undefined);
    if (ignored.length > 0) {
      log.warn(`Ignored: ${ignored.join(' and ')}. The native kernel reaches files and Git remotes by itself.`);
    }
  }

  get config() {
    return this.#life.config;
  }

  async boot() {
    await this.#life.boot();
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
    throwIfAborted(options?.signal);
    const given = await untilAborted(this[ARGUMENTS_OF](path, args), options?.signal);
    return this.#exec(startsTool(path), given, options, 'agent');
  }

  /**
   * @param {string} path
   * @param {unknown} args
   * @returns {Promise<unknown>} as the tool takes them
   */
  [ARGUMENTS_OF](path, args) {
    return this.#forged.argumentsOf(path, args);
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
    const { signal } = options ?? {};
    throwIfAborted(signal);
    const { parameters } = await this.#calls.read((kernel) => kernel.codeParameters(code), signal);
    const given = this.#forged.argumentsOfCode(parameters, args);
    return this.#exec(startsCode(code), given, options, 'agent');
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
    const argsText = argumentsText(args);
    const runId = ++lastRunId;
    return this.#calls.read((kernel) => {
      const { functions, runs } = this.#life;
      this.#life.inspect(kernel);
      const start = () => startRun(kernel, runId, argsText, optionsText, functions.waitingRun);
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
  async check(path, options = {}) {
    requireText(path, 'path');
    const { signal } = parseArguments(CheckOptionsSchema, options, 'check options');
    const { types: sources, ...report } = await this.#calls.read((kernel) => kernel.checkTool(path), signal);
    const types = await untilAborted(this.#life.types.check(sources), signal);
    return withTypes(sources.files[0]?.path ?? path, report, types);
  }

  /**
   * @param {string} path
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<import('../../index.js').FixResult>}
   */
  async fix(path, options = {}) {
    requireText(path, 'path');
    const { signal } = parseArguments(CheckOptionsSchema, options, 'fix options');
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
  async find(query, options = {}) {
    requireText(query, 'query');
    const { limit, signal } = parseArguments(FindOptionsSchema, options, 'find options');
    return this.#calls.read(async (kernel) => {
      const { memory } = this.#life;
      const vector = await untilAborted(memory.vectorOf(query), signal);
      const found = await kernel.findTool(query, limit, vector);
      memory.tell(kernel);
      return found;
    }, signal);
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
    const { tools } = await this.#calls.read(async (kernel) => kernel.catalogue(limit));
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

  async sync() {
    await this.#calls.receive((kernel) => kernel.sync());
  }

  get [FILES]() {
    return agentFiles(this.#calls);
  }

  /** @returns {import('../tool_shape/bounded_result.js').ResultRule} */
  get [RESULTS]() {
    return {
      maxChars: () => this.#life.config.agent.resultChars,
      keep: async (value) => this.#life.results?.keep(value) ?? [],
    };
  }

  [SQL]() {
    return this.#life.sql;
  }

  /** @param {{ maxTokens?: number }} [options] */
  getSystemPrompt(options = {}) {
    const { maxTokens } = parseArguments(PromptOptionsSchema, options, 'prompt options');
    return systemPrompt({
      maxTokens,
      catalogue: (limit) => {
        const kernel = this.#life.running;
        return kernel && unwrap(kernel.catalogue(limit));
      },
      facts: {
        config: this.#life.isConfigKnown ? this.config : {},
        sql: this.#life.sqlGuide,
        functions: this.#life.functionGuides,
      },
      live: this.#forged.liveNames,
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

/**
 * @param {unknown} base
 * @returns {import('../../index.js').ToolSet}
 */
function readTools(base) {
  try {
    if (typeof base === 'object' && base !== null) return { ...base };
  } catch (cause) {
    throw wrong('base', 'an object of tools that can be read', cause);
  }
  throw wrong('base', 'an object of tools, such as tgpTools(kernel)');
}

/**
 * @param {string} field
 * @param {string} what
 * @param {unknown} [cause]
 */
function wrong(field, what, cause) {
  return new ValidationError(`"${field}" must be ${what}.`, { cause, details: { field } });
}
