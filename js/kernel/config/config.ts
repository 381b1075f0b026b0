/** Finds and loads the configuration: a named file, a default file, or an inline object. */

import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import { ConfigError } from '../../boundary/errors.js';
import { BadJson, parseForeignJson } from '../../boundary/foreign_json.js';
import { PACKAGE_FOLDER } from '../../package_folder.js';
import type { LoadedTGPConfig, TGPConfigInput } from '../../types/config.js';
import { installedDefaults } from './default_imports.js';
import { secondWorkspaceWarning } from './parent_workspace.js';
import type { ParsedConfig } from './parse_config.js';
import { parseConfig } from './parse_config.js';
import { filledConfig } from './shown_config.js';

const MISSING_MODULE = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'];
/** The default config files, in order of precedence. @internal */
export const DEFAULT_FILES = EXTENSIONS.map((extension) => `tgp.config${extension}`);
/** `@tgp/core` in a config file resolves to this package, so that it loads before anything is installed. */
const SELF = join(PACKAGE_FOLDER, 'index.js');

/**
 * Returns the configuration unchanged, with type checks for config files.
 *
 * @example
 * export default defineTGPConfig({ rootDir: './.tgp', sandbox: { timeoutMs: 200 } });
 */
export function defineTGPConfig(config: TGPConfigInput): TGPConfigInput {
  return config;
}

/**
 * Loads and checks a config file (.ts .mts .js .mjs .cjs .json), and fills in the defaults. Nothing is masked: tokens and
 * secrets of the file are included as text.
 * @throws {ConfigError} when it is missing, cannot be loaded, or holds a wrong or unknown key
 */
export async function loadTGPConfig(configFile: string): Promise<LoadedTGPConfig> {
  const { config } = await loadFile(configFile);
  return filledConfig(config, dirname(resolve(configFile)));
}

async function loadFile(configFile: string): Promise<ParsedConfig> {
  if (typeof configFile !== 'string' || configFile === '') {
    throw new ConfigError('"configFile" must be a file path.', { details: { key: 'configFile' } });
  }
  const file = resolve(configFile);
  if (!(await isFile(file))) {
    throw new ConfigError(
      `The config file "${basename(file)}" does not exist. Create it, correct its path, or name none to start without one.`,
    );
  }
  if (!EXTENSIONS.includes(extname(file))) {
    throw new ConfigError(
      `The config file "${basename(file)}" has an unknown type. Use one of ${EXTENSIONS.join(', ')}.`,
    );
  }
  const exported = extname(file) === '.json' ? await readJson(file) : await importModule(file);
  return parseConfig(exported, basename(file));
}

/** What the application provides to tools. */
type Application = Pick<TGPConfigInput, 'sql' | 'sandboxAPI' | 'policy'>;
/** @internal */
export type ResolvedConfig = {
  config: Omit<TGPConfigInput, 'sql' | 'sandboxAPI' | 'policy'>;
  /** What the configuration provides to tools. */
  application: Application;
  /** The folder that relative paths are resolved against. */
  baseDir: string;
  warnings: string[];
  /** The config file, if there is one. */
  file?: string;
};

/** Kernel option, set by the command line: the configuration it has already loaded. @internal */
export const RESOLVED = Symbol('resolved configuration');

/** The configuration of a kernel and the base folder of its relative paths. @internal */
export async function resolveConfig({
  configFile,
  config,
  vfs,
  [RESOLVED]: resolved,
}: {
  configFile?: string;
  config?: TGPConfigInput;
  vfs?: unknown;
  [RESOLVED]?: ResolvedConfig;
}): Promise<ResolvedConfig> {
  if (resolved !== undefined) return resolved;
  if (configFile !== undefined && config !== undefined) {
    throw new ConfigError('"configFile" and "config" cannot be used together. Remove one of them.');
  }
  const here = process.cwd();
  if (config !== undefined) {
    const inline = resolvedConfig(parseConfig(config, '"config"'), here);
    const isLocated = vfs !== undefined || inline.config.rootDir !== undefined || inline.config.git?.repo !== undefined;
    return isLocated ? inline : withWarning(inline, await secondWorkspaceWarning(here, 'inline', defaultFile));
  }
  const file = configFile ?? (await defaultFile(here));
  if (file === undefined) {
    const warning = vfs === undefined ? await secondWorkspaceWarning(here, 'not', defaultFile) : undefined;
    return withWarning(withoutFile(here), warning);
  }
  return { ...resolvedConfig(await loadFile(file), dirname(resolve(file))), file: resolve(file) };
}

function withWarning(resolved: ResolvedConfig, warning: string | undefined): ResolvedConfig {
  return warning === undefined ? resolved : { ...resolved, warnings: [...resolved.warnings, warning] };
}

/** The default configuration. @internal */
export function withoutFile(baseDir: string) {
  return resolvedConfig({ config: {}, ignored: [] }, baseDir);
}

function resolvedConfig(
  { config: { sql, sandboxAPI, policy, ...config }, ignored }: ParsedConfig,
  baseDir: string,
): ResolvedConfig {
  const allowedImports = config.allowedImports ?? installedDefaults(baseDir);
  const warnings = ignored.map((key) => `The configuration key "${key}" is ignored: it has no effect.`);
  return { config: { ...config, allowedImports }, application: { sql, sandboxAPI, policy }, baseDir, warnings };
}

/** The default config file in a folder, if it has one. @internal */
export async function defaultFile(folder: string): Promise<string | undefined> {
  for (const name of DEFAULT_FILES) {
    if (await isFile(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

async function isFile(path: string) {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return parseForeignJson(await readTextAtMost(file));
  } catch (error) {
    const cause = error instanceof BadJson ? (error.cause ?? error) : error;
    throw new ConfigError(
      `Failed to load TGP config from ${basename(file)}: it could not be read as JSON: ${reason(cause, file)}`,
      {
        cause,
      },
    );
  }
}

/** The exports of a config file. */
type Exports = { default?: unknown; config?: unknown; [Symbol.toStringTag]?: unknown };

async function importModule(file: string): Promise<unknown> {
  // Imported on demand: in an application's bundle it cannot be loaded, and a static import would fail before any message.
  const { createJiti } = await import('jiti');
  // No caches: a retried boot must read the corrected file, and loading a config must not leave files.
  const jiti = createJiti(file, {
    moduleCache: false,
    fsCache: false,
    interopDefault: false,
    alias: { '@tgp/core': SELF },
    nativeModules: [SELF],
  });
  let exported: Exports;
  try {
    // From its text: Node would cache .mjs and .cjs files.
    const options = { filename: file, async: true, forceTranspile: true };
    exported = (await jiti.evalModule(await readTextAtMost(file), options)) as Exports;
  } catch (cause) {
    const isMissing = MISSING_MODULE.has(String((cause as NodeJS.ErrnoException | null)?.code));
    const remedy = isMissing ? '. Install it, or correct the import.' : '';
    throw new ConfigError(`Failed to load TGP config from ${basename(file)}: ${reason(cause, file)}${remedy}`, {
      cause,
    });
  }
  const isEsm = '__esModule' in exported || exported[Symbol.toStringTag] === 'Module';
  const config = isEsm ? (exported.default ?? exported.config) : exported;
  if (config === undefined) {
    throw new ConfigError(
      `No default export found in ${basename(file)}. Write "export default defineTGPConfig({ … })".`,
    );
  }
  return config;
}

/** The first line of an error's message and the line of the file it names, with paths relative to the config file's folder. */
function reason(cause: unknown, file: string) {
  const message = cause instanceof Error ? cause.message : String(cause);
  const [first = '', second = ''] = message.split('\n', 2);
  const line = /:(\d+):\d+\s*$/.exec(second)?.[1];
  return `${first.replaceAll(dirname(file), '.').trim()}${line === undefined ? '' : ` in line ${line}`}`;
}
