/** Validates the application's functions for tools (`sandboxAPI`): plain functions, and ones with a description and parameters. */

import { z } from 'zod';
import { ConfigError } from '../../boundary/errors.js';
import { parseArgumentsLater } from '../../boundary/validation.js';
import type { FunctionGuide, HostCall, SandboxFunction } from '../../types/functions.js';

/** A function of the application, and its description for models. */
export type ApplicationFunction = {
  guide: FunctionGuide;
  call: (this: HostCall, ...values: unknown[]) => unknown;
  readOnly: boolean;
};

/** Longest name that the sandbox accepts. */
const MAX_NAME_CHARS = 200;
const KEYS = ['description', 'parameters', 'readOnly', 'execute'];

/** The functions by name. An invalid entry is refused with its key. */
export function applicationFunctions(
  sandboxAPI: Record<string, SandboxFunction> = {},
): Map<string, ApplicationFunction> {
  // `{ __proto__: fn }` sets the prototype and adds no property.
  if (typeof Object.getPrototypeOf(sandboxAPI) === 'function') refuseUnusableName('__proto__');
  return new Map(Object.entries(sandboxAPI).map(([name, entry]) => [name, applicationFunction(name, entry)]));
}

function applicationFunction(name: string, entry: SandboxFunction): ApplicationFunction {
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

/** A schema of zod 4 or a JSON Schema in both forms. */
function schemas(
  name: string,
  parameters: z.ZodType | Record<string, unknown>,
): { schema: z.ZodType; jsonSchema: Record<string, unknown> } {
  try {
    if (isZodSchema(parameters)) {
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

function isZodSchema(parameters: z.ZodType | Record<string, unknown>): parameters is z.ZodType {
  return '_zod' in parameters;
}

/** @param key below `sandboxAPI` */
function refused(key: string, problem: string, cause?: unknown) {
  return new ConfigError(`sandboxAPI.${key} ${problem}.`, { details: { key: `sandboxAPI.${key}` }, cause });
}

/**
 * @param name of a function in `sandboxAPI`
 * @throws ConfigError when tools could not call it by that name, or when the name would change how `tgp` behaves
 */
function refuseUnusableName(name: string) {
  const why = whyUnusable(name);
  if (why === undefined) return;
  const key = `sandboxAPI[${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}]`;
  throw new ConfigError(`${key} cannot be offered to tools: ${why}. Give the function another name.`, {
    details: { key, field: 'sandboxAPI' },
  });
}

function whyUnusable(name: string) {
  if (name === '') return 'its name is empty';
  if (name.length > MAX_NAME_CHARS) return `its name is longer than ${MAX_NAME_CHARS} characters`;
  if (name.startsWith('#')) return 'names that begin with "#" are reserved for the kernel';
  if (name === 'then') return 'an object with a "then" function is treated as a promise';
  if (name === 'toJSON') return 'JSON.stringify would call it';
  if (name in Object.prototype) return 'every object has a property of that name';
  return undefined;
}
