/** The configuration as shown to applications: with defaults, without secrets. */

import { isRecord } from '../../boundary/foreign_json.js';
import type { FilledTGPConfig, LoadedTGPConfig, TGPConfigInput } from '../../types/config.js';
import { TGPConfigSchema } from './config_schemas.js';
import { filledSecrets, HIDDEN, hiddenSecrets, shownAddress } from './config_secrets.js';
import { installedDefaults } from './default_imports.js';
import { parseConfig } from './parse_config.js';

/** A configuration with the defaults that are known without a boot. */
export function filledConfig(config: TGPConfigInput, baseDir: string): LoadedTGPConfig {
  const filled = TGPConfigSchema.parse(config);
  const allowedImports = config.allowedImports ?? installedDefaults(baseDir);
  return { ...filled, allowedImports, secrets: filledSecrets(filled.secrets) };
}

/**
 * The shown configuration before the boot: the input with defaults, without secrets. The boot reports invalid input.
 */
export function previewConfig(input: TGPConfigInput | undefined): FilledTGPConfig {
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

/** The Git configuration without credentials. */
function hiddenGit({ repo, apiBaseUrl, auth, ...rest }: LoadedTGPConfig['git']) {
  return {
    ...rest,
    ...(repo !== undefined && { repo: shownAddress(repo) }),
    ...(apiBaseUrl !== undefined && { apiBaseUrl: shownAddress(apiBaseUrl) }),
    auth: auth.token === undefined ? auth : { ...auth, token: HIDDEN },
  };
}

function readableOrEmpty(input: TGPConfigInput | undefined): TGPConfigInput {
  try {
    return input === undefined ? {} : parseConfig(input, '"config"').config;
  } catch {
    return {};
  }
}

/**
 * Updates a configuration object in place, so that references to it stay valid.
 * @param source null stands for a key that is not set
 */
export function renewConfig(target: Record<string, unknown>, source: Record<string, unknown>) {
  for (const key of Object.keys(target)) if (!Object.hasOwn(source, key)) delete target[key];
  for (const [key, value] of Object.entries(source)) {
    if (value === null) delete target[key];
    else if (isRecord(target[key]) && isRecord(value)) renewConfig(target[key], value);
    else target[key] = value;
  }
}
