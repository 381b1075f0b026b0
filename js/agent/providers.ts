/** Resolves model names to models of the AI SDK: package, key and address of each provider. */

import type { LanguageModelV3 as LanguageModel, SharedV3ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import { ConfigError, ValidationError } from '../boundary/errors.js';
import { foreignUrl } from '../boundary/foreign_url.js';
import { harmless } from '../boundary/harmless.js';
import { nearest } from '../boundary/spelling.js';
import { withKeyRedaction } from './key_redaction.js';
import { optionalPackage } from './optional_package.js';

type OpenModel = (model: string, key: { name: string; value: string }) => LanguageModel;

type Provider = {
  /** The package of its models. */
  package: string;
  /** Environment variables of its key; the first that is set is used. */
  keys: string[];
  /** Environment variable that overrides the address. */
  address: string;
  /** Loads its package. */
  load: (purpose: string) => Promise<OpenModel>;
  /** Options of every request. */
  settings?: ProviderOptions;
};

/** The forms of a model name, for messages. */
export const FORMS = 'openai/<model>, anthropic/<model> or compatible:<url>/<model>';
const COMPATIBLE = 'compatible:';
const COMPATIBLE_KEY = 'COMPATIBLE_API_KEY';
const COMPATIBLE_PACKAGE = '@ai-sdk/openai-compatible';
/** An API address that ends in a version, and the model after it, which may contain slashes. */
const VERSIONED = /^(.*?\/v\d+\w*)\/(.+)$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const MAX_NAME_CHARS = 2_000;

/** Larger than any turn of a model with its stream overhead. */
const MAX_ANSWER_BYTES = 64 << 20;
const NO_API = 'The address returned a web page instead of an API response. Check the address; most end in /v1.';

const PROVIDERS: Record<string, Provider> = {
  openai: {
    package: '@ai-sdk/openai',
    keys: ['OPENAI_API_KEY'],
    address: 'OPENAI_BASE_URL',
    load: async (purpose) => {
      const { createOpenAI } = await optionalPackage('@ai-sdk/openai', purpose, '@ai-sdk/openai@3');
      return (model, { value }) => createOpenAI({ apiKey: value, fetch: boundedFetch })(model);
    },
    // Stored responses expire, and incomplete ones are not stored, so a resumed session must not depend on them.
    settings: { openai: { store: false } },
  },
  anthropic: {
    package: '@ai-sdk/anthropic',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    address: 'ANTHROPIC_BASE_URL',
    load: async (purpose) => {
      const { createAnthropic } = await optionalPackage('@ai-sdk/anthropic', purpose, '@ai-sdk/anthropic@3');
      return (model, { name, value }) =>
        createAnthropic({
          ...(name === 'ANTHROPIC_AUTH_TOKEN' ? { authToken: value } : { apiKey: value }),
          fetch: boundedFetch,
        })(model);
    },
  },
};

/**
 * The packages of a model name, and the variable of its key if it is not set. For an invalid name only the package `ai`:
 * {@link resolveModel} refuses it.
 */
export function requirementsOf(model: string): { packages: string[]; variable?: string } {
  if (model.startsWith(COMPATIBLE)) return { packages: ['ai', COMPATIBLE_PACKAGE] };
  const name = model.slice(0, Math.max(0, model.indexOf('/')));
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (provider === undefined) return { packages: ['ai'] };
  const [variable] = provider.keys.some((key) => process.env[key]) ? [] : provider.keys;
  return { packages: ['ai', provider.package], ...(variable !== undefined && { variable }) };
}

/**
 * Resolves a model: a model object of the AI SDK, or a model name.
 * @param model `openai/gpt-…`, `anthropic/claude-…`, `compatible:<url>/<model>`, or a model of the AI SDK
 * @throws ConfigError when a package or a key is missing
 * @throws ValidationError when it is not a model
 */
export async function resolveModel(model: string | object): Promise<LanguageModel> {
  if (typeof model !== 'string') return checkedModel(model);
  if (model.length > MAX_NAME_CHARS) throw noModel('The model name is too long.');
  if (model.startsWith(COMPATIBLE)) return compatibleModel(model.slice(COMPATIBLE.length));
  const slash = model.indexOf('/');
  const [name, id] = slash < 0 ? [model, ''] : [model.slice(0, slash), model.slice(slash + 1)];
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (provider === undefined) throw noModel(`"${harmless(model)}" does not name a provider.${suggestion(name, model)}`);
  if (id === '') throw noModel(`"${harmless(model)}" does not name a model.`);
  const open = await provider.load(`The model "${harmless(model)}"`);
  const key = keyOf(provider, model);
  const address = process.env[provider.address];
  if (address) checkAddress(address, `The address in ${provider.address}`, 'with a key');
  return withKeyRedaction(open(id, key), provider.settings);
}

/**
 * A model of the AI SDK that can stream.
 * @throws ValidationError when it is not one
 */
export function checkedModel(model: Partial<LanguageModel>): LanguageModel {
  let canStream = true;
  try {
    if (isLanguageModel(model)) return model;
    canStream = typeof model?.doGenerate !== 'function' || typeof model.doStream === 'function';
  } catch {
    // A getter or proxy threw: not a model.
  }
  if (!canStream) throw cannotStream('it has no method doStream');
  throw noModel('The object is not a language model of the AI SDK.');
}

function isLanguageModel(model: Partial<LanguageModel>): model is LanguageModel {
  return typeof model?.doStream === 'function' && typeof model.modelId === 'string';
}

/** The error for a model whose answers cannot be streamed. */
export function cannotStream(why: string) {
  return new ValidationError(
    `The model cannot stream: ${why}. An agent reads every answer as a stream: use a model with doStream, not with doGenerate alone.`,
    { details: { field: 'model' } },
  );
}

/** @param text an address with a model behind it */
async function compatibleModel(text: string): Promise<LanguageModel> {
  const [, address, id] = VERSIONED.exec(text) ?? /^(\w+:\/\/.*?)\/([^/]+)$/.exec(text) ?? [];
  if (address === undefined || id === undefined) {
    throw noModel(
      '"compatible:" requires an address and a model, such as compatible:http://localhost:11434/v1/llama3.',
    );
  }
  const value = process.env[COMPATIBLE_KEY] || undefined;
  checkAddress(address, 'The address behind "compatible:"', value === undefined ? 'without a key' : 'with a key');
  const { createOpenAICompatible } = await optionalPackage(
    COMPATIBLE_PACKAGE,
    'A compatible model',
    '@ai-sdk/openai-compatible@2',
  );
  const settings = { name: 'compatible', baseURL: address, includeUsage: true, fetch: boundedFetch };
  return withKeyRedaction(createOpenAICompatible({ ...settings, ...(value && { apiKey: value }) })(id));
}

function keyOf({ keys }: Provider, model: string) {
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

/** @param what the address is, at the beginning of a sentence */
function checkAddress(text: string, what: string, use: 'with a key' | 'without a key') {
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
 * @param name of a provider that does not exist
 * @param model the whole model name
 */
function suggestion(name: string, model: string) {
  const near = nearest(name, Object.keys(PROVIDERS));
  if (near !== undefined) return ` Did you mean "${near}/…"?`;
  if (/^(?:gpt|o\d|chatgpt|codex)/i.test(model)) return ` Did you mean "openai/${harmless(model)}"?`;
  if (/^claude/i.test(model)) return ` Did you mean "anthropic/${harmless(model)}"?`;
  return '';
}

function noModel(problem: string) {
  return new ValidationError(`${problem} A model is ${FORMS}, or a model of the AI SDK.`, {
    details: { field: 'model' },
  });
}

/** `fetch` for the provider packages: responses are limited in size, and redirects are refused. */
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  // A redirect would send the key to another server.
  const answer = await fetch(input, { ...init, redirect: 'error' });
  if (answer.body === null) return answer;
  if (answer.ok && /^text\/html\b/i.test(answer.headers.get('content-type') ?? '')) {
    await answer.body.cancel();
    return Response.json({ error: { message: NO_API } }, { status: 404 });
  }
  let bytes = 0;
  const bounded = new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_ANSWER_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`The provider's answer is longer than ${MAX_ANSWER_BYTES >> 20} MB.`));
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(bounded), { status, statusText, headers });
}
