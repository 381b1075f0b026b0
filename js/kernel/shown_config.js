/** The configuration as shown to applications: with defaults, without secrets. */

import { TGPConfigSchema } from './config_schemas.js';
import { filledSecrets, HIDDEN, hiddenSecrets, shownAddress } from './config_secrets.js';
import { installedDefaults } from './default_imports.js';
import { parseConfig } from './parse_config.js';

/**
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').FilledTGPConfig} FilledTGPConfig
 * @typedef {import('../../index.js').LoadedTGPConfig} LoadedTGPConfig
 */

/**
 * A configuration with the defaults that are known without a boot.
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
 * The shown configuration before the boot: the input with defaults, without secrets. The boot reports invalid input.
 * @param {TGPConfigInput | undefined} input
 * @returns {FilledTGPConfig}
 */
export function previewConfig(input) {
  const { sql: _sql, sandboxAPI: _functions, policy: _policy, ...config } = readableOrEmpty(input);
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
 * The Git configuration without credentials.
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
 * @param {TGPConfigInput | undefined} input
 * @returns {TGPConfigInput}
 */
function readableOrEmpty(input) {
  try {
    return input === undefined ? {} : parseConfig(input, '"config"').config;
  } catch {
    return {};
  }
}

/**
 * Updates a configuration object in place, so that references to it stay valid.
 * @param {Record<string, any>} target
 * @param {Record<string, any>} source null stands for a key that is not set
 */
export function renewConfig(target, source) {
  for (const key of Object.keys(target)) if (!Object.hasOwn(source, key)) delete target[key];
  for (const [key, value] of Object.entries(source)) {
    if (value === null) delete target[key];
    else if (isGroup(target[key]) && isGroup(value)) renewConfig(target[key], value);
    else target[key] = value;
  }
}

/** @param {unknown} value */
function isGroup(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
