import { ConfigError } from '../boundary/errors.js';
import { foreignUrl } from '../boundary/foreign_url.js';

/**
 * @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput
 * @typedef {import('../../index.js').SecretConfigInput} Secret
 */

/** What a secret is shown as, here and in the native part. */
export const HIDDEN = '[hidden]';

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
 * @template Given, Made
 * @param {Record<string, Given>} secrets
 * @param {(secret: Given, name: string) => Made} change
 * @returns {Record<string, Made>}
 */
function mapSecrets(secrets, change) {
  return Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, change(secret, name)]));
}

/**
 * Secrets with their defaults. Those in environment variables stay there.
 * @param {Record<string, Secret>} secrets
 */
export function filledSecrets(secrets) {
  return mapSecrets(secrets, (secret) => ({ ...secret, hosts: secret.hosts ?? [], functions: secret.functions ?? [] }));
}

/**
 * Secrets as they may be shown: as the native part shows them once it has their values.
 * @param {import('../../index.js').LoadedTGPConfig['secrets']} secrets
 */
export function hiddenSecrets(secrets) {
  return mapSecrets(secrets, ({ hosts, functions }) => ({ value: HIDDEN, hosts, functions }));
}

/**
 * An address as it may be shown, as the native part shows it: without the user name, password and query of http, and without the
 * password of others.
 * @param {string} address
 */
export function shownAddress(address) {
  const [, scheme, rest] = /^(.*?:\/\/)([\s\S]*)$/.exec(address) ?? [];
  if (scheme === undefined || rest === undefined) return address;
  const isHttp = /^https?:/i.test(scheme);
  // Where its password ends is unknown.
  if (isHttp && foreignUrl(address) === undefined) return `${scheme}${HIDDEN}`;
  const [, info, after = ''] = /^(?:([^/?#\\]*)(?=@))?([\s\S]*)$/.exec(rest) ?? [];
  const user = info?.split(':', 1)[0];
  if (!isHttp) return user === info ? address : `${scheme}${user}:${HIDDEN}${after}`;
  const [place] = after.split('?', 1);
  return `${scheme}${info === undefined ? '' : HIDDEN}${place}${place === after ? '' : `?${HIDDEN}`}`;
}
