import { ConfigError } from '../boundary/errors.js';
import { nearest } from '../boundary/near_name.js';
import { OWNER } from './agent_access.js';
import { RESOLVED } from './config.js';
import { consoleLogger } from './logger.js';
import { GivenConfigSchema } from './option_schemas.js';

/**
 * @typedef {import('../../index.js').TGPOptions} TGPOptions
 * @typedef {import('../../index.js').Logger} Logger
 * @typedef {object} KernelOptions
 * @property {TGPOptions} options those that are known, each read once
 * @property {Logger} logger
 * @property {import('../../index.js').TGPError | undefined} refusal why `boot()` will refuse them: the constructor does not throw
 */

/**
 * Every option, and what it must be.
 * @satisfies {Record<keyof TGPOptions, (value: any) => string | undefined>}
 */
const KINDS = {
  configFile: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be the path of a file'),
  config: (value) => (isObject(value) ? undefined : 'must be an object'),
  sandboxAPI: (value) => (isObject(value) ? undefined : 'must be an object of functions'),
  // Its own part knows what it may be.
  sql: () => undefined,
  vfs: (value) =>
    isObject(value) && ['readFile', 'writeFile', 'exists', 'listFiles'].every((name) => isFunction(value[name]))
      ? undefined
      : 'must be an adapter of files, such as createMemoryVFS() makes',
  embed: (value) => (isFunction(value) ? undefined : 'must be a function that takes texts and gives their vectors'),
  redact: (value) => (isFunction(value) ? undefined : 'must be a function that takes an event and gives it back'),
  approve: (value) => (isFunction(value) ? undefined : 'must be a function that takes a request and says yes or no'),
  telemetry: (value) =>
    value === false || isObject(value) ? undefined : 'must be false, or an object such as { contents: true }',
  logger: (value) =>
    isObject(value) ? undefined : 'must be an object with the methods debug, info, warn and error; console fits',
  // Of the package that this one replaces; ignored with a warning.
  fs: () => undefined,
  http: () => undefined,
};

/**
 * What `new TGP()` was given.
 * @param {unknown} given
 * @returns {KernelOptions}
 */
export function readOptions(given) {
  /** @type {Record<string | symbol, unknown>} */
  const options = {};
  /** @type {import('../../index.js').TGPError | undefined} */
  let refusal;
  const refuse = (/** @type {string} */ key, /** @type {string} */ why, /** @type {unknown} */ cause = undefined) => {
    refusal ??= new ConfigError(`new TGP(…): ${why}`, { cause, details: { key } });
  };
  try {
    if (given !== undefined && !isObject(given)) refuse('options', 'the options must be an object.');
    for (const [key, value] of Object.entries(given ?? {})) {
      if (value === undefined) continue;
      if (!Object.hasOwn(KINDS, key)) {
        refuse(key, unknownOption(key));
        continue;
      }
      const wrong = KINDS[/** @type {keyof TGPOptions} */ (key)](value);
      if (wrong === undefined) options[key] = value;
      else refuse(key, `"${key}" ${wrong}.`);
    }
    // Of our own command line.
    for (const key of [RESOLVED, OWNER]) {
      const own = /** @type {any} */ (given)?.[key];
      if (own !== undefined) options[key] = own;
    }
  } catch (cause) {
    refuse('options', 'the options could not be read; pass plain values.', cause);
  }
  return { options, logger: /** @type {Logger} */ (options.logger ?? consoleLogger), refusal };
}

/** @param {string} key */
function unknownOption(key) {
  const shown = key.slice(0, 100);
  if (Object.hasOwn(GivenConfigSchema.shape, key)) {
    return `"${shown}" belongs to the configuration; put it into "config": new TGP({ config: { ${shown}: … } }).`;
  }
  const names = Object.keys(KINDS);
  const meant = nearest(key, names);
  if (meant !== undefined) return `"${shown}" is not known, did you mean "${meant}"?`;
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
