/** Providers repeat what they were sent, keys too: nothing that they say leaves with one. */

import { optionalPackage } from './optional_package.js';
import { KeylessText, withoutKeys } from './provider_keys.js';

/** @typedef {import('@ai-sdk/provider').LanguageModelV3} LanguageModel */

/** Where failures of the AI SDK hold text of the provider. */
const TEXTS = /** @type {const} */ (['message', 'responseBody', 'stack']);
const MAX_CAUSES = 5;

/**
 * A model whose answers and failures hold no keys.
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

/** Where pieces of a text end. */
const ENDS = new Map([
  ['text-end', 'text-delta'],
  ['reasoning-end', 'reasoning-delta'],
  ['tool-input-end', 'tool-input-delta'],
]);
const DELTAS = new Set(ENDS.values());

function cleanedParts() {
  /** @type {Map<string, KeylessText>} */
  const texts = new Map();
  return new TransformStream({
    transform: (part, controller) => {
      const name = `${ENDS.get(part.type) ?? part.type} ${part.id}`;
      if (DELTAS.has(part.type) && typeof part.delta === 'string') {
        const text = texts.get(name) ?? new KeylessText();
        texts.set(name, text);
        return controller.enqueue({ ...part, delta: text.add(part.delta) });
      }
      const rest = ENDS.has(part.type) ? texts.get(name)?.end() : undefined;
      if (rest) controller.enqueue({ type: ENDS.get(part.type), id: part.id, delta: rest });
      texts.delete(name);
      if (part.type === 'error') return controller.enqueue({ ...part, error: cleaned(part.error) });
      const isCall = part.type === 'tool-call' && typeof part.input === 'string';
      controller.enqueue(isCall ? { ...part, input: withoutKeys(part.input) } : part);
    },
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
