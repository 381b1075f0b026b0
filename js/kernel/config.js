import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { createJiti } from 'jiti';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { ConfigError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { parseSettings } from '../boundary/validation.js';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { TGPConfigSchema } from './option_schemas.js';

/**
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').SecretConfigInput} Secret
 */

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'];
/** Looked for in this order when no config file is named. */
export const DEFAULT_FILES = EXTENSIONS.map((extension) => `tgp.config${extension}`);
/** What a config file gets for `@tgp/core`: this very package, so that it loads before anything is installed. */
const SELF = join(PACKAGE_FOLDER, 'index.js');

/** What a secret is shown as, here and in the native part. */
const HIDDEN = '[hidden]';

/** @type {typeof import('../../index.js').defineTGPConfig} */
export const defineTGPConfig = (config) => config;

/** @type {typeof import('../../index.js').loadTGPConfig} */
export async function loadTGPConfig(configFile) {
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
 * Checks a configuration and returns it; a wrong or unknown key is refused by its dotted name.
 * @param {unknown} input
 * @param {string} source what the configuration came from, for messages
 * @returns {TGPConfigInput}
 */
export function parseConfig(input, source) {
  return parseSettings(TGPConfigSchema, input, `Invalid TGP Configuration: ${source}`);
}

/**
 * The configuration of a kernel and the folder that its relative paths start from.
 * @param {{ configFile?: string, config?: TGPConfigInput }} options
 * @returns {Promise<{ config: TGPConfigInput, baseDir: string }>}
 */
export async function resolveConfig({ configFile, config }) {
  if (configFile !== undefined && config !== undefined) {
    throw new ConfigError('Both "configFile" and "config" are given. Keep one of them.');
  }
  if (config !== undefined) return { config: parseConfig(config, '"config"'), baseDir: process.cwd() };
  const file = configFile ?? (await findDefault());
  if (file === undefined) return { config: {}, baseDir: process.cwd() };
  return { config: await loadTGPConfig(file), baseDir: dirname(resolve(file)) };
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

/**
 * The configuration as given, without its secrets: it may be logged.
 * @param {TGPConfigInput} config
 * @returns {TGPConfigInput}
 */
export function masked(config) {
  const { git, network, secrets } = config;
  return {
    ...config,
    ...(git?.auth?.token !== undefined && { git: { ...git, auth: { ...git.auth, token: HIDDEN } } }),
    ...(secrets !== undefined && { secrets: mapSecrets(secrets, (secret) => ({ ...secret, value: HIDDEN })) }),
    ...(network?.proxy !== undefined && { network: { ...network, proxy: HIDDEN } }),
  };
}

/**
 * The configuration with the values of its secrets: those in environment variables are read now.
 * @param {TGPConfigInput} config
 * @returns {TGPConfigInput}
 */
export function withSecrets(config) {
  if (config.secrets === undefined) return config;
  return { ...config, secrets: mapSecrets(config.secrets, valued) };
}

/**
 * @param {Secret} secret
 * @param {string} name
 * @returns {Secret}
 */
function valued({ env, value, ...places }, name) {
  const key = `secrets.${name}`;
  if ((env === undefined) === (value === undefined)) {
    throw new ConfigError(`${key} needs either "value" or "env".`, { details: { key } });
  }
  const known = env === undefined ? value : process.env[env];
  if (known === undefined || known === '') {
    throw new ConfigError(
      `${key}.env names the environment variable ${env}, which is not set. Set it, or remove the secret.`,
      {
        details: { key: `${key}.env` },
      },
    );
  }
  return { ...places, value: known };
}

/**
 * @param {Record<string, Secret>} secrets
 * @param {(secret: Secret, name: string) => Secret} change
 */
function mapSecrets(secrets, change) {
  return Object.fromEntries(Object.entries(secrets ?? {}).map(([name, secret]) => [name, change(secret, name)]));
}
