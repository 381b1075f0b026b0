import { resolve } from 'node:path';
import { ConfigError, InternalError, ShutdownError, unwrap } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { bundlePackage } from '../bundle/bundler.js';
import { createNodeVFS, rootOf } from '../files/vfs.js';
import { VfsMirror } from '../files/vfs_mirror.js';
import { closeSource } from '../sql/close_source.js';
import { applicationFunctions } from './application_functions.js';
import { resolveConfig } from './config.js';
import { warnOfEmptyWorkspace } from './empty_workspace.js';
import { HostFunctions } from './host_functions.js';
import { KernelTypes } from './kernel_types.js';
import { createNativeKernel } from './native_kernel.js';
import { OpenRuns } from './open_runs.js';
import { offerSql, sourceOf } from './sandbox_sql.js';

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').TGPConfig} TGPConfig
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').VFSAdapter} VFSAdapter
 */

/** How long a kernel that shuts down waits for a boot; the native one waits as long for its last pushes. */
const LAST_PUSH_MS = 10_000;

/** A kernel from its first call to its shutdown: booted once, and stopped once. */
export class Lifecycle {
  /** The configuration with all its defaults, once booted. @type {TGPConfig | undefined} */
  config;
  /** Where the files of `options.vfs` are followed, if they are not on disk. @type {VfsMirror | undefined} */
  mirror;
  runs = new OpenRuns();
  types;
  #options;
  #log;
  /** What tools may use of the application: by its options, and once booted by its configuration too. */
  #application;
  /** What the config file has opened, which nobody else can end. @type {import('../../index.js').TGPOptions['sql']} */
  #opened;
  /** Where the application's packages are found. */
  #baseDir = process.cwd();
  /** @type {HostFunctions | undefined} */
  #functions;
  /** @type {NativeKernel | undefined} */
  #kernel;
  /** @type {VFSAdapter | undefined} */
  #disk;
  /** @type {Promise<NativeKernel> | undefined} */
  #booting;
  /** @type {Promise<void> | undefined} */
  #inspected;
  /** @type {Promise<void> | undefined} */
  #stopping;

  /**
   * @param {TGPOptions} options
   * @param {import('../../index.js').Logger} log
   */
  constructor(options, log) {
    this.#options = options;
    this.#application = { sql: options.sql, sandboxAPI: options.sandboxAPI };
    this.#log = log;
    this.types = new KernelTypes(log);
  }

  /** The booted kernel. Every caller shares one boot; a failed one is forgotten, so that the next call tries again. */
  async ready() {
    if (this.#stopping) throw new ShutdownError('The kernel has been shut down. Make a new TGP to go on.');
    this.#booting ??= this.#start().catch((error) => {
      this.#booting = undefined;
      throw error;
    });
    return this.#booting;
  }

  /** The native kernel for what need not wait; nothing before the boot and after the shutdown. */
  get running() {
    return this.config && !this.#stopping ? this.#kernel : undefined;
  }

  /** The files on disk. */
  get disk() {
    if (!this.#disk) throw new ConfigError('The kernel is not booted: where its files are is not known yet.');
    return this.#disk;
  }

  /** What guests may call, once booted. */
  get functions() {
    if (!this.#functions) throw new InternalError('Functions were asked for before the kernel had booted.');
    return this.#functions;
  }

  /** The names of the application's own functions for tools: before the boot those of the options alone. */
  get functionNames() {
    return Object.keys(this.#application.sandboxAPI ?? {});
  }

  /**
   * What the application's own functions do and take, for whoever explains them to a model.
   * @returns {import('../../index.js').FunctionGuide[]}
   */
  get functionGuides() {
    return [...applicationFunctions(this.#application.sandboxAPI).values()].map(({ guide }) => guide);
  }

  /**
   * Warns once when the system lacks a wall around the workers. Nobody waits for it: booting and running must not.
   * @param {NativeKernel} kernel
   */
  inspect(kernel) {
    this.#inspected ??= this.#warnOfMissingWalls(kernel);
  }

  /** @param {number | undefined} pushTimeoutMs */
  stop(pushTimeoutMs) {
    this.#stopping ??= this.#stop(pushTimeoutMs);
    return this.#stopping;
  }

  async #start() {
    const { config, application, baseDir, file } = await resolveConfig(this.#options);
    const { sql = application.sql, sandboxAPI } = this.#options;
    this.#application = { sql, sandboxAPI: { ...application.sandboxAPI, ...sandboxAPI } };
    await this.#close();
    if (file !== undefined) this.#opened = application.sql;
    const rooted = await this.#withFiles(config);
    this.#baseDir = baseDir;
    // Anew for every attempt: a config file that was corrected since may name other functions.
    this.#functions = this.#makeFunctions();
    this.#kernel = createNativeKernel(this.#functions, this.runs, this.#log);
    const booted = unwrap(await this.#kernel.boot(JSON.stringify(rooted), baseDir));
    this.#disk = createNodeVFS(resolve(baseDir, booted.config.rootDir));
    // What the boot brought in from Git.
    await this.mirror?.write(async () => {});
    this.config = booted.config;
    this.types.start(baseDir, this.functionGuides);
    for (const warning of booted.warnings) this.#log.warn(warning);
    if (this.#options.vfs === undefined) warnOfEmptyWorkspace(this.#kernel, booted.config, this.#log);
    if (this.config.sandbox.warm > 0) this.inspect(this.#kernel);
    return this.#kernel;
  }

  #makeFunctions() {
    const { sql, sandboxAPI } = this.#application;
    const functions = new HostFunctions(applicationFunctions(sandboxAPI));
    if (sql !== undefined) offerSql(functions, sql);
    functions.add('#types', (_runId, [sources]) => this.types.checkBeforeRun(sources));
    functions.add('#bundle', (_runId, [specifier, known, trust]) =>
      bundlePackage(specifier, this.#baseDir, known, trust),
    );
    return functions;
  }

  /** Ends what a config file had opened. */
  async #close() {
    const sql = this.#opened;
    this.#opened = undefined;
    if (sql === undefined) return;
    try {
      await closeSource(sourceOf(sql));
    } catch (error) {
      this.#log.warn(`The database of the config file could not be closed: ${messageOf(error)}`);
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
    this.mirror ??= new VfsMirror(vfs, this.#log);
    await this.mirror.refresh();
    return { ...config, rootDir: this.mirror.root };
  }

  /** @param {NativeKernel} kernel */
  async #warnOfMissingWalls(kernel) {
    try {
      const { warning } = unwrap(await kernel.confinement());
      if (warning) this.#log.warn(warning);
    } catch {
      // What keeps the question from being answered is told by the first run.
    }
  }

  /** @param {number | undefined} pushTimeoutMs */
  async #stop(pushTimeoutMs) {
    // A boot under way would start workers after the native shutdown had looked for them; its failure is its caller's. A
    // remote that it waits for has as much time as the last push, and none is left for that then.
    const complain = (/** @type {unknown} */ error) => this.#log.error('The boot cannot be stopped.', error);
    const halt = guarded(complain, () => this.#kernel?.halt());
    const bootDeadline = setTimeout(halt, pushTimeoutMs ?? LAST_PUSH_MS);
    await this.#booting?.catch(() => {});
    clearTimeout(bootDeadline);
    this.types.stop();
    if (this.#kernel) unwrap(await this.#kernel.shutdown(pushTimeoutMs));
    await this.mirror?.remove();
    await this.#close();
  }
}
