import type { output, ZodObject } from 'zod';
import { z } from 'zod';
import { ValidationError } from '../boundary/errors.js';
import type { Problem } from '../boundary/validation.js';
import { parseArguments } from '../boundary/validation.js';
import type { JSONSchemaObject } from '../types/adapters.js';
import { unquoted } from './unquoted_arguments.js';

const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');
const AI_SDK_VALIDATOR = Symbol.for('vercel.ai.validator');

/** A JSON Schema with the members that validate, which are not enumerable. */
type UniversalSchema<Args> = JSONSchemaObject & { parse: (value: unknown) => Args };

/**
 * The schema object of arguments that a zod schema describes.
 * @param subject the tool's name, for messages
 */
export function universalSchema<Schema extends ZodObject>(
  schema: Schema,
  subject: string,
): UniversalSchema<output<Schema>> {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return schemaObject(jsonSchema, (value) => parseArguments(schema, unquoted(jsonSchema, value), subject));
}

/**
 * One schema object that every consumer of tool schemas accepts: its enumerable members are a
 * plain JSON Schema; AI SDK 4 to 7 find their symbols, `jsonSchema` and `validate`; Standard Schema consumers find
 * `~standard`; and users of the zod schemas of the TypeScript package find `parse` and `safeParse`. The extra members
 * are not enumerable, so they are not in request bodies.
 * @param parse returns the arguments, or throws a ValidationError
 */
export function schemaObject<Args>(
  jsonSchema: JSONSchemaObject,
  parse: (value: unknown) => Args,
): UniversalSchema<Args> {
  const parseAsZodDoes = (value: unknown) => {
    try {
      return parse(value);
    } catch (error) {
      throw withIssues(error);
    }
  };

  const validate = (value: unknown) => {
    try {
      return { success: true as const, value: parseAsZodDoes(value) };
    } catch (error) {
      return { success: false as const, error: error as Error };
    }
  };

  const safeParse = (value: unknown) => {
    const outcome = validate(value);
    return outcome.success ? { success: true, data: outcome.value } : outcome;
  };

  const standard = {
    version: 1,
    vendor: 'tgp',
    validate: (value: unknown) => {
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
  ) as UniversalSchema<Args>;
}

/** Adds the `issues` of zod errors to a ValidationError. */
function withIssues(error: unknown) {
  if (!(error instanceof ValidationError) || 'issues' in error) return error;
  const problems = (error.details.issues ?? []) as Problem[];
  const issues = problems.map(({ key, message }) => ({
    code: 'custom',
    path: key === '' ? [] : key.split('.'),
    message,
  }));
  return Object.defineProperty(error, 'issues', { value: issues });
}
