/** Redacts API keys in responses and errors of model providers, which may echo them. */

import type {
  LanguageModelV3 as LanguageModel,
  LanguageModelV3Middleware,
  SharedV3ProviderOptions as ProviderOptions,
  LanguageModelV3StreamPart as StreamPart,
} from '@ai-sdk/provider';
import { optionalPackage } from './optional_package.js';
import { KeyRedactor, redactKeys } from './provider_keys.js';
import { type DeltaPart, isDelta } from './turn_reader.js';

type EndPart = Extract<StreamPart, { type: 'text-end' | 'reasoning-end' | 'tool-input-end' }>;
/** The members of an error of the AI SDK that are redacted. */
type ProviderFailure = { message?: unknown; responseBody?: unknown; stack?: unknown; data?: unknown; cause?: unknown };

/** Error members of the AI SDK with text of the provider. */
const TEXTS = ['message', 'responseBody', 'stack'] as const;
const MAX_CAUSES = 5;

/**
 * Wraps a model so that its responses and errors contain no keys.
 * @param providerOptions defaults of every request
 */
export async function withKeyRedaction(
  model: LanguageModel,
  providerOptions: ProviderOptions = {},
): Promise<LanguageModel> {
  const { wrapLanguageModel } = await optionalPackage('ai', 'The agent');
  const middleware: LanguageModelV3Middleware = {
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

function merged(
  settings: ProviderOptions,
  { providerOptions = {} }: { providerOptions?: ProviderOptions },
): ProviderOptions {
  const own = Object.entries(settings).map(
    ([name, options]) => [name, { ...options, ...providerOptions[name] }] as const,
  );
  return { ...providerOptions, ...Object.fromEntries(own) };
}

/** The end part of each kind of streamed text, and its delta part. */
const ENDS = new Map<string, DeltaPart['type']>([
  ['text-end', 'text-delta'],
  ['reasoning-end', 'reasoning-delta'],
  ['tool-input-end', 'tool-input-delta'],
]);

function redactedParts() {
  const texts = new Map<string, KeyRedactor>();
  return new TransformStream<StreamPart, StreamPart>({
    transform: (part, controller) => {
      if (isDelta(part)) {
        const name = `${part.type} ${part.id}`;
        const text = texts.get(name) ?? new KeyRedactor();
        texts.set(name, text);
        return controller.enqueue({ ...part, delta: text.add(part.delta) });
      }
      const type = ENDS.get(part.type);
      if (type !== undefined && isEnd(part)) {
        const name = `${type} ${part.id}`;
        const rest = texts.get(name)?.end();
        if (rest) controller.enqueue({ type, id: part.id, delta: rest });
        texts.delete(name);
      }
      if (part.type === 'error') return controller.enqueue({ ...part, error: redacted(part.error) });
      const isCall = part.type === 'tool-call' && typeof part.input === 'string';
      controller.enqueue(isCall ? { ...part, input: redactKeys(part.input) } : part);
    },
  });
}

function isEnd(part: StreamPart): part is EndPart {
  return ENDS.has(part.type);
}

/** Redacts keys in an error. The error stays the same object: the AI SDK checks its class to decide on a retry. */
function redacted(error: unknown) {
  if (typeof error === 'string') return redactKeys(error);
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && isFailure(at); depth += 1) {
    for (const name of TEXTS) redactIn(at, name);
    // The parsed response; its text is in the message too.
    if (at.data !== undefined && containsKey(at.data)) Object.defineProperty(at, 'data', { value: undefined });
    at = at.cause;
  }
  return error;
}

function isFailure(error: unknown): error is ProviderFailure {
  return typeof error === 'object' && error !== null;
}

function redactIn(error: ProviderFailure, name: (typeof TEXTS)[number]) {
  const text = error[name];
  if (typeof text !== 'string') return;
  const hidden = redactKeys(text);
  if (hidden === text) return;
  Object.defineProperty(error, name, { value: hidden, configurable: true, writable: true });
}

function containsKey(data: unknown) {
  try {
    const text = JSON.stringify(data);
    return redactKeys(text) !== text;
  } catch {
    return true;
  }
}
