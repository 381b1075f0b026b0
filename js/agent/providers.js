/** Models by name: which package speaks to their provider, and with which key. */

import { ConfigError, ValidationError } from '../boundary/errors.js';
import { foreignUrl } from '../boundary/foreign_url.js';
import { harmless } from '../boundary/harmless.js';
import { nearest } from '../boundary/spelling.js';
import { boundedFetch } from './bounded_fetch.js';
import { hidingKeys } from './hidden_keys.js';
import { optionalPackage } from './optional_package.js';

/**
 * @typedef {import('@ai-sdk/provider').LanguageModelV3} LanguageModel
 * @typedef {object} Provider
 * @property {string} package
 * @property {string[]} keys variables that may hold its key; the first that is set counts
 * @property {string} address the variable that may hold another address
 * @property {(sdk: any, model: string, key: { name: string, value: string }) => LanguageModel} open
 * @property {Record<string, Record<string, unknown>>} [settings] of every request
 */

const FORMS = 'openai/<model>, anthropic/<model> or compatible:<url>/<model>';
const COMPATIBLE = 'compatible:';
const COMPATIBLE_KEY = 'COMPATIBLE_API_KEY';
/** Where the address of an API ends: what follows is the model, which may have slashes in its name. */
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
    // What is stored there must be there to go on: an answer that broke off is not, and a session may go on months later.
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
 * The model that somebody means: one of the AI SDK as it is, or by its name.
 * @param {string | object} model `openai/gpt-…`, `anthropic/claude-…`, `compatible:<url>/<model>`, or a model of the AI SDK
 * @returns {Promise<LanguageModel>}
 * @throws {ConfigError} when a package or a key is missing, with what to do about it
 * @throws {ValidationError} for what is no model
 */
export async function resolveModel(model) {
  if (typeof model !== 'string') return givenModel(model);
  if (model.length > MAX_NAME_CHARS) throw noModel('It is too long for the name of a model.');
  if (model.startsWith(COMPATIBLE)) return compatibleModel(model.slice(COMPATIBLE.length));
  const slash = model.indexOf('/');
  const [name, id] = slash < 0 ? [model, ''] : [model.slice(0, slash), model.slice(slash + 1)];
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (provider === undefined) throw noModel(`"${harmless(model)}" names no provider.${suggestion(name, model)}`);
  if (id === '') throw noModel(`"${harmless(model)}" names no model.`);
  const sdk = await optionalPackage(provider.package, `The model "${harmless(model)}"`, `${provider.package}@3`);
  const key = keyOf(provider, model);
  const address = process.env[provider.address];
  if (address) checkAddress(address, `The address in ${provider.address}`, 'with a key');
  return hidingKeys(provider.open(sdk, id, key), provider.settings);
}

/**
 * @param {any} model
 * @returns {LanguageModel}
 */
function givenModel(model) {
  try {
    if (typeof model?.doStream === 'function' && typeof model.modelId === 'string') return model;
  } catch {
    // What does not let itself be looked at is none.
  }
  throw noModel('It is no language model of the AI SDK.');
}

/**
 * @param {string} text an address with a model behind it
 * @returns {Promise<LanguageModel>}
 */
async function compatibleModel(text) {
  const [, address, id] = VERSIONED.exec(text) ?? /^(\w+:\/\/.*?)\/([^/]+)$/.exec(text) ?? [];
  if (address === undefined || id === undefined) {
    throw noModel('"compatible:" needs an address and a model, such as compatible:http://localhost:11434/v1/llama3.');
  }
  const value = process.env[COMPATIBLE_KEY] || undefined;
  checkAddress(address, 'The address behind "compatible:"', value === undefined ? 'without a key' : 'with a key');
  const { createOpenAICompatible } = await optionalPackage(
    '@ai-sdk/openai-compatible',
    'A compatible model',
    '@ai-sdk/openai-compatible@2',
  );
  const settings = { name: 'compatible', baseURL: address, includeUsage: true, fetch: boundedFetch };
  return hidingKeys(createOpenAICompatible({ ...settings, ...(value && { apiKey: value }) })(id));
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
    `The model "${harmless(model)}" needs a key, and ${name} is not set. Set it with "export ${name}=<key>", or name another model: ${FORMS}.`,
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
    throw new ConfigError(`${what} is no http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(`${what} has a name or password in it. Give the key in a variable: ${COMPATIBLE_KEY}.`);
  }
  if (use === 'with a key' && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new ConfigError(
      `${what} is not encrypted, and a key would be sent to ${harmless(url.host)}. Use https, or unset the key.`,
    );
  }
}

/**
 * @param {string} name of a provider that does not exist
 * @param {string} model all that was said
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
