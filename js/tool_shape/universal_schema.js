import { z } from 'zod';
import { ValidationError } from '../boundary/errors.js';
import { parseArguments } from '../boundary/validation.js';
import { unquoted } from './unquoted_arguments.js';

/** @typedef {import('zod').ZodObject} ZodObject */

const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');
const AI_SDK_VALIDATOR = Symbol.for('vercel.ai.validator');

/**
 * The schema object of arguments that a zod schema describes.
 * @param {ZodObject} schema
 * @param {string} subject the tool's name, for messages
 */
export function universalSchema(schema, subject) {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return schemaObject(jsonSchema, (value) => parseArguments(schema, unquoted(jsonSchema, value), subject));
}

/**
 * One schema object that every consumer of tool schemas accepts: its enumerable members are a
 * plain JSON Schema; AI SDK 4 to 7 find their symbols, `jsonSchema` and `validate`; Standard Schema consumers find
 * `~standard`; and users of the zod schemas of the TypeScript package find `parse` and `safeParse`. The extra members
 * are not enumerable, so they are not in request bodies.
 * @param {Record<string, any>} jsonSchema
 * @param {(value: unknown) => unknown} parse returns the arguments, or throws a ValidationError
 * @returns {any} `any`, because its consumers expect different types and check at run time
 */
export function schemaObject(jsonSchema, parse) {
  /** @param {unknown} value */
  const parseAsZodDoes = (value) => {
    try {
      return parse(value);
    } catch (error) {
      throw withIssues(error);
    }
  };

  /** @param {unknown} value */
  const validate = (value) => {
    try {
      return { success: /** @type {const} */ (true), value: parseAsZodDoes(value) };
    } catch (error) {
      return { success: /** @type {const} */ (false), error: /** @type {Error} */ (error) };
    }
  };

  /** @param {unknown} value */
  const safeParse = (value) => {
    const outcome = validate(value);
    return outcome.success ? { success: true, data: outcome.value } : outcome;
  };

  const standard = {
    version: 1,
    vendor: 'tgp',
    /** @param {unknown} value */
    validate: (value) => {
      const outcome = validate(value);
      return outcome.success ? { value: outcome.value } : { issues: [{ message: outcome.error.message }] };
    },
    jsonSchema: { input: () => ({ ...jsonSchema }), output: () => ({ ...jsonSchema }) },
  };

  return Object.defineProperties(
    { ...jsonSchema },
    {
      [AI_SDK_SCHEMA]: { value: true },
      [AI_SDK_VALIDATOR]: { value: true },
      jsonSchema: { value: jsonSchema },
      validate: { value: validate },
      parse: { value: parseAsZodDoes },
      safeParse: { value: safeParse },
      '~standard': { value: standard },
    },
  );
}

/**
 * Adds the `issues` of zod errors to a ValidationError.
 * @param {unknown} error
 */
function withIssues(error) {
  if (!(error instanceof ValidationError) || 'issues' in error) return error;
  const problems = /** @type {import('../boundary/validation.js').Problem[]} */ (error.details.issues ?? []);
  const issues = problems.map(({ key, message }) => ({
    code: 'custom',
    path: key === '' ? [] : key.split('.'),
    message,
  }));
  return Object.defineProperty(error, 'issues', { value: issues });
}
