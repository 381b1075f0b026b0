import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError, InternalError, ShutdownError, unwrap } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { RESULT_FOLDER } from '../boundary/result_folder.js';
import { messageOf } from '../boundary/thrown.js';
import { bundlePackage } from '../bundle/bundler.js';
import { createNodeVFS, rootOf } from '../files/vfs.js';
import { VfsMirror } from '../files/vfs_mirror.js';
import { sqlGuide } from '../sql/sql_guide.js';
import { createTelemetry } from '../telemetry/telemetry.js';
import { applicationFunctions } from './application_functions.js';
import { resolveConfig } from './config.js';
import { withSecrets } from './config_secrets.js';
import { warnOfEmptyWorkspace } from './empty_workspace.js';
import { Gate } from './gate.js';
import { HostFunctions } from './host_functions.js';
import { KernelTypes } from './kernel_types.js';
import { closeOpened, endWhenDropped, forget } from './leftovers.js';
import { Memory } from './memory.js';
import { createNativeKernel } from './native_kernel.js';
import { OpenRuns } from './open_runs.js';
import { policySource, refuseWritablePolicy } from './policy_source.js';
import { watchPolicy } from './policy_watch.js';
import { redacted } from './redact_hook.js';
import { ResultFiles } from './result_files.js';
import { offerSql } from './sandbox_sql.js';
import { previewConfig, renewConfig } from './shown_config.js';

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').FilledTGPConfig} FilledTGPConfig
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').VFSAdapter} VFSAdapter
 */

/** How long a kernel that shuts down waits for a boot; the native one waits as long for its last pushes. */
const LAST_PUSH_MS = 10_000;

/** A kernel from its first call to its shutdown, and on to the next boot: each life is booted once, and stopped once. */
export class Lifecycle {
  runs = new OpenRuns();
  /** Who reads the texts of tools. @type {Memory} */
  memory;
  /** Who is told of calls. */
  telemetry;
  /** Who decides and approves. @type {Gate} */
  gate;
  /** The rules as they were given, for those who ask about them. @type {import('../../index.js').PolicyInput | undefined} */
  policy;
  #options;
  /** Why no boot will come about. */
  #refusal;
  #log;
  /** What is shown of the configuration: one object for good. @type {FilledTGPConfig | undefined} */
  #config;
  #isBooted = false;
  /** What tools may use of the application: by its options, and once booted by its configuration too. */
  #application;
  /** Where the application's packages are found. */
  #baseDir = process.cwd();
  /** @type {HostFunctions | undefined} */
  #functions;
  /** @type {import('./leftovers.js').Leftovers} */
  #leftovers;
  /** @type {(() => Promise<void>) | undefined} */
  #endTransactions;
  /** @type {VFSAdapter | undefined} */
  #disk;
  /** Results that were too long to be shown. @type {ResultFiles | undefined} */
  results;
  /** @type {Promise<NativeKernel> | undefined} */
  #booting;
  /** @type {Promise<void> | undefined} */
  #inspected;
  /** @type {Promise<void> | undefined} */
  #stopping;
  /** The boot must not wait for its remote any longer. Its native kernel may not exist yet. */
  #isHalted = false;
  /** A boot that waits for the shutdown before it; a later shutdown calls it off. @type {object | undefined} */
  #revival;
  /** Counts the lives: what was learnt in one does not hold in the next. */
  life = 0;

  /**
   * @param {import('./kernel_options.js').KernelOptions} given
   * @param {import('../../index.js').Logger} log
   */
  constructor({ options, logger, refusal }, log) {
    this.#options = options;
    this.#refusal = refusal;
    this.#application = { sql: options.sql, sandboxAPI: options.sandboxAPI };
    this.#log = log;
    this.memory = new Memory(options.embed, log, logger);
    // Not before the boot: until then nobody knows the values of secrets.
    this.telemetry = createTelemetry(options.telemetry, log, (text) => this.running?.masked(text) ?? undefined);
    this.gate = new Gate(options.approve, log);
    this.#leftovers = this.#newLeftovers();
  }

  get types() {
    return this.#leftovers.types;
  }

  /** Where the files of `options.vfs` are followed, if they are not on disk. */
  get mirror() {
    return this.#leftovers.mirror;
  }

  /** The configuration with all its defaults; what the boot has read, once there was one. */
  get config() {
    this.#config ??= previewConfig(this.#options.config);
    return this.#config;
  }

  /** Whether {@link config} is what will hold: a config file is not read before the boot. */
  get isConfigKnown() {
    return this.#isBooted || this.#options.config !== undefined;
  }

  /** Boots, and begins a new life when the last one has ended. */
  async boot() {
    if (this.#stopping) {
      this.#revival ??= {};
      const revival = this.#revival;
      await this.#stopping.catch(() => {});
      if (this.#revival === revival) this.#revive();
    }
    await this.ready();
  }

  /** Calls between a shutdown and the next boot are refused. */
  refuseWhenDown() {
    if (this.#stopping) throw new ShutdownError('The kernel has been shut down. Call boot() to start it again.');
  }

  /** The booted kernel. Every caller shares one boot; a failed one is forgotten, so that the next call tries again. */
  async ready() {
    this.refuseWhenDown();
    this.#booting ??= this.#start().catch((error) => {
      this.#booting = undefined;
      throw error;
    });
    return this.#booting;
  }

  /** The native kernel for what need not wait; nothing before the boot and after the shutdown. */
  get running() {
    return this.#isBooted && !this.#stopping ? this.#leftovers.kernel : undefined;
  }

  /** The folder that relative paths of the configuration start from. */
  get baseDir() {
    return this.#baseDir;
  }

  /** Where the workspace and the file with the rules are. */
  async places() {
    await this.ready();
    return { root: resolve(this.#baseDir, this.config.rootDir), policy: this.gate.file };
  }

  /** The files on disk. */
  get disk() {
    this.refuseWhenDown();
    if (!this.#disk) throw new ConfigError('The kernel is not booted: where its files are is not known yet.');
    return this.#disk;
  }

  /** What guests may call, once booted. */
  get functions() {
    if (!this.#functions) throw new InternalError('Functions were asked for before the kernel had booted.');
    return this.#functions;
  }

  /** Whether a function of the application asks that a run waits for. */
  get isInFunction() {
    return this.#functions?.isInFunction === true;
  }

  /**
   * What the application's own functions do and take, for whoever explains them to a model.
   * @returns {import('../../index.js').FunctionGuide[]}
   */
  get functionGuides() {
    try {
      return [...applicationFunctions(this.#application.sandboxAPI).values()].map(({ guide }) => guide);
    } catch {
      // The boot tells what is wrong with them.
      return [];
    }
  }

  /** The database of tools. What a configuration says of it is known once booted. */
  get sql() {
    const { sql } = this.#application;
    if (sql !== undefined) return sql;
    throw new ConfigError(
      this.#isBooted
        ? 'The kernel has no database. Give it one: "sql" in the config, or new TGP({ sql }).'
        : 'The kernel is not booted, so the database of its config is not known yet. Call "await kernel.boot()" first.',
      { details: { key: 'sql' } },
    );
  }

  /** Whether there are rules for every call. */
  get isJudged() {
    return (this.policy ?? 'allow') !== 'allow';
  }

  /** What there is to know of the database; nothing without one, or with one that the boot will refuse. */
  get sqlGuide() {
    try {
      const { sql } = this.#application;
      return sql === undefined ? undefined : sqlGuide(sql);
    } catch {
      return undefined;
    }
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
    this.#revival = undefined;
    this.#stopping ??= this.#stop(pushTimeoutMs);
    return this.#stopping;
  }

  #revive() {
    this.#revival = undefined;
    this.#stopping = undefined;
    this.#booting = undefined;
    this.#inspected = undefined;
    this.#functions = undefined;
    this.#isBooted = false;
    this.#isHalted = false;
    this.runs = new OpenRuns();
    this.#leftovers = this.#newLeftovers();
    this.life += 1;
  }

  #newLeftovers() {
    /** @type {import('./leftovers.js').Leftovers} */
    const leftovers = { types: new KernelTypes(this.#log) };
    endWhenDropped(this, leftovers);
    return leftovers;
  }

  async #start() {
    if (this.#refusal) throw this.#refusal;
    const { config, application, baseDir, file, warnings } = await resolveConfig(this.#options);
    const { sql = application.sql, sandboxAPI } = this.#options;
    this.#application = { sql, sandboxAPI: { ...application.sandboxAPI, ...sandboxAPI } };
    // A configuration that was loaded once has the same database again.
    if (this.#leftovers.opened !== application.sql) await this.#close();
    if (file !== undefined) this.#leftovers.opened = application.sql;
    // Each by itself: joined they have lost what is wrong with their prototypes.
    for (const given of [application.sandboxAPI, sandboxAPI]) applicationFunctions(given);
    const rooted = await this.#withFiles(config);
    this.#baseDir = baseDir;
    // Anew for every attempt: a config file that was corrected since may name other functions.
    this.#functions = this.#makeFunctions();
    // That of an attempt that failed after it had booted.
    await this.#leftovers.kernel?.shutdown(0);
    const kernel = createNativeKernel(this.#functions, this.runs, this.#log);
    this.#leftovers.kernel = kernel;
    if (this.#isHalted) kernel.halt();
    const model = this.memory.choose(rooted.memory, baseDir);
    const hook = this.#options.redact === undefined ? 'absent' : 'present';
    this.policy = application.policy;
    const policy = await policySource(application.policy, baseDir);
    this.gate.decide = policy.decide;
    this.gate.file = policy.file;
    const booted = unwrap(await kernel.boot(JSON.stringify(withSecrets(rooted)), baseDir, model, hook, policy.text));
    await this.#follow(kernel, policy, booted.config);
    this.#disk = createNodeVFS(resolve(baseDir, booted.config.rootDir));
    // What the boot brought in from Git.
    await this.mirror?.write(async () => {});
    // Nobody has looked at it yet: then there is nothing to be made of what was given.
    const shown = this.#config ?? {};
    renewConfig(shown, booted.config);
    this.#config = /** @type {FilledTGPConfig} */ (shown);
    this.#isBooted = true;
    this.results = new ResultFiles(this.#disk, booted.config.fs);
    // Opening the root just to look would keep a descriptor for as long as the kernel is known.
    if (existsSync(resolve(baseDir, booted.config.rootDir, RESULT_FOLDER))) await this.results.sweepOld();
    this.types.start(baseDir, this.functionGuides);
    for (const warning of [...warnings, ...booted.warnings]) this.#log.warn(warning);
    if (this.#options.vfs === undefined) await warnOfEmptyWorkspace(kernel, this.config, this.#log);
    if (booted.config.sandbox.warm > 0) this.inspect(kernel);
    return kernel;
  }

  /**
   * Has changes of a policy file come into force.
   * @param {NativeKernel} kernel
   * @param {import('./policy_source.js').PolicySource} policy
   * @param {Pick<import('../boundary/crossing.js').Config, 'rootDir' | 'fs'>} config
   */
  async #follow(kernel, { file, fingerprint }, { rootDir, fs }) {
    if (file === undefined) return;
    const folders = [rootDir, ...fs.allowedDirs].map((folder) => resolve(this.#baseDir, folder));
    await refuseWritablePolicy(file, folders);
    this.gate.writable = folders;
    this.#leftovers.unwatch?.();
    this.#leftovers.unwatch = watchPolicy(kernel, { file, fingerprint, folders }, this.#log);
  }

  #makeFunctions() {
    const { sql, sandboxAPI } = this.#application;
    const functions = new HostFunctions(applicationFunctions(sandboxAPI));
    if (sql !== undefined) this.#endTransactions = offerSql(functions, sql, this.#log);
    functions.add('#warn', (_call, [message]) => this.#log.warn(String(message)));
    functions.add('#types', (_call, [sources]) => this.types.checkBeforeRun(sources));
    functions.add('#embed', (_call, [texts]) => this.memory.embedTexts(texts));
    const { redact } = this.#options;
    if (redact !== undefined) functions.add('#redact', (_call, [events]) => redacted(redact, events, this.#log));
    functions.add('#pause', (_call, [ms]) => pause(ms));
    functions.add('#approve', async (call, [request]) => this.gate.askFor(await this.ready(), request, call));
    functions.add('#bundle', (_call, [specifier, known, trust]) =>
      bundlePackage(specifier, this.#baseDir, known, trust),
    );
    return functions;
  }

  /** Ends what a config file had opened. */
  async #close() {
    try {
      await closeOpened(this.#leftovers);
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
    this.#leftovers.mirror ??= new VfsMirror(vfs, this.#log);
    const { mirror } = this.#leftovers;
    await mirror.refresh();
    return { ...config, rootDir: mirror.root };
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
    const halt = guarded(complain, () => {
      this.#isHalted = true;
      this.#leftovers.kernel?.halt();
    });
    const bootDeadline = setTimeout(halt, pushTimeoutMs ?? LAST_PUSH_MS);
    await this.#booting?.catch(() => {});
    clearTimeout(bootDeadline);
    const { kernel, types, mirror, unwatch } = this.#leftovers;
    types.stop();
    unwatch?.();
    await this.results?.removeOwn();
    if (kernel) unwrap(await kernel.shutdown(pushTimeoutMs));
    await this.#endTransactions?.();
    await mirror?.remove();
    await this.#close();
    forget(this.#leftovers);
  }
}
