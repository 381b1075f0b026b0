/** Validates the options of `new TGP()`. */

import { ConfigError } from '../boundary/errors.js';
import { nearest } from '../boundary/spelling.js';
import { OWNER } from './agent_access.js';
import { RESOLVED } from './config.js';
import { consoleLogger } from './logger.js';
import { ConfigInputSchema } from './option_schemas.js';

/**
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').Logger} Logger
 * @typedef {object} KernelOptions
 * @property {TGPOptions} options the known ones, each read once
 * @property {Logger} logger
 * @property {import('../../index.js').TGPError | undefined} refusal the error that `boot()` throws, because the constructor must not
 */

/**
 * A validator for each option.
 * @satisfies {Record<keyof TGPOptions, (value: any) => string | undefined>}
 */
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
  telemetry: (value) =>
    value === false || isObject(value) ? undefined : 'must be false, or an object such as { contents: true }',
  logger: (value) =>
    isObject(value) ? undefined : 'must be an object with the methods debug, info, warn and error, such as console',
  // Options of the TypeScript package; ignored with a warning.
  fs: () => undefined,
  http: () => undefined,
};

/**
 * Reads the options of `new TGP()`. Never throws.
 * @param {unknown} input
 * @returns {KernelOptions}
 */
export function readOptions(input) {
  /** @type {Record<string | symbol, unknown>} */
  const options = {};
  /** @type {import('../../index.js').TGPError | undefined} */
  let refusal;
  const refuse = (/** @type {string} */ key, /** @type {string} */ why, /** @type {unknown} */ cause = undefined) => {
    refusal ??= new ConfigError(`new TGP(…): ${why}`, { cause, details: { key } });
  };
  try {
    if (input !== undefined && !isObject(input)) refuse('options', 'the options must be an object.');
    for (const [key, value] of Object.entries(input ?? {})) {
      if (value === undefined) continue;
      if (!Object.hasOwn(KINDS, key)) {
        refuse(key, unknownOption(key));
        continue;
      }
      const wrong = KINDS[/** @type {keyof TGPOptions} */ (key)](value);
      if (wrong === undefined) options[key] = value;
      else refuse(key, `"${key}" ${wrong}.`);
    }
    // Internal options of the command line.
    for (const key of [RESOLVED, OWNER]) {
      const own = /** @type {any} */ (input)?.[key];
      if (own !== undefined) options[key] = own;
    }
  } catch (cause) {
    refuse('options', 'the options cannot be read. Pass plain values.', cause);
  }
  return { options, logger: /** @type {Logger} */ (options.logger ?? consoleLogger), refusal };
}

/** @param {string} key */
function unknownOption(key) {
  const shown = key.slice(0, 100);
  if (Object.hasOwn(ConfigInputSchema.shape, key)) {
    return `"${shown}" is a configuration key. Move it into "config": new TGP({ config: { ${shown}: … } }).`;
  }
  const names = Object.keys(KINDS);
  const suggestion = nearest(key, names);
  if (suggestion !== undefined) return `"${shown}" is not known, did you mean "${suggestion}"?`;
  return `"${shown}" is not known (known: ${names.join(', ')}).`;
}

/** @param {unknown} value */
function isObject(value) {
  return (typeof value === 'object' && value !== null && !Array.isArray(value)) || isFunction(value);
}

/** @param {unknown} value */
function isFunction(value) {
  return typeof value === 'function';
}
