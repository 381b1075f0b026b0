/** Resolves model names to models of the AI SDK: package, key and address of each provider. */

import { ConfigError, ValidationError } from '../boundary/errors.js';
import { foreignUrl } from '../boundary/foreign_url.js';
import { harmless } from '../boundary/harmless.js';
import { nearest } from '../boundary/spelling.js';
import { boundedFetch } from './bounded_fetch.js';
import { withKeyRedaction } from './key_redaction.js';
import { optionalPackage } from './optional_package.js';

/**
 * @typedef {import('@ai-sdk/provider').LanguageModelV3} LanguageModel
 * @typedef {object} Provider
 * @property {string} package
 * @property {string[]} keys environment variables of its key; the first that is set is used
 * @property {string} address environment variable that overrides the address
 * @property {(sdk: any, model: string, key: { name: string, value: string }) => LanguageModel} open
 * @property {Record<string, Record<string, unknown>>} [settings] of every request
 */

const FORMS = 'openai/<model>, anthropic/<model> or compatible:<url>/<model>';
const COMPATIBLE = 'compatible:';
const COMPATIBLE_KEY = 'COMPATIBLE_API_KEY';
/** An API address that ends in a version, and the model after it, which may contain slashes. */
const VERSIONED = /^(.*?\/v\d+\w*)\/(.+)$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const MAX_NAME_CHARS = 2_000;

/** @type {Record<string, Provider>} */
const PROVIDERS = {
  openai: {
    package: '@ai-sdk/openai',
    keys: ['OPENAI_API_KEY'],
    address: 'OPENAI_BASE_URL',
    open: ({ createOpenAI }, model, { value }) => createOpenAI({ apiKey: value, fetch: boundedFetch })(model),
    // Stored responses expire, and incomplete ones are not stored, so a resumed session must not depend on them.
    settings: { openai: { store: false } },
  },
  anthropic: {
    package: '@ai-sdk/anthropic',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    address: 'ANTHROPIC_BASE_URL',
    open: ({ createAnthropic }, model, { name, value }) =>
      createAnthropic({
        ...(name === 'ANTHROPIC_AUTH_TOKEN' ? { authToken: value } : { apiKey: value }),
        fetch: boundedFetch,
      })(model),
  },
};

/**
 * Resolves a model: a model object of the AI SDK, or a model name.
 * @param {string | object} model `openai/gpt-…`, `anthropic/claude-…`, `compatible:<url>/<model>`, or a model of the AI SDK
 * @returns {Promise<LanguageModel>}
 * @throws {ConfigError} when a package or a key is missing
 * @throws {ValidationError} when it is not a model
 */
export async function resolveModel(model) {
  if (typeof model !== 'string') return checkedModel(model);
  if (model.length > MAX_NAME_CHARS) throw noModel('The model name is too long.');
  if (model.startsWith(COMPATIBLE)) return compatibleModel(model.slice(COMPATIBLE.length));
  const slash = model.indexOf('/');
  const [name, id] = slash < 0 ? [model, ''] : [model.slice(0, slash), model.slice(slash + 1)];
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (provider === undefined) throw noModel(`"${harmless(model)}" does not name a provider.${suggestion(name, model)}`);
  if (id === '') throw noModel(`"${harmless(model)}" does not name a model.`);
  const sdk = await optionalPackage(provider.package, `The model "${harmless(model)}"`, `${provider.package}@3`);
  const key = keyOf(provider, model);
  const address = process.env[provider.address];
  if (address) checkAddress(address, `The address in ${provider.address}`, 'with a key');
  return withKeyRedaction(provider.open(sdk, id, key), provider.settings);
}

/**
 * @param {any} model
 * @returns {LanguageModel}
 */
function checkedModel(model) {
  try {
    if (typeof model?.doStream === 'function' && typeof model.modelId === 'string') return model;
  } catch {
    // A getter or proxy threw: not a model.
  }
  throw noModel('The object is not a language model of the AI SDK.');
}

/**
 * @param {string} text an address with a model behind it
 * @returns {Promise<LanguageModel>}
 */
async function compatibleModel(text) {
  const [, address, id] = VERSIONED.exec(text) ?? /^(\w+:\/\/.*?)\/([^/]+)$/.exec(text) ?? [];
  if (address === undefined || id === undefined) {
    throw noModel(
      '"compatible:" requires an address and a model, such as compatible:http://localhost:11434/v1/llama3.',
    );
  }
  const value = process.env[COMPATIBLE_KEY] || undefined;
  checkAddress(address, 'The address behind "compatible:"', value === undefined ? 'without a key' : 'with a key');
  const { createOpenAICompatible } = await optionalPackage(
    '@ai-sdk/openai-compatible',
    'A compatible model',
    '@ai-sdk/openai-compatible@2',
  );
  const settings = { name: 'compatible', baseURL: address, includeUsage: true, fetch: boundedFetch };
  return withKeyRedaction(createOpenAICompatible({ ...settings, ...(value && { apiKey: value }) })(id));
}

/**
 * @param {Provider} provider
 * @param {string} model
 */
function keyOf({ keys }, model) {
  for (const name of keys) {
    const value = process.env[name];
    if (value) return { name, value };
  }
  const [name = ''] = keys;
  throw new ConfigError(
    `The model "${harmless(model)}" requires a key, and ${name} is not set. Set it with "export ${name}=<key>", or use another model: ${FORMS}.`,
    { details: { variable: name } },
  );
}

/**
 * @param {string} text
 * @param {string} what the address is, at the beginning of a sentence
 * @param {'with a key' | 'without a key'} use
 */
function checkAddress(text, what, use) {
  const url = foreignUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${what} is not an http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(
      `${what} contains a user name or password. Set the key in the environment variable ${COMPATIBLE_KEY}.`,
    );
  }
  if (use === 'with a key' && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new ConfigError(
      `${what} is not encrypted, and the key would be sent to ${harmless(url.host)}. Use https, or unset the key.`,
    );
  }
}

/**
 * @param {string} name of a provider that does not exist
 * @param {string} model the whole model name
 */
function suggestion(name, model) {
  const near = nearest(name, Object.keys(PROVIDERS));
  if (near !== undefined) return ` Did you mean "${near}/…"?`;
  if (/^(?:gpt|o\d|chatgpt|codex)/i.test(model)) return ` Did you mean "openai/${harmless(model)}"?`;
  if (/^claude/i.test(model)) return ` Did you mean "anthropic/${harmless(model)}"?`;
  return '';
}

/** @param {string} problem */
function noModel(problem) {
  return new ValidationError(`${problem} A model is ${FORMS}, or a model of the AI SDK.`, {
    details: { field: 'model' },
  });
}
