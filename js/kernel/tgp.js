import { resolve } from 'node:path';
import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { ConfigError, ShutdownError, unwrap, ValidationError } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { toJsonText } from '../boundary/json_text.js';
import { native } from '../boundary/native.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { bundlePackage } from '../bundle/bundler.js';
import { createNodeVFS, rootOf } from '../files/vfs.js';
import { VfsMirror, withoutGit } from '../files/vfs_mirror.js';
import { ForgedTools } from '../forged/forged_tools.js';
import { systemPrompt } from '../prompt/system_prompt.js';
import { withTypes } from '../types_check/check_report.js';
import { TypeChecker } from '../types_check/type_checker.js';
import { masked, resolveConfig } from './config.js';
import { readExecOptions } from './exec_options.js';
import { HostFunctions } from './host_functions.js';
import { begin } from './kernel_call.js';
import { consoleLogger, harmless } from './logger.js';
import { OpenRuns } from './open_runs.js';
import { ShutdownOptionsSchema, ToolsOptionsSchema } from './option_schemas.js';
import { offerSql } from './sandbox_sql.js';

/**
 * @typedef {import('../../binding.cjs').BindingKernel} BindingKernel
 * @typedef {import('../../binding.cjs').BindingOutcome} BindingOutcome
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').TGPConfig} TGPConfig
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').Logger} Logger
 * @typedef {import('../../index.js').ExecOptions} ExecOptions
 * @typedef {import('../../index.js').ExecResult} ExecResult
 * @typedef {import('../../index.js').CheckResult} CheckResult
 * @typedef {import('../../index.js').FoundTool} FoundTool
 * @typedef {import('../../index.js').Registry} Registry
 * @typedef {import('../../index.js').VFSAdapter} VFSAdapter
 * @typedef {import('../../index.js').SearchFilesResult} SearchFilesResult
 * @typedef {Omit<import('../../index.js').WriteFileResult, 'success'>} Written
 * @typedef {Omit<import('../../index.js').ApplyDiffResult, 'success'>} Diffed
 * @typedef {import('../../index.js').FixResult} FixResult
 * @typedef {import('../../index.js').FileHistoryEntry} FileHistoryEntry
 */

/**
 * How kernel tools reach the files of a kernel. Registered, so that tools of the CommonJS copy of this package work
 * with a kernel of the ESM copy.
 */
export const FILES = Symbol.for('@tgp/core/files');

/** How kernel tools run a tool on behalf of an agent, which the check may refuse. */
export const EXEC_FOR_AGENT = Symbol.for('@tgp/core/exec_for_agent');

/** Options of the TypeScript package this one replaces; the native kernel does these jobs itself. */
const IGNORED_OPTIONS = /** @type {const} */ (['fs', 'http']);

/** How long a kernel that shuts down waits for a boot; the native one waits as long for its last pushes. */
const LAST_PUSH_MS = 10_000;

let lastRunId = 0;

export class TGP {
  /** @type {Logger} */
  logger;
  /** The same, and it never throws. @type {Logger} */
  #log;
  /** @type {TGPOptions} */
  #options;
  /** @type {TGPConfig | undefined} */
  #resolvedConfig;
  /** @type {ForgedTools} */
  #forged;
  /** @type {HostFunctions | undefined} */
  #functions;
  #runs = new OpenRuns();
  /** @type {TypeChecker | undefined} */
  #types;
  /** Whether the logger has heard that types are not checked. */
  #toldOfTypes = false;
  /** Where the application's packages are found. */
  #baseDir = process.cwd();
  /** @type {BindingKernel | undefined} */
  #kernel;
  /** @type {VfsMirror | undefined} */
  #mirror;
  /** @type {VFSAdapter | undefined} */
  #disk;
  /** @type {Promise<BindingKernel> | undefined} */
  #booting;
  /** @type {Promise<void> | undefined} */
  #inspected;
  /** @type {Promise<void> | undefined} */
  #stopping;

  /** @param {TGPOptions} [options] */
  constructor(options = {}) {
    this.#options = options;
    this.logger = options.logger ?? consoleLogger;
    this.#log = harmless(this.logger);
    this.#forged = new ForgedTools(
      {
        list: (since) => this.#call((kernel) => kernel.listToolsSince(since), undefined),
        run: (path, args, signal) => this[EXEC_FOR_AGENT](path, args, { signal }),
      },
      this.#log,
    );
    const ignored = IGNORED_OPTIONS.filter((name) => options[name] !== undefined);
    if (ignored.length > 0) {
      this.#log.warn(`Ignored: ${ignored.join(' and ')}. The native kernel reaches files and Git remotes by itself.`);
    }
  }

  /** @returns {TGPConfig | TGPConfigInput} */
  get config() {
    return this.#resolvedConfig ?? masked(this.#options.config ?? {});
  }

  async boot() {
    await this.#ready();
  }

  /**
   * @param {string} path
   * @param {unknown} [args]
   * @param {ExecOptions} [options]
   * @returns {Promise<ExecResult>}
   */
  async exec(path, args = {}, options = undefined) {
    return this.#exec(path, args, options, 'application');
  }

  /**
   * @param {string} path
   * @param {unknown} [args]
   * @param {ExecOptions} [options]
   * @returns {Promise<ExecResult>}
   */
  async [EXEC_FOR_AGENT](path, args = {}, options = undefined) {
    return this.#exec(path, args, options, 'agent');
  }

  /**
   * @param {string} path
   * @param {unknown} args
   * @param {ExecOptions | undefined} options
   * @param {'application' | 'agent'} caller
   * @returns {Promise<ExecResult>}
   */
  async #exec(path, args, options, caller) {
    requireText(path, 'path');
    const { signal, text: optionsText } = readExecOptions(options, caller);
    const argsText = toJsonText(args, 'args');
    const runId = ++lastRunId;
    return this.#call((kernel) => {
      this.#inspected ??= this.#inspect(kernel);
      const functions = this.#hostFunctions();
      const start = () => kernel.exec(runId, path, argsText, optionsText);
      const cancel = () => {
        functions.cancel(runId);
        kernel.cancel(runId);
      };
      return functions.during(runId, () => this.#runs.wait(runId, start, cancel, signal));
    }, signal);
  }

  /**
   * @param {string} path
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<CheckResult>}
   */
  async check(path, { signal } = {}) {
    requireText(path, 'path');
    const { types: sources, ...report } = await this.#call((kernel) => kernel.checkTool(path), signal);
    if (this.#types === undefined) throw new ShutdownError('The kernel has been shut down. Make a new TGP to go on.');
    const types = await untilAborted(this.#types.check(sources), signal);
    return withTypes(sources.files[0]?.path ?? path, report, types);
  }

  /**
   * @param {string} path
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<FixResult>}
   */
  async fix(path, { signal } = {}) {
    requireText(path, 'path');
    return this.#change((kernel) => kernel.fixTool(path), signal);
  }

  /** @returns {Promise<import('../../index.js').Confinement>} */
  async confinement() {
    const { warning: _, ...walls } = await this.#call((kernel) => kernel.confinement(), undefined);
    return walls;
  }

  /**
   * @param {string} query
   * @param {{ limit?: number, signal?: AbortSignal }} [options]
   * @returns {Promise<FoundTool[]>}
   */
  async find(query, { limit, signal } = {}) {
    requireText(query, 'query');
    return this.#call((kernel) => kernel.findTool(query, limit), signal);
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
    const { tools } = await this.#call(async (kernel) => kernel.catalogue(limit), undefined);
    return this.#forged.snapshot(tools.map((/** @type {{ path: string }} */ { path }) => path));
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

  /** @type {VFSAdapter} */
  get vfs() {
    const booted = async () => {
      await this.#ready();
      return this.#adapter();
    };
    return (
      this.#options.vfs ?? {
        readSync: (path) => this.#adapter().readSync(path),
        readFile: async (path) => (await booted()).readFile(path),
        writeFile: async (path, content) => (await booted()).writeFile(path, content),
        remove: async (path) => (await booted()).remove(path),
        exists: async (path) => (await booted()).exists(path),
        listFiles: async (dir, recursive) => (await booted()).listFiles(dir, recursive),
      }
    );
  }

  #adapter() {
    if (!this.#disk) throw new ConfigError('The kernel is not booted: where its files are is not known yet.');
    return this.#disk;
  }

  /** @type {Registry} */
  get registry() {
    return {
      hydrate: () => this.#forged.during(() => this.#call((kernel) => kernel.hydrateRegistry(), undefined)),
      register: async (path) => {
        requireText(path, 'path');
        return this.#forged.during(() => this.#call((kernel) => kernel.registerTool(path), undefined));
      },
      list: () => this.#call((kernel) => kernel.listTools(), undefined),
      sync: () => this.#change((kernel) => kernel.syncRegistry(), undefined),
    };
  }

  async sync() {
    await this.#incoming((kernel) => kernel.sync());
  }

  /** @type {import('../../index.js').KernelGit} */
  get git() {
    return {
      hydrate: () => this.#incoming((kernel) => kernel.hydrate()),
      persist: async (message, files) => {
        requireText(message, 'message');
        if (!Array.isArray(files))
          throw new ValidationError('"files" must be an array.', { details: { field: 'files' } });
        for (const file of files) requireText(file, 'files');
        const { path: _, ...written } = await this.#change((kernel) => kernel.persist(message, files), undefined);
        return written;
      },
      log: (path, { limit } = {}) => this.#history(path, limit, undefined),
      diff: (path, { from, to } = {}) => this.#call((kernel) => kernel.fileDiff(path, from, to), undefined),
      revert: async (path, commit) => {
        requireText(path, 'path');
        requireText(commit, 'commit');
        return this.#change((kernel) => kernel.revertFile(path, commit), undefined);
      },
    };
  }

  /** @param {{ pushTimeoutMs?: number }} [options] */
  async shutdown(options = {}) {
    const { pushTimeoutMs } = parseArguments(ShutdownOptionsSchema, options, 'shutdown options');
    this.#stopping ??= this.#stop(pushTimeoutMs);
    return this.#stopping;
  }

  [Symbol.asyncDispose]() {
    return this.shutdown();
  }

  /** @param {{ maxTokens?: number }} [options] */
  getSystemPrompt({ maxTokens } = {}) {
    return systemPrompt({
      maxTokens,
      catalogue: (limit) =>
        this.#kernel && this.#resolvedConfig && !this.#stopping ? unwrap(this.#kernel.catalogue(limit)) : undefined,
      functions: Object.keys(this.#options.sandboxAPI ?? {}),
    });
  }

  get [FILES]() {
    return {
      /** @type {(dir: string, signal?: AbortSignal) => Promise<string[]>} */
      list: (dir, signal) => this.#call((kernel) => kernel.listFiles(dir), signal),
      /** @type {(path: string, signal?: AbortSignal) => Promise<string>} */
      read: (path, signal) => this.#call((kernel) => kernel.readFile(path), signal),
      /** @type {(path: string, content: string, signal?: AbortSignal) => Promise<Written>} */
      write: (path, content, signal) => this.#change((kernel) => kernel.writeFile(path, content), signal),
      /** @type {(path: string, search: string, replace: string, signal?: AbortSignal) => Promise<Written>} */
      patch: (path, search, replace, signal) =>
        this.#change((kernel) => kernel.patchFile(path, search, replace), signal),
      /** @type {(path: string, diff: string, signal?: AbortSignal) => Promise<Diffed>} */
      diff: (path, diff, signal) => this.#change((kernel) => kernel.applyDiff(path, diff), signal),
      /** @type {(query: object, signal?: AbortSignal) => Promise<SearchFilesResult>} */
      search: (query, signal) => this.#call((kernel) => kernel.searchFiles(JSON.stringify(query)), signal),
      /** @type {(path: string, limit?: number, signal?: AbortSignal) => Promise<FileHistoryEntry[]>} */
      history: (path, limit, signal) => this.#history(path, limit, signal),
    };
  }

  /**
   * A call that writes files; it is not done before the application's own files have the change too.
   * @param {(kernel: BindingKernel) => Promise<BindingOutcome>} start
   * @param {AbortSignal | undefined} signal
   */
  async #change(start, signal) {
    throwIfAborted(signal);
    const kernel = await untilAborted(this.#ready(), signal);
    const change = () => begin(kernel, start, signal);
    return this.#forged.during(async () => {
      if (!this.#mirror) return change();
      const done = await this.#mirror.write(change);
      const remote = /** @type {TGPConfig | undefined} */ (this.#resolvedConfig)?.git.repo;
      return remote === undefined ? withoutGit(done) : done;
    });
  }

  /**
   * @param {string | undefined} path
   * @param {number | undefined} limit
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<FileHistoryEntry[]>}
   */
  async #history(path, limit, signal) {
    /** @type {{ commit: string, message: string, author: string, time: number }[]} */
    const entries = await this.#call((kernel) => kernel.fileHistory(path, limit), signal);
    return entries.map(({ time, ...entry }) => ({ ...entry, date: new Date(time * 1000).toISOString() }));
  }

  /**
   * What came in from the remote; what the user should know about it goes to the logger.
   * @param {(kernel: BindingKernel) => Promise<BindingOutcome>} start
   * @returns {Promise<{ changed: string[] }>}
   */
  async #incoming(start) {
    const { changed, warnings } = await this.#change(start, undefined);
    for (const warning of warnings) this.#log.warn(warning);
    return { changed };
  }

  /**
   * Starts a call on the booted kernel, which sees the files as they are now.
   * @param {(kernel: BindingKernel) => Promise<BindingOutcome>} start
   * @param {AbortSignal | undefined} signal
   */
  async #call(start, signal) {
    throwIfAborted(signal);
    const kernel = await untilAborted(this.#ready(), signal);
    if (this.#mirror) await untilAborted(this.#mirror.refresh(), signal);
    return begin(kernel, start, signal);
  }

  /** The booted kernel. Every caller shares one boot; a failed one is forgotten, so that the next call tries again. */
  async #ready() {
    if (this.#stopping) throw new ShutdownError('The kernel has been shut down. Make a new TGP to go on.');
    this.#booting ??= this.#start().catch((error) => {
      this.#booting = undefined;
      throw error;
    });
    return this.#booting;
  }

  async #start() {
    const { config, baseDir } = await resolveConfig(this.#options);
    const rooted = await this.#withFiles(config);
    this.#baseDir = baseDir;
    this.#kernel ??= this.#create();
    const booted = unwrap(await this.#kernel.boot(JSON.stringify(rooted), baseDir));
    this.#disk = createNodeVFS(resolve(baseDir, booted.config.rootDir));
    // What the boot brought in from Git.
    await this.#mirror?.write(async () => {});
    this.#resolvedConfig = booted.config;
    this.#types ??= new TypeChecker(baseDir, Object.keys(this.#options.sandboxAPI ?? {}));
    for (const warning of booted.warnings) this.#log.warn(warning);
    if (booted.config.sandbox.warm > 0) this.#inspected ??= this.#inspect(this.#kernel);
    return this.#kernel;
  }

  /**
   * Warns once when the system lacks a wall around the workers. Nobody waits for it: booting and running must not.
   * @param {BindingKernel} kernel
   */
  async #inspect(kernel) {
    try {
      const { warning } = unwrap(await kernel.confinement());
      if (warning) this.#log.warn(warning);
    } catch {
      // What keeps the question from being answered is told by the first run.
    }
  }

  /**
   * The configuration, with its root where the files of `options.vfs` are.
   * @param {TGPConfigInput} config
   * @returns {Promise<TGPConfigInput>}
   */
  async #withFiles(config) {
    const { vfs } = this.#options;
    if (vfs === undefined) return config;
    const rootDir = rootOf(vfs);
    if (rootDir !== undefined) return { ...config, rootDir };
    this.#mirror ??= new VfsMirror(vfs, this.#log);
    await this.#mirror.refresh();
    return { ...config, rootDir: this.#mirror.root };
  }

  #hostFunctions() {
    if (!this.#functions) {
      const functions = new HostFunctions(this.#options.sandboxAPI);
      if (this.#options.sql !== undefined) offerSql(functions, this.#options.sql);
      this.#functions = functions;
    }
    return this.#functions;
  }

  #create() {
    const functions = this.#hostFunctions();
    functions.add('#types', (_runId, [sources]) => this.#checkTypes(sources));
    functions.add('#bundle', (_runId, [specifier, known, trust]) =>
      bundlePackage(specifier, this.#baseDir, known, trust),
    );
    const fail = (/** @type {unknown} */ error) => this.#log.error('A call from the native part failed.', error);
    /** @type {BindingKernel} */
    const kernel = new (native().BindingKernel)(
      functions.names,
      guarded(fail, (/** @type {import('../../binding.cjs').BindingHostCall} */ question) =>
        functions.serve(question, kernel.answer.bind(kernel)),
      ),
      guarded(fail, (/** @type {number} */ runId, /** @type {BindingOutcome} */ outcome) =>
        this.#runs.end(runId, outcome),
      ),
    );
    return kernel;
  }

  /**
   * The strict check's question; that it cannot be answered here is told once.
   * @param {import('../types_check/type_checker.js').TypeSources} sources
   */
  async #checkTypes(sources) {
    if (this.#types === undefined) throw new ShutdownError('The kernel has been shut down. Make a new TGP to go on.');
    const types = await this.#types.check(sources);
    if ('notice' in types && !this.#toldOfTypes) {
      this.#toldOfTypes = true;
      this.#log.warn(`check: 'strict' goes by the rules alone. ${types.notice}`);
    }
    return types;
  }

  /** @param {number | undefined} pushTimeoutMs */
  async #stop(pushTimeoutMs) {
    // A boot under way would start workers after the native shutdown had looked for them; its failure is its caller's. A
    // remote that it waits for has as much time as the last push, and none is left for that then.
    const complain = (/** @type {unknown} */ error) => this.logger.error('The boot cannot be stopped.', error);
    const halt = guarded(complain, () => this.#kernel?.halt());
    const impatience = setTimeout(halt, pushTimeoutMs ?? LAST_PUSH_MS);
    await this.#booting?.catch(() => {});
    clearTimeout(impatience);
    this.#types?.stop();
    if (this.#kernel) unwrap(await this.#kernel.shutdown(pushTimeoutMs));
    await this.#mirror?.remove();
  }
}
