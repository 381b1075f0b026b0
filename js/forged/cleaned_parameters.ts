/** The parameter schema of a forged tool, sanitised for models and for validation. */

import { z } from 'zod';
import { ValidationError } from '../boundary/errors.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { toJsonText } from '../boundary/json_text.js';
import { parseArguments } from '../boundary/validation.js';
import { schemaObject } from '../tool_shape/universal_schema.js';
import { unquoted } from '../tool_shape/unquoted_arguments.js';

/** A schema with only the keywords that the registry uses. */
type CleanedSchema = {
  type?: string;
  description?: string;
  format?: string;
  properties?: Record<string, CleanedSchema>;
  required?: string[];
  items?: CleanedSchema;
  prefixItems?: CleanedSchema[];
  anyOf?: CleanedSchema[];
  additionalProperties?: CleanedSchema | boolean;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
};

/** The keywords of a schema that is not checked yet. */
type Unchecked = { [Keyword in keyof CleanedSchema]?: unknown };

const MAX_DEPTH = 32;
const MAX_PARTS = 2000;
/** Maximum length of a default value, as JSON. */
const MAX_DEFAULT_CHARS = 2000;
const MAX_DESCRIPTION_CHARS = 2000;
/** Wraps arguments that are not an object: providers accept only objects. */
const WRAPPED = 'args';

/**
 * The schema of a tool, and functions that validate a model's arguments and convert them for the tool.
 * @param parameters from the registry
 * @param subject the tool's name, for messages
 * @param typeOf converts a schema to a TypeScript type, for messages
 * @returns `unwrap` for arguments according to the schema, `converted` for arguments of a caller who may not know it: JSON text as
 * its value and a wrapped value without the wrapper, not validated; the arguments themselves if nothing is converted
 */
export function forgedSchema(
  parameters: Record<string, unknown>,
  subject: string,
  typeOf: (schema: object) => string,
): {
  schema: ReturnType<typeof schemaObject>;
  unwrap: (args: unknown) => unknown;
  converted: (args: unknown) => unknown;
} {
  const own = cleaned(parameters, { left: MAX_PARTS }, 0);
  const isObject = own.type === 'object' || Object.keys(own).every((key) => key === 'description');
  const shown: CleanedSchema = isObject
    ? { ...own, type: 'object', properties: own.properties ?? {} }
    : { type: 'object', properties: { [WRAPPED]: own }, required: [WRAPPED] };
  let schema: z.ZodType | undefined;
  const parse = (sent: unknown) => {
    schema ??= z.fromJSONSchema(withoutFormats(closed(shown)));
    const args = unquoted(shown, sent);
    try {
      parseArguments(schema, uninherited(args), subject);
    } catch (error) {
      if (error instanceof ValidationError) {
        // Tells the model to repair the call, not the tool.
        error.message += ` It takes ${typeOf(shown)}. Correct the arguments and call it again; nothing was run.`;
      }
      throw error;
    }
    // Unchanged: the tool applies its own defaults.
    return args;
  };
  const unwrap = (args: unknown) => {
    const parsed = parse(args);
    // The schema has just accepted them.
    return isObject ? parsed : (parsed as Record<string, unknown>)[WRAPPED];
  };
  const converted = (args: unknown) => {
    const read = unquoted(shown, isObject || isWrapped(args) ? args : { [WRAPPED]: args });
    if (isObject) return read;
    // Messages show the wrapped schema, so models may send wrapped arguments.
    return isRecord(read) ? read[WRAPPED] : read;
  };
  return { schema: schemaObject(shown, parse), unwrap, converted };
}

/**
 * A copy with only the keywords that the registry uses. A `meta.json` is untrusted: expensive patterns and recursive references
 * must not get through.
 * @param budget of parts
 */
function cleaned(given: unknown, budget: { left: number }, depth: number): CleanedSchema {
  if (typeof given !== 'object' || given === null || depth > MAX_DEPTH || --budget.left < 0) return {};
  const schema: Unchecked = given;
  const inner = (part: unknown) => cleaned(part, budget, depth + 1);
  const { type, description, format, properties, required, items, prefixItems, anyOf } = schema;
  const { enum: values, const: value, default: preset, additionalProperties } = schema;
  const isArray = type === 'array';
  return {
    ...(typeof type === 'string' && { type }),
    ...(typeof description === 'string' && { description: description.slice(0, MAX_DESCRIPTION_CHARS) }),
    ...(format === 'date-time' && { format }),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, inner(part)])),
    }),
    ...(Array.isArray(required) && { required: required.filter((key) => typeof key === 'string') }),
    ...(isArray && Array.isArray(prefixItems) && { prefixItems: prefixItems.map(inner) }),
    // OpenAI refuses an array schema without `items`.
    ...(isArray && { items: inner(items) }),
    ...(isRecord(additionalProperties) && { additionalProperties: inner(additionalProperties) }),
    ...(Array.isArray(anyOf) && anyOf.length > 0 && { anyOf: anyOf.map(inner) }),
    ...(Array.isArray(values) && values.length > 0 && { enum: values.filter(isPlain) }),
    ...(isPlain(value) && { const: value }),
    ...(preset !== undefined && isSmall(preset) && { default: preset }),
  };
}

/**
 * The schema without additional properties, except those of alternatives, which may be those of another one.
 * @param schema from {@link cleaned}, and so of limited depth
 */
function closed(schema: CleanedSchema): CleanedSchema {
  const { properties, items, prefixItems, additionalProperties } = schema;
  const names = Object.entries(properties ?? {});
  return {
    ...schema,
    ...(names.length > 0 && {
      properties: Object.fromEntries(names.map(([name, part]) => [name, closed(part)])),
      additionalProperties: additionalProperties ?? false,
    }),
    ...(items !== undefined && { items: closed(items) }),
    ...(prefixItems !== undefined && { prefixItems: prefixItems.map(closed) }),
  };
}

/** Arguments without inherited properties: a tool may have a parameter named `constructor`. */
function uninherited(args: unknown) {
  try {
    return isRecord(args) ? Object.assign(Object.create(null), args) : args;
  } catch {
    // The schema refuses unreadable arguments.
    return args;
  }
}

/** Whether arguments are in the object that {@link forgedSchema} shows for a tool that takes another value. */
function isWrapped(args: unknown): boolean {
  try {
    return isRecord(args) && Object.hasOwn(args, WRAPPED);
  } catch {
    // The schema refuses unreadable arguments.
    return false;
  }
}

/**
 * The schema without date-time formats, which are only hints for models: most tools accept a date without a time.
 * @param schema from {@link cleaned}, and so of limited depth
 */
function withoutFormats(schema: CleanedSchema): z.core.JSONSchema.JSONSchema {
  const text = JSON.stringify(schema, (key, value) => (key === 'format' && value === 'date-time' ? undefined : value));
  return parseForeignJson(text) as z.core.JSONSchema.JSONSchema;
}

/** Whether a default value is small enough for the schema. */
function isSmall(value: unknown) {
  try {
    return toJsonText(value, 'default', { maxChars: MAX_DEFAULT_CHARS }).length <= MAX_DEFAULT_CHARS;
  } catch {
    return false;
  }
}

function isPlain(value: unknown) {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
