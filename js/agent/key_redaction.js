/** Redacts API keys in responses and errors of model providers, which may echo them. */

import { optionalPackage } from './optional_package.js';
import { KeyRedactor, redactKeys } from './provider_keys.js';

/** @typedef {import('@ai-sdk/provider').LanguageModelV3} LanguageModel */

/** Error members of the AI SDK with text of the provider. */
const TEXTS = /** @type {const} */ (['message', 'responseBody', 'stack']);
const MAX_CAUSES = 5;

/**
 * Wraps a model so that its responses and errors contain no keys.
 * @param {LanguageModel} model
 * @param {Record<string, Record<string, unknown>>} [providerOptions] defaults of every request
 * @returns {Promise<LanguageModel>}
 */
export async function withKeyRedaction(model, providerOptions = {}) {
  const { wrapLanguageModel } = await optionalPackage('ai', 'The agent');
  /** @type {import('@ai-sdk/provider').LanguageModelV3Middleware} */
  const middleware = {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => ({ ...params, providerOptions: merged(providerOptions, params) }),
    wrapGenerate: async ({ doGenerate }) => {
      try {
        return await doGenerate();
      } catch (error) {
        throw redacted(error);
      }
    },
    wrapStream: async ({ doStream }) => {
      try {
        const { stream, ...rest } = await doStream();
        return { stream: stream.pipeThrough(redactedParts()), ...rest };
      } catch (error) {
        throw redacted(error);
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

/** The end part of each kind of streamed text, and its delta part. */
const ENDS = new Map([
  ['text-end', 'text-delta'],
  ['reasoning-end', 'reasoning-delta'],
  ['tool-input-end', 'tool-input-delta'],
]);
const DELTAS = new Set(ENDS.values());

function redactedParts() {
  /** @type {Map<string, KeyRedactor>} */
  const texts = new Map();
  return new TransformStream({
    transform: (part, controller) => {
      const name = `${ENDS.get(part.type) ?? part.type} ${part.id}`;
      if (DELTAS.has(part.type) && typeof part.delta === 'string') {
        const text = texts.get(name) ?? new KeyRedactor();
        texts.set(name, text);
        return controller.enqueue({ ...part, delta: text.add(part.delta) });
      }
      const rest = ENDS.has(part.type) ? texts.get(name)?.end() : undefined;
      if (rest) controller.enqueue({ type: ENDS.get(part.type), id: part.id, delta: rest });
      texts.delete(name);
      if (part.type === 'error') return controller.enqueue({ ...part, error: redacted(part.error) });
      const isCall = part.type === 'tool-call' && typeof part.input === 'string';
      controller.enqueue(isCall ? { ...part, input: redactKeys(part.input) } : part);
    },
  });
}

/**
 * Redacts keys in an error. The error stays the same object: the AI SDK checks its class to decide on a retry.
 * @param {unknown} error
 */
function redacted(error) {
  if (typeof error === 'string') return redactKeys(error);
  let at = /** @type {any} */ (error);
  for (let depth = 0; depth < MAX_CAUSES && typeof at === 'object' && at !== null; depth += 1) {
    for (const name of TEXTS) redactIn(at, name);
    // The parsed response; its text is in the message too.
    if (at.data !== undefined && containsKey(at.data)) Object.defineProperty(at, 'data', { value: undefined });
    at = at.cause;
  }
  return error;
}

/**
 * @param {any} error
 * @param {typeof TEXTS[number]} name
 */
function redactIn(error, name) {
  const text = error[name];
  if (typeof text !== 'string') return;
  const hidden = redactKeys(text);
  if (hidden === text) return;
  Object.defineProperty(error, name, { value: hidden, configurable: true, writable: true });
}

/** @param {unknown} data */
function containsKey(data) {
  try {
    const text = JSON.stringify(data);
    return redactKeys(text) !== text;
  } catch {
    return true;
  }
}
