/** Validates the options of `new TGP()`. */

import type { Caller } from '../../boundary/caller.js';
import type { TGPError } from '../../boundary/errors.js';
import { ConfigError } from '../../boundary/errors.js';
import { isRecord } from '../../boundary/foreign_json.js';
import { nearest } from '../../boundary/spelling.js';
import type { Logger, TGPOptions } from '../../types/kernel.js';
import { OWNER } from '../access_symbols.js';
import { consoleLogger } from '../logger.js';
import type { ResolvedConfig } from './config.js';
import { RESOLVED } from './config.js';
import { ConfigInputSchema } from './option_schemas.js';

export type KernelOptions = {
  /** The known ones, each read once. */
  options: TGPOptions & { [RESOLVED]?: ResolvedConfig; [OWNER]?: Caller };
  logger: Logger;
  /** The error that `boot()` throws, because the constructor must not. */
  refusal: TGPError | undefined;
};

/** A validator for each option. */
const KINDS = {
  configFile: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a file path'),
  config: (value) => (isObject(value) ? undefined : 'must be an object'),
  sandboxAPI: (value) => (isObject(value) ? undefined : 'must be an object of functions'),
  // Validated by js/sql.
  sql: () => undefined,
  vfs: (value) =>
    isObject(value) && ['readFile', 'writeFile', 'exists', 'listFiles'].every((name) => isFunction(value[name]))
      ? undefined
      : 'must be a file adapter, such as the result of createMemoryVFS()',
  embed: (value) => (isFunction(value) ? undefined : 'must be a function that takes texts and returns their vectors'),
  redact: (value) => (isFunction(value) ? undefined : 'must be a function that takes an event and returns it'),
  approve: (value) =>
    isFunction(value) ? undefined : 'must be a function that takes a request and returns true, false or { approved }',
  reviewPlan: (value) =>
    isFunction(value) ? undefined : 'must be a function that takes a plan and returns { type, … }',
  telemetry: (value) =>
    value === false || isObject(value) ? undefined : 'must be false, or an object such as { contents: true }',
  logger: (value) =>
    isObject(value) ? undefined : 'must be an object with the methods debug, info, warn and error, such as console',
  // Options of the TypeScript package; ignored with a warning.
  fs: () => undefined,
  http: () => undefined,
} satisfies Record<keyof TGPOptions, (value: unknown) => string | undefined>;

/** Reads the options of `new TGP()`. Never throws. */
export function readOptions(input: unknown): KernelOptions {
  const options: Record<string | symbol, unknown> = {};
  let refusal: TGPError | undefined;
  const refuse = (key: string, why: string, cause: unknown = undefined) => {
    refusal ??= new ConfigError(`new TGP(…): ${why}`, { cause, details: { key } });
  };
  try {
    if (input !== undefined && !isObject(input))
      refuse('options', "the options must be an object, such as { configFile: './tgp.config.ts' }.");
    for (const [key, value] of Object.entries(input ?? {})) {
      if (value === undefined) continue;
      if (!Object.hasOwn(KINDS, key)) {
        refuse(key, unknownOption(key));
        continue;
      }
      const wrong = KINDS[key as keyof TGPOptions](value);
      if (wrong === undefined) options[key] = value;
      else refuse(key, `"${key}" ${wrong}.`);
    }
    // Internal options of the command line.
    for (const key of [RESOLVED, OWNER]) {
      const own = isObject(input) ? input[key] : undefined;
      if (own !== undefined) options[key] = own;
    }
  } catch (cause) {
    refuse('options', 'the options cannot be read. Pass plain values.', cause);
  }
  return { options, logger: (options.logger ?? consoleLogger) as Logger, refusal };
}

function unknownOption(key: string) {
  const shown = key.slice(0, 100);
  if (Object.hasOwn(ConfigInputSchema.shape, key)) {
    return `"${shown}" is a configuration key. Move it into "config": new TGP({ config: { ${shown}: … } }).`;
  }
  const names = Object.keys(KINDS);
  const suggestion = nearest(key, names);
  if (suggestion !== undefined) return `"${shown}" is not known, did you mean "${suggestion}"?`;
  return `"${shown}" is not known (known: ${names.join(', ')}).`;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return isRecord(value) || isFunction(value);
}

function isFunction(value: unknown) {
  return typeof value === 'function';
}

/** Options of the TypeScript package that this one replaces; the native kernel does not need them. */
const IGNORED_OPTIONS = ['fs', 'http'] as const;

/** Warns of options of the TypeScript package that have no effect any more. */
export function warnOfIgnoredOptions(options: TGPOptions, log: Logger) {
  const ignored = IGNORED_OPTIONS.filter((name) => options[name] !== undefined);
  if (ignored.length > 0) {
    log.warn(`Ignored options: ${ignored.join(' and ')}. The native kernel accesses files and Git remotes itself.`);
  }
}
