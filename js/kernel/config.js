/** Finds and loads the configuration: a named file, a default file, or an inline object. */

import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { ConfigError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { installedDefaults } from './default_imports.js';
import { parseConfig } from './parse_config.js';
import { filledConfig } from './shown_config.js';

/**
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('./parse_config.js').ParsedConfig} ParsedConfig
 */

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'];
/** The default config files, in order of precedence. */
export const DEFAULT_FILES = EXTENSIONS.map((extension) => `tgp.config${extension}`);
/** `@tgp/core` in a config file resolves to this package, so that it loads before anything is installed. */
const SELF = join(PACKAGE_FOLDER, 'index.js');

/** @type {typeof import('../../index.js').defineTGPConfig} */
export const defineTGPConfig = (config) => config;

/** @type {typeof import('../../index.js').loadTGPConfig} */
export async function loadTGPConfig(configFile) {
  const { config } = await loadFile(configFile);
  return filledConfig(config, dirname(resolve(configFile)));
}

/**
 * @param {string} configFile
 * @returns {Promise<ParsedConfig>}
 */
async function loadFile(configFile) {
  if (typeof configFile !== 'string' || configFile === '') {
    throw new ConfigError('"configFile" must be a file path.', { details: { key: 'configFile' } });
  }
  const file = resolve(configFile);
  if (!(await isFile(file))) {
    throw new ConfigError(
      `The config file "${basename(file)}" does not exist. Create it, correct "configFile", or leave "configFile" out to start without one.`,
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

/**
 * @typedef {Pick<import('../../index.js').TGPConfigInput, 'sql' | 'sandboxAPI' | 'policy'>} Application what the application provides to tools
 * @typedef {object} ResolvedConfig
 * @property {Omit<TGPConfigInput, 'sql' | 'sandboxAPI' | 'policy'>} config
 * @property {Application} application what the configuration provides to tools
 * @property {string} baseDir the folder that relative paths are resolved against
 * @property {string[]} warnings
 * @property {string} [file] the config file, if there is one
 */

/** Kernel option, set by the command line: the configuration it has already loaded. */
export const RESOLVED = Symbol('resolved configuration');

/**
 * The configuration of a kernel and the base folder of its relative paths.
 * @param {{ configFile?: string, config?: TGPConfigInput, [RESOLVED]?: ResolvedConfig }} options
 * @returns {Promise<ResolvedConfig>}
 */
export async function resolveConfig({ configFile, config, [RESOLVED]: resolved }) {
  if (resolved !== undefined) return resolved;
  if (configFile !== undefined && config !== undefined) {
    throw new ConfigError('"configFile" and "config" cannot be used together. Remove one of them.');
  }
  if (config !== undefined) return resolvedConfig(parseConfig(config, '"config"'), process.cwd());
  const file = configFile ?? (await defaultFile(process.cwd()));
  if (file === undefined) return withoutFile(process.cwd());
  return { ...resolvedConfig(await loadFile(file), dirname(resolve(file))), file: resolve(file) };
}

/**
 * The default configuration.
 * @param {string} baseDir
 */
export function withoutFile(baseDir) {
  return resolvedConfig({ config: {}, ignored: [] }, baseDir);
}

/**
 * @param {ParsedConfig} parsed
 * @param {string} baseDir
 * @returns {ResolvedConfig}
 */
function resolvedConfig({ config: { sql, sandboxAPI, policy, ...config }, ignored }, baseDir) {
  const allowedImports = config.allowedImports ?? installedDefaults(baseDir);
  const warnings = ignored.map((key) => `The configuration key "${key}" is ignored: it has no effect.`);
  return { config: { ...config, allowedImports }, application: { sql, sandboxAPI, policy }, baseDir, warnings };
}

/**
 * The default config file in a folder, if it has one.
 * @param {string} folder
 * @returns {Promise<string | undefined>}
 */
export async function defaultFile(folder) {
  for (const name of DEFAULT_FILES) {
    if (await isFile(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/** @param {string} path */
async function isFile(path) {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** @param {string} file */
async function readJson(file) {
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

/** @param {string} file */
async function importModule(file) {
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
  /** @type {any} */
  let exported;
  try {
    // From its text: Node would cache .mjs and .cjs files.
    exported = await jiti.evalModule(await readTextAtMost(file), { filename: file, async: true, forceTranspile: true });
  } catch (cause) {
    throw new ConfigError(`Failed to load TGP config from ${basename(file)}: ${reason(cause, file)}`, { cause });
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

/**
 * The first line of an error's message, with paths relative to the config file's folder.
 * @param {unknown} cause
 * @param {string} file
 */
function reason(cause, file) {
  const message = cause instanceof Error ? cause.message : String(cause);
  return (message.split('\n', 1)[0] ?? '').replaceAll(dirname(file), '.').trim();
}
