/** The functions that an application gives to tools: plain ones, and ones that say what they do and take. */

import { z } from 'zod';
import { ConfigError } from '../boundary/errors.js';
import { parseArgumentsLater } from '../boundary/validation.js';
import { refuseUnusableName } from './function_names.js';

/**
 * @typedef {import('../../index.js').SandboxFunction} SandboxFunction
 * @typedef {import('../../index.js').FunctionGuide} FunctionGuide
 * @typedef {{ guide: FunctionGuide, call: (this: import('../../index.js').HostCall, ...values: any[]) => unknown, readOnly: boolean }} ApplicationFunction
 */

const KEYS = ['description', 'parameters', 'readOnly', 'execute'];

/**
 * What tools may call, by name. A wrong entry is refused by its name.
 * @param {Record<string, SandboxFunction>} [sandboxAPI]
 * @returns {Map<string, ApplicationFunction>}
 */
export function applicationFunctions(sandboxAPI = {}) {
  // `{ __proto__: fn }` makes no member.
  if (typeof Object.getPrototypeOf(sandboxAPI) === 'function') refuseUnusableName('__proto__');
  return new Map(Object.entries(sandboxAPI).map(([name, given]) => [name, applicationFunction(name, given)]));
}

/**
 * @param {string} name
 * @param {any} given
 * @returns {ApplicationFunction}
 */
function applicationFunction(name, given) {
  refuseUnusableName(name);
  if (typeof given === 'function') return { guide: { name }, call: given, readOnly: false };
  if (typeof given?.execute !== 'function') {
    throw refused(name, 'must be a function, or { description, parameters, execute } with a function "execute"');
  }
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw refused(`${name}.${unknown}`, `is not known here (known: ${KEYS.join(', ')})`);
  const { description, parameters, readOnly = false } = given;
  if (typeof readOnly !== 'boolean') throw refused(`${name}.readOnly`, 'must be true or false');
  if (description !== undefined && typeof description !== 'string') {
    throw refused(`${name}.description`, 'must be a text');
  }
  const guide = { name, ...(description !== undefined && { description }) };
  if (parameters === undefined) return { guide, call: given.execute, readOnly };
  const { schema, jsonSchema } = schemas(name, parameters);
  return {
    guide: { ...guide, parameters: jsonSchema },
    readOnly,
    async call(args = {}) {
      return given.execute.call(this, await parseArgumentsLater(schema, args, `tgp.${name}`));
    },
  };
}

/**
 * @param {string} name
 * @param {any} parameters a schema of zod 4, or a JSON Schema
 * @returns {{ schema: any, jsonSchema: Record<string, any> }}
 */
function schemas(name, parameters) {
  try {
    if ('_zod' in parameters) {
      // What JSON cannot say (a date, a transformation) may be anything to those who read it; it is checked all the same.
      const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(parameters, {
        target: 'draft-7',
        io: 'input',
        unrepresentable: 'any',
      });
      return { schema: parameters, jsonSchema };
    }
    // Read as a JSON Schema it would allow everything.
    if ('_def' in parameters || '~standard' in parameters)
      throw new Error('this is one of another library, or of zod 3');
    const { $schema: _dialect, ...jsonSchema } = parameters;
    return { schema: z.fromJSONSchema(parameters), jsonSchema };
  } catch (cause) {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    throw refused(`${name}.parameters`, `must be a schema of zod 4 or a JSON Schema${reason}`, cause);
  }
}

/**
 * @param {string} key below `sandboxAPI`
 * @param {string} problem
 * @param {unknown} [cause]
 */
function refused(key, problem, cause) {
  return new ConfigError(`sandboxAPI.${key} ${problem}.`, { details: { key: `sandboxAPI.${key}` }, cause });
}
