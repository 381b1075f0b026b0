import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { ConfigError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { installedDefaults } from './default_imports.js';
import { parseConfig } from './given_config.js';
import { filledConfig } from './shown_config.js';

/**
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('./given_config.js').Parsed} Parsed
 */

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'];
/** Looked for in this order when no config file is named. */
export const DEFAULT_FILES = EXTENSIONS.map((extension) => `tgp.config${extension}`);
/** What a config file gets for `@tgp/core`: this very package, so that it loads before anything is installed. */
const SELF = join(PACKAGE_FOLDER, 'index.js');

/** @type {typeof import('../../index.js').defineTGPConfig} */
export const defineTGPConfig = (config) => config;

/** @type {typeof import('../../index.js').loadTGPConfig} */
export async function loadTGPConfig(configFile) {
  const { config } = await loadGiven(configFile);
  return filledConfig(config, dirname(resolve(configFile)));
}

/**
 * @param {string} configFile
 * @returns {Promise<Parsed>}
 */
async function loadGiven(configFile) {
  if (typeof configFile !== 'string' || configFile === '') {
    throw new ConfigError('"configFile" must be the path of a file.', { details: { key: 'configFile' } });
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
 * @typedef {Pick<import('../../index.js').TGPConfigInput, 'sql' | 'sandboxAPI' | 'policy'>} Application what an application gives to tools
 * @typedef {object} ResolvedConfig
 * @property {Omit<TGPConfigInput, 'sql' | 'sandboxAPI' | 'policy'>} config
 * @property {Application} application what stands in the configuration for tools
 * @property {string} baseDir the folder that relative paths start from
 * @property {string[]} warnings
 * @property {string} [file] the config file, if there is one
 */

/** An option of the command line's own kernels: the configuration, which it has loaded already. */
export const RESOLVED = Symbol('resolved configuration');

/**
 * The configuration of a kernel and the folder that its relative paths start from.
 * @param {{ configFile?: string, config?: TGPConfigInput, [RESOLVED]?: ResolvedConfig }} options
 * @returns {Promise<ResolvedConfig>}
 */
export async function resolveConfig({ configFile, config, [RESOLVED]: resolved }) {
  if (resolved !== undefined) return resolved;
  if (configFile !== undefined && config !== undefined) {
    throw new ConfigError('Both "configFile" and "config" are given. Keep one of them.');
  }
  if (config !== undefined) return divided(parseConfig(config, '"config"'), process.cwd());
  const file = configFile ?? (await defaultFile(process.cwd()));
  if (file === undefined) return withoutFile(process.cwd());
  return { ...divided(await loadGiven(file), dirname(resolve(file))), file: resolve(file) };
}

/**
 * Where nothing is configured.
 * @param {string} baseDir
 */
export function withoutFile(baseDir) {
  return divided({ config: {}, ignored: [] }, baseDir);
}

/**
 * @param {Parsed} parsed
 * @param {string} baseDir
 * @returns {ResolvedConfig}
 */
function divided({ config: { sql, sandboxAPI, policy, ...config }, ignored }, baseDir) {
  const allowedImports = config.allowedImports ?? installedDefaults(baseDir);
  const warnings = ignored.map((key) => `Ignored: "${key}" of the configuration, which has no effect.`);
  return { config: { ...config, allowedImports }, application: { sql, sandboxAPI, policy }, baseDir, warnings };
}

/**
 * The config file that is used when none is named.
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
  // Not before it is needed: in an application's bundle it cannot be loaded at all, and nothing that says so would be reached.
  const { createJiti } = await import('jiti');
  // No caches: a retried boot must see the corrected file, and loading a config must leave no file behind.
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
    // By its text: Node itself would load .mjs and .cjs, and never again.
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
 * The first line of an error's message, with the files beside the config named as the user names them.
 * @param {unknown} cause
 * @param {string} file
 */
function reason(cause, file) {
  const message = cause instanceof Error ? cause.message : String(cause);
  return (message.split('\n', 1)[0] ?? '').replaceAll(dirname(file), '.').trim();
}
