/** Providers repeat what they were sent, keys too: no failure leaves with one. */

import { HIDDEN } from '../kernel/config_secrets.js';
import { optionalPackage } from './optional_package.js';

/** @typedef {import('@ai-sdk/provider').LanguageModelV3} LanguageModel */

/** Variables that hold keys of providers. */
const KEYS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'COMPATIBLE_API_KEY',
  'AI_GATEWAY_API_KEY',
];
/** Shorter ones are no keys: to take them out would take words apart. */
const MIN_KEY_CHARS = 8;
/** Where failures of the AI SDK hold text of the provider. */
const TEXTS = /** @type {const} */ (['message', 'responseBody', 'stack']);
const MAX_CAUSES = 5;

/**
 * A text without the keys of providers.
 * @param {string} text
 */
export function withoutKeys(text) {
  let hidden = text;
  for (const name of KEYS) {
    const key = process.env[name]?.trim();
    if (key !== undefined && key.length >= MIN_KEY_CHARS) hidden = hidden.replaceAll(key, HIDDEN);
  }
  return hidden;
}

/**
 * A model whose failures hold no keys.
 * @param {LanguageModel} model
 * @param {Record<string, Record<string, unknown>>} [providerOptions] of every request, where it says nothing else
 * @returns {Promise<LanguageModel>}
 */
export async function hidingKeys(model, providerOptions = {}) {
  const { wrapLanguageModel } = await optionalPackage('ai', 'The agent');
  /** @type {import('@ai-sdk/provider').LanguageModelV3Middleware} */
  const middleware = {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => ({ ...params, providerOptions: merged(providerOptions, params) }),
    wrapGenerate: async ({ doGenerate }) => {
      try {
        return await doGenerate();
      } catch (error) {
        throw cleaned(error);
      }
    },
    wrapStream: async ({ doStream }) => {
      try {
        const { stream, ...rest } = await doStream();
        return { stream: stream.pipeThrough(cleanedParts()), ...rest };
      } catch (error) {
        throw cleaned(error);
      }
    },
  };
  return wrapLanguageModel({ model, middleware });
}

/**
 * @param {Record<string, Record<string, unknown>>} settings
 * @param {{ providerOptions?: Record<string, any> }} params
 * @returns {any}
 */
function merged(settings, { providerOptions = {} }) {
  const own = Object.entries(settings).map(([name, options]) => [name, { ...options, ...providerOptions[name] }]);
  return { ...providerOptions, ...Object.fromEntries(own) };
}

function cleanedParts() {
  return new TransformStream({
    transform: (part, controller) =>
      controller.enqueue(part.type === 'error' ? { ...part, error: cleaned(part.error) } : part),
  });
}

/**
 * A failure without keys. It stays the same object: the AI SDK looks at its class to know whether to try again.
 * @param {unknown} error
 */
function cleaned(error) {
  if (typeof error === 'string') return withoutKeys(error);
  let at = /** @type {any} */ (error);
  for (let depth = 0; depth < MAX_CAUSES && typeof at === 'object' && at !== null; depth += 1) {
    for (const name of TEXTS) hideIn(at, name);
    // The answer as an object: its text is in the message.
    if (at.data !== undefined && holdsKey(at.data)) Object.defineProperty(at, 'data', { value: undefined });
    at = at.cause;
  }
  return error;
}

/**
 * @param {any} error
 * @param {typeof TEXTS[number]} name
 */
function hideIn(error, name) {
  const text = error[name];
  if (typeof text !== 'string') return;
  const hidden = withoutKeys(text);
  if (hidden === text) return;
  Object.defineProperty(error, name, { value: hidden, configurable: true, writable: true });
}

/** @param {unknown} data */
function holdsKey(data) {
  try {
    const text = JSON.stringify(data);
    return withoutKeys(text) !== text;
  } catch {
    return true;
  }
}
