import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { createJiti } from 'jiti';
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
 * @typedef {{ config: TGPConfigInput, baseDir: string, warnings: string[] }} Resolved
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
 * The configuration of a kernel and the folder that its relative paths start from.
 * @param {{ configFile?: string, config?: TGPConfigInput }} options
 * @returns {Promise<Resolved>}
 */
export async function resolveConfig({ configFile, config }) {
  if (configFile !== undefined && config !== undefined) {
    throw new ConfigError('Both "configFile" and "config" are given. Keep one of them.');
  }
  if (config !== undefined) return resolved(parseConfig(config, '"config"'), process.cwd());
  const file = configFile ?? (await findDefault());
  if (file === undefined) return resolved({ config: {}, ignored: [] }, process.cwd());
  return resolved(await loadGiven(file), dirname(resolve(file)));
}

/**
 * @param {Parsed} parsed
 * @param {string} baseDir
 * @returns {Resolved}
 */
function resolved({ config, ignored }, baseDir) {
  const allowedImports = config.allowedImports ?? installedDefaults(baseDir);
  const warnings = ignored.map((key) => `Ignored: "${key}" of the configuration, which has no effect.`);
  return { config: { ...config, allowedImports }, baseDir, warnings };
}

async function findDefault() {
  for (const name of DEFAULT_FILES) {
    if (await isFile(resolve(name))) return name;
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
    exported = await jiti.import(file);
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
