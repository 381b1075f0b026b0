/** Validates the application's functions for tools (`sandboxAPI`): plain functions, and ones with a description and parameters. */

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
 * The functions by name. An invalid entry is refused with its key.
 * @param {Record<string, SandboxFunction>} [sandboxAPI]
 * @returns {Map<string, ApplicationFunction>}
 */
export function applicationFunctions(sandboxAPI = {}) {
  // `{ __proto__: fn }` sets the prototype and adds no property.
  if (typeof Object.getPrototypeOf(sandboxAPI) === 'function') refuseUnusableName('__proto__');
  return new Map(Object.entries(sandboxAPI).map(([name, entry]) => [name, applicationFunction(name, entry)]));
}

/**
 * @param {string} name
 * @param {any} entry
 * @returns {ApplicationFunction}
 */
function applicationFunction(name, entry) {
  refuseUnusableName(name);
  if (typeof entry === 'function') return { guide: { name }, call: entry, readOnly: false };
  if (typeof entry?.execute !== 'function') {
    throw refused(name, 'must be a function, or { description, parameters, execute } with a function "execute"');
  }
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw refused(`${name}.${unknown}`, `is not known (known: ${KEYS.join(', ')})`);
  const { description, parameters, readOnly = false } = entry;
  if (typeof readOnly !== 'boolean') throw refused(`${name}.readOnly`, 'must be true or false');
  if (description !== undefined && typeof description !== 'string') {
    throw refused(`${name}.description`, 'must be a string');
  }
  const guide = { name, ...(description !== undefined && { description }) };
  if (parameters === undefined) return { guide, call: entry.execute, readOnly };
  const { schema, jsonSchema } = schemas(name, parameters);
  return {
    guide: { ...guide, parameters: jsonSchema },
    readOnly,
    async call(args = {}) {
      return entry.execute.call(this, await parseArgumentsLater(schema, args, `tgp.${name}`));
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
      // What JSON Schema cannot express (a date, a transformation) is documented as any value; zod still checks it.
      const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(parameters, {
        target: 'draft-7',
        io: 'input',
        unrepresentable: 'any',
      });
      return { schema: parameters, jsonSchema };
    }
    // As a JSON Schema it would accept every value.
    if ('_def' in parameters || '~standard' in parameters)
      throw new Error('this is a schema of zod 3 or of another library');
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
