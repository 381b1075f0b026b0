/** Secrets of the configuration: resolved from environment variables, and masked for display. */

import { ConfigError } from '../../boundary/errors.js';
import { foreignUrl } from '../../boundary/foreign_url.js';
import type { LoadedTGPConfig, TGPConfigInput } from '../../types/config.js';
import type { SecretConfigInput as Secret } from '../../types/secrets.js';

/** The mask of a secret. The native part uses the same. */
export const HIDDEN = '[hidden]';

/** The configuration with secret values; environment variables are read now. */
export function withSecrets(config: TGPConfigInput): TGPConfigInput {
  if (config.secrets === undefined) return config;
  return { ...config, secrets: mapSecrets(config.secrets, withValue) };
}

function withValue({ env, value, ...places }: Secret, name: string): Secret {
  const key = `secrets.${name}`;
  if ((env === undefined) === (value === undefined)) {
    throw new ConfigError(`${key} needs either "value" or "env".`, { details: { key } });
  }
  const resolved = env === undefined ? value : process.env[env];
  if (resolved === undefined || resolved === '') {
    throw new ConfigError(
      `${key}.env names the environment variable ${env}, which is not set. Set it, or remove the secret.`,
      {
        details: { key: `${key}.env` },
      },
    );
  }
  return { ...places, value: resolved };
}

function mapSecrets<Given, Made>(
  secrets: Record<string, Given>,
  change: (secret: Given, name: string) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, change(secret, name)]));
}

/** Secrets with their defaults. Environment variables are not read. */
export function filledSecrets(secrets: Record<string, Secret>) {
  return mapSecrets(secrets, (secret) => ({ ...secret, hosts: secret.hosts ?? [], functions: secret.functions ?? [] }));
}

/** Secrets with masked values, as the native part shows them after the boot. */
export function hiddenSecrets(secrets: LoadedTGPConfig['secrets']) {
  return mapSecrets(secrets, ({ hosts, functions }) => ({ value: HIDDEN, hosts, functions }));
}

/**
 * An address with its credentials masked, as the native part shows it: user name, password and query of http addresses, and the
 * password of others.
 */
export function shownAddress(address: string) {
  const [, scheme, rest] = /^(.*?:\/\/)([\s\S]*)$/.exec(address) ?? [];
  if (scheme === undefined || rest === undefined) return address;
  const isHttp = /^https?:/i.test(scheme);
  // An invalid address: the end of its password is unknown.
  if (isHttp && foreignUrl(address) === undefined) return `${scheme}${HIDDEN}`;
  const [, info, after = ''] = /^(?:([^/?#\\]*)(?=@))?([\s\S]*)$/.exec(rest) ?? [];
  const user = info?.split(':', 1)[0];
  if (!isHttp) return user === info ? address : `${scheme}${user}:${HIDDEN}${after}`;
  const [place] = after.split('?', 1);
  return `${scheme}${info === undefined ? '' : HIDDEN}${place}${place === after ? '' : `?${HIDDEN}`}`;
}
