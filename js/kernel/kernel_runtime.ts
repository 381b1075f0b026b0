/** The runtime of a kernel: its boot and shutdown, and what its calls share between them. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config, TypeSources } from '../boundary/crossing.js';
import { ConfigError, InternalError, ShutdownError } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import type { NativeKernel } from '../boundary/typed_native.js';
import { unwrap } from '../boundary/unwrap.js';
import type { Trust } from '../bundle/bundle_manifest.js';
import { bundlePackage } from '../bundle/bundler.js';
import { createNodeVFS, RESULT_FOLDER, rootOf } from '../files/vfs.js';
import { VfsMirror } from '../files/vfs_mirror.js';
import { sqlGuide } from '../sql/sql_guide.js';
import { createTelemetry } from '../telemetry/telemetry.js';
import type { FilledTGPConfig, TGPConfigInput } from '../types/config.js';
import type { VFSAdapter } from '../types/files.js';
import type { FunctionGuide } from '../types/functions.js';
import type { Logger } from '../types/kernel.js';
import type { PolicyInput } from '../types/policy.js';
import type { NativeRequest } from './approvals/gate.js';
import { Gate } from './approvals/gate.js';
import { resolveConfig } from './config/config.js';
import { withSecrets } from './config/config_secrets.js';
import type { KernelOptions } from './config/kernel_options.js';
import { previewConfig, renewConfig } from './config/shown_config.js';
import { EmbeddingModel } from './embedding_model.js';
import { warnOfEmptyWorkspace } from './files/empty_workspace.js';
import { applicationFunctions } from './functions/application_functions.js';
import { HostFunctions } from './functions/host_functions.js';
import { offerSql } from './functions/sandbox_sql.js';
import type { KernelResources } from './kernel_resources.js';
import { cancelRelease, closeConfigDatabase, releaseWhenCollected } from './kernel_resources.js';
import type { RecordedEvent } from './ledger/redact_hook.js';
import { redacted } from './ledger/redact_hook.js';
import { createNativeKernel } from './native_kernel.js';
import type { PolicySource } from './policy/policy_source.js';
import { policySource, refuseWritablePolicy } from './policy/policy_source.js';
import { watchPolicy } from './policy/policy_watch.js';
import { OpenRuns } from './runs/open_runs.js';
import { ResultFiles } from './runs/result_files.js';
import { TypeChecks } from './type_checks.js';

/** How long a shutdown waits for a boot in progress. The native kernel waits equally long for its last pushes. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/**
 * Boots and stops the native kernel, and holds what calls use in between: configuration, gate, telemetry, functions. It is booted and
 * stopped once per generation; a boot may follow a shutdown.
 */
export class KernelRuntime {
  runs = new OpenRuns();
  /** The embedding model for tool search. */
  embeddingModel: EmbeddingModel;
  telemetry;
  /** The policy and approval gate. */
  gate: Gate;
  /** The policy as configured. */
  policy: PolicyInput | undefined;
  #options;
  /** The error of invalid options, thrown by every boot. */
  #refusal;
  #log;
  /** The configuration without secrets; always the same object. */
  #config: FilledTGPConfig | undefined;
  #isBooted = false;
  /** What the application provides to tools: from the options, and after the boot also from the configuration. */
  #application;
  /** The folder from which the application's packages are resolved. */
  #baseDir = process.cwd();
  #functions: HostFunctions | undefined;
  #resources: KernelResources;
  #endTransactions: (() => Promise<void>) | undefined;
  #disk: VFSAdapter | undefined;
  /** Results that were too long to be shown. */
  results: ResultFiles | undefined;
  #booting: Promise<NativeKernel> | undefined;
  #inspected: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  /** Whether the boot must stop waiting for its remote. The native kernel may not exist yet. */
  #isHalted = false;
  /** A boot that waits for a shutdown in progress; a later shutdown cancels it. */
  #restart: object | undefined;
  /** Counts the restarts: caches of an earlier generation are invalid. */
  generation = 0;

  constructor({ options, refusal }: KernelOptions, log: Logger) {
    this.#options = options;
    this.#refusal = refusal;
    this.#application = { sql: options.sql, sandboxAPI: options.sandboxAPI };
    this.#log = log;
    this.embeddingModel = new EmbeddingModel(options.embed, log);
    // Masking works only after the boot, when secret values are known.
    this.telemetry = createTelemetry(options.telemetry, log, (text) => this.running?.masked(text) ?? undefined);
    this.gate = new Gate(options.approve, log);
    this.#resources = this.#newResources();
  }

  get typeChecks() {
    return this.#resources.typeChecks;
  }

  /** The mirror of `options.vfs` on disk, if its files are not there already. */
  get mirror() {
    return this.#resources.mirror;
  }

  /** The configuration with its defaults; after the boot, the one in effect. */
  get config() {
    this.#config ??= previewConfig(this.#options.config);
    return this.#config;
  }

  /** Whether {@link config} is final: a config file is not read before the boot. */
  get isConfigKnown() {
    return this.#isBooted || this.#options.config !== undefined;
  }

  /** Boots the kernel; after a shutdown, starts a new generation. */
  async boot() {
    if (this.#stopping) {
      this.#restart ??= {};
      const restart = this.#restart;
      await this.#stopping.catch(() => {});
      if (this.#restart === restart) this.#reset();
    }
    await this.ready();
  }

  /** Throws between a shutdown and the next boot. */
  refuseWhenDown() {
    if (this.#stopping) throw new ShutdownError('The kernel has been shut down. Call boot() to start it again.');
  }

  /** The booted kernel. All callers share one boot; after a failed one, the next call retries. */
  async ready() {
    this.refuseWhenDown();
    this.#booting ??= this.#start().catch((error) => {
      this.#booting = undefined;
      throw error;
    });
    return this.#booting;
  }

  /** The native kernel, without waiting; undefined before the boot and after the shutdown. */
  get running() {
    return this.#isBooted && !this.#stopping ? this.#resources.kernel : undefined;
  }

  /** The base folder of relative paths in the configuration. */
  get baseDir() {
    return this.#baseDir;
  }

  /** The paths of the workspace and the policy file. */
  async places() {
    await this.ready();
    return { root: resolve(this.#baseDir, this.config.rootDir), policy: this.gate.file };
  }

  /** The files on disk. */
  get disk() {
    this.refuseWhenDown();
    if (!this.#disk)
      throw new ConfigError(
        'The kernel is not booted, so the location of its files is not known. Call "await kernel.boot()" first.',
      );
    return this.#disk;
  }

  /** The functions that guests may call. Throws before the boot. */
  get functions() {
    if (!this.#functions) throw new InternalError('Functions were requested before the kernel had booted.');
    return this.#functions;
  }

  /** Whether the current code runs inside an application function that a run waits for. */
  get isInFunction() {
    return this.#functions?.isInFunction === true;
  }

  /** Descriptions of the application's functions, for prompts. */
  get functionGuides(): FunctionGuide[] {
    try {
      return [...applicationFunctions(this.#application.sandboxAPI).values()].map(({ guide }) => guide);
    } catch {
      // The boot reports invalid ones.
      return [];
    }
  }

  /** The database of tools. One from a configuration is known only after the boot. */
  get sql() {
    const { sql } = this.#application;
    if (sql !== undefined) return sql;
    throw new ConfigError(
      this.#isBooted
        ? 'The kernel has no database. Set "sql" in the config, or pass new TGP({ sql }).'
        : 'The kernel is not booted, so the database of its config is not known yet. Call "await kernel.boot()" first.',
      { details: { key: 'sql' } },
    );
  }

  /** Whether a policy applies to calls. */
  get isJudged() {
    return (this.policy ?? 'allow') !== 'allow';
  }

  /** Description of the database for prompts; undefined without one, or for an invalid one. */
  get sqlGuide() {
    try {
      const { sql } = this.#application;
      return sql === undefined ? undefined : sqlGuide(sql);
    } catch {
      return undefined;
    }
  }

  /**
   * Warns once when the system cannot fully confine the workers. Not awaited, so that booting and running do not wait.
   */
  inspect(kernel: NativeKernel) {
    this.#inspected ??= this.#warnOfMissingConfinement(kernel);
  }

  stop(pushTimeoutMs: number | undefined) {
    this.#restart = undefined;
    this.#stopping ??= this.#stop(pushTimeoutMs);
    return this.#stopping;
  }

  #reset() {
    this.#restart = undefined;
    this.#stopping = undefined;
    this.#booting = undefined;
    this.#inspected = undefined;
    this.#functions = undefined;
    this.#isBooted = false;
    this.#isHalted = false;
    this.runs = new OpenRuns();
    this.#resources = this.#newResources();
    this.generation += 1;
  }

  #newResources() {
    const resources: KernelResources = { typeChecks: new TypeChecks(this.#log) };
    releaseWhenCollected(this, resources);
    return resources;
  }

  async #start() {
    if (this.#refusal) throw this.#refusal;
    const { config, application, baseDir, file, warnings } = await resolveConfig(this.#options);
    const { sql = application.sql, sandboxAPI } = this.#options;
    this.#application = { sql, sandboxAPI: { ...application.sandboxAPI, ...sandboxAPI } };
    // A retried boot may have loaded the same database again.
    if (this.#resources.opened !== application.sql) await this.#close();
    if (file !== undefined) this.#resources.opened = application.sql;
    // Validated separately: merging loses a wrong prototype.
    for (const functions of [application.sandboxAPI, sandboxAPI]) applicationFunctions(functions);
    const rooted = await this.#withFiles(config);
    this.#baseDir = baseDir;
    // Rebuilt for every attempt: a corrected config file may have other functions.
    this.#functions = this.#makeFunctions();
    // The native kernel of an attempt that failed after it had booted.
    await this.#resources.kernel?.shutdown(0);
    const kernel = createNativeKernel(this.#functions, this.runs, this.#log);
    this.#resources.kernel = kernel;
    if (this.#isHalted) kernel.halt();
    const model = this.embeddingModel.choose(rooted.memory, baseDir);
    const hook = this.#options.redact === undefined ? 'absent' : 'present';
    this.policy = application.policy;
    const policy = await policySource(application.policy, baseDir);
    this.gate.decide = policy.decide;
    this.gate.file = policy.file;
    const booted = unwrap(await kernel.boot(JSON.stringify(withSecrets(rooted)), baseDir, model, hook, policy.text));
    await this.#watchPolicy(kernel, policy, booted.config);
    this.#disk = createNodeVFS(resolve(baseDir, booted.config.rootDir));
    // What the boot brought in from Git.
    await this.mirror?.write(async () => {});
    // Without a preview that callers may hold, a new object is filled.
    const shown = this.#config ?? {};
    renewConfig(shown, booted.config);
    this.#config = shown as FilledTGPConfig;
    this.#isBooted = true;
    this.results = new ResultFiles(this.#disk, booted.config.fs);
    // `sweepOld` opens the root and keeps the descriptor, so it runs only when the folder exists.
    if (existsSync(resolve(baseDir, booted.config.rootDir, RESULT_FOLDER))) await this.results.sweepOld();
    this.typeChecks.start(baseDir, this.functionGuides);
    for (const warning of [...warnings, ...booted.warnings]) this.#log.warn(warning);
    if (this.#options.vfs === undefined) await warnOfEmptyWorkspace(kernel, this.config, this.#log);
    if (booted.config.sandbox.warm > 0) this.inspect(kernel);
    return kernel;
  }

  /** Reloads the policy file when it changes. */
  async #watchPolicy(
    kernel: NativeKernel,
    { file, fingerprint }: PolicySource,
    { rootDir, fs }: Pick<Config, 'rootDir' | 'fs'>,
  ) {
    if (file === undefined) return;
    const folders = [rootDir, ...fs.allowedDirs].map((folder) => resolve(this.#baseDir, folder));
    await refuseWritablePolicy(file, folders);
    this.gate.writable = folders;
    this.#resources.unwatch?.();
    this.#resources.unwatch = watchPolicy(kernel, { file, fingerprint, folders }, this.#log);
  }

  #makeFunctions() {
    const { sql, sandboxAPI } = this.#application;
    const functions = new HostFunctions(applicationFunctions(sandboxAPI));
    if (sql !== undefined) this.#endTransactions = offerSql(functions, sql, this.#log);
    functions.add('#warn', (_call, [message]: [unknown]) => this.#log.warn(String(message)));
    functions.add('#types', (_call, [sources]: [TypeSources]) => this.typeChecks.checkBeforeRun(sources));
    functions.add('#embed', (_call, [texts]: [string[]]) => this.embeddingModel.embedTexts(texts));
    const { redact } = this.#options;
    if (redact !== undefined) {
      functions.add('#redact', (_call, [events]: [RecordedEvent[]]) => redacted(redact, events, this.#log));
    }
    functions.add('#pause', (_call, [ms]: [number]) => pause(ms));
    functions.add('#approve', async (call, [request]: [NativeRequest]) =>
      this.gate.askFor(await this.ready(), request, call),
    );
    functions.add('#bundle', (_call, [specifier, known, trust]: [string, string | null, Trust]) =>
      bundlePackage(specifier, this.#baseDir, known, trust),
    );
    return functions;
  }

  /** Closes the database that a config file has opened. */
  async #close() {
    try {
      await closeConfigDatabase(this.#resources);
    } catch (error) {
      this.#log.warn(`The database of the config file cannot be closed: ${messageOf(error)}`);
    }
  }

  /** The configuration with `rootDir` set to the files of `options.vfs`. */
  async #withFiles(config: TGPConfigInput): Promise<TGPConfigInput> {
    const { vfs } = this.#options;
    if (vfs === undefined) return config;
    const rootDir = rootOf(vfs);
    if (rootDir !== undefined) return { ...config, rootDir };
    this.#resources.mirror ??= new VfsMirror(vfs, this.#log);
    const { mirror } = this.#resources;
    await mirror.refresh();
    return { ...config, rootDir: mirror.root };
  }

  async #warnOfMissingConfinement(kernel: NativeKernel) {
    try {
      const { warning } = unwrap(await kernel.confinement());
      if (warning) this.#log.warn(warning);
    } catch {
      // The first run reports the error.
    }
  }

  async #stop(pushTimeoutMs: number | undefined) {
    // Waits for a boot in progress, or it would start workers after the native shutdown; its failure is reported to its caller.
    // A remote that the boot waits for has as much time as the last push, and uses it up.
    const complain = (error: unknown) => this.#log.error('Failed to stop the boot.', error);
    const halt = guarded(complain, () => {
      this.#isHalted = true;
      this.#resources.kernel?.halt();
    });
    const bootDeadline = setTimeout(halt, pushTimeoutMs ?? SHUTDOWN_TIMEOUT_MS);
    await this.#booting?.catch(() => {});
    clearTimeout(bootDeadline);
    const { kernel, typeChecks, mirror, unwatch } = this.#resources;
    typeChecks.stop();
    unwatch?.();
    await this.results?.removeOwn();
    if (kernel) unwrap(await kernel.shutdown(pushTimeoutMs));
    await this.#endTransactions?.();
    await mirror?.remove();
    await this.#close();
    cancelRelease(this.#resources);
  }
}
