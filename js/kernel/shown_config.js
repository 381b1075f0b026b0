import { TGPConfigSchema } from './config_schemas.js';
import { filledSecrets, HIDDEN, hiddenSecrets, shownAddress } from './config_secrets.js';
import { installedDefaults } from './default_imports.js';
import { parseConfig } from './given_config.js';

/**
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').FilledTGPConfig} FilledTGPConfig
 * @typedef {import('../../index.js').LoadedTGPConfig} LoadedTGPConfig
 */

/**
 * A configuration with its defaults, as far as they are known without a boot.
 * @param {TGPConfigInput} config
 * @param {string} baseDir
 * @returns {LoadedTGPConfig}
 */
export function filledConfig(config, baseDir) {
  const filled = /** @type {any} */ (TGPConfigSchema.parse(config));
  const allowedImports = config.allowedImports ?? installedDefaults(baseDir);
  return { ...filled, allowedImports, secrets: filledSecrets(filled.secrets) };
}

/**
 * What a kernel shows of its configuration before it has read it: what is given with its defaults, without its secrets. What
 * is wrong with it is told by the boot.
 * @param {TGPConfigInput | undefined} given
 * @returns {FilledTGPConfig}
 */
export function previewConfig(given) {
  const { sql: _sql, sandboxAPI: _functions, policy: _policy, ...config } = readableOrNothing(given);
  const { git, network, ledger, secrets, tokens, ...rest } = filledConfig(config, process.cwd());
  return {
    ...rest,
    git: hiddenGit(git),
    secrets: hiddenSecrets(secrets),
    tokens: { ...tokens, keys: tokens.keys.map(() => HIDDEN) },
    ledger: {
      ...ledger,
      ...(ledger.postgres !== undefined && { postgres: HIDDEN }),
      ...(ledger.key !== undefined && { key: HIDDEN }),
    },
    network: network.proxy === undefined ? network : { ...network, proxy: HIDDEN },
  };
}

/**
 * Where tools are kept, without credentials.
 * @param {LoadedTGPConfig['git']} git
 */
function hiddenGit({ repo, apiBaseUrl, auth, ...rest }) {
  return {
    ...rest,
    ...(repo !== undefined && { repo: shownAddress(repo) }),
    ...(apiBaseUrl !== undefined && { apiBaseUrl: shownAddress(apiBaseUrl) }),
    auth: auth.token === undefined ? auth : { ...auth, token: HIDDEN },
  };
}

/**
 * @param {TGPConfigInput | undefined} given
 * @returns {TGPConfigInput}
 */
function readableOrNothing(given) {
  try {
    return given === undefined ? {} : parseConfig(given, '"config"').config;
  } catch {
    return {};
  }
}

/**
 * Makes a configuration that somebody holds what it is now.
 * @param {Record<string, any>} held
 * @param {Record<string, any>} now null stands for a key that is not set
 */
export function renewConfig(held, now) {
  for (const key of Object.keys(held)) if (!Object.hasOwn(now, key)) delete held[key];
  for (const [key, value] of Object.entries(now)) {
    if (value === null) delete held[key];
    else if (isGroup(held[key]) && isGroup(value)) renewConfig(held[key], value);
    else held[key] = value;
  }
}

/** @param {unknown} value */
function isGroup(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
