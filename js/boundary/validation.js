import { ConfigError, ValidationError } from './errors.js';
import { nearName } from './near_name.js';

/**
 * @typedef {import('zod').ZodError} ZodError
 * @typedef {import('zod').ZodObject} ZodObject
 * @typedef {{ key: string, message: string, suggestion?: string }} Problem
 */

/** Problems that are told, and the longest key: whoever reads them mends one after the other. */
const MAX_PROBLEMS = 10;
const MAX_KEY_CHARS = 100;

/**
 * What is wrong with a value, one readable sentence per key, each named by its dotted path.
 * @param {ZodError} error
 * @param {ZodObject} schema
 * @param {unknown} input
 * @returns {Problem[]}
 */
export function describeIssues(error, schema, input) {
  return error.issues.slice(0, MAX_PROBLEMS).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys
        .slice(0, MAX_PROBLEMS)
        .map((key) => describeUnknownKey([...issue.path, shortened(key)], schema));
    }
    const key = shortened(issue.path.join('.'));
    const given = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined ? 'is missing' : undefined;
    const subject = key === '' ? 'the value' : `"${key}"`;
    return [{ key, message: `${subject} ${given ?? `is not valid (${lowerFirst(issue.message)})`}` }];
  });
}

/**
 * Arguments that match the schema, or a ValidationError that names the field.
 * @template {ZodObject} Schema
 * @param {Schema} schema
 * @param {unknown} input
 * @param {string} subject what is being called, for the message
 * @returns {import('zod').output<Schema>}
 */
export function parseArguments(schema, input, subject) {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = describeIssues(parsed.error, schema, input);
  throw new ValidationError(`${subject}: ${problems.map((problem) => problem.message).join('; ')}.`, {
    details: { field: problems[0]?.key, issues: problems },
  });
}

/**
 * Settings of the application that match the schema, or a ConfigError that names each key.
 * @template {ZodObject} Schema
 * @param {Schema} schema
 * @param {unknown} input
 * @param {string} subject what is being set, for the message
 * @returns {import('zod').output<Schema>}
 */
export function parseSettings(schema, input, subject) {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error, schema, input);
  throw new ConfigError(`${subject}: ${issues.map((issue) => issue.message).join('; ')}.`, {
    details: { field: issues[0]?.key, issues },
  });
}

/**
 * @param {unknown} value
 * @param {string} field
 * @throws {ValidationError}
 */
export function requireText(value, field) {
  if (typeof value === 'string' && value !== '') return;
  throw new ValidationError(`"${field}" must be a non-empty string.`, { details: { field } });
}

/**
 * @param {PropertyKey[]} path
 * @param {ZodObject} schema
 * @returns {Problem}
 */
function describeUnknownKey(path, schema) {
  const key = path.join('.');
  const allowed = keysAt(schema, path.slice(0, -1));
  const nearest = nearName(String(path.at(-1)), allowed);
  if (nearest === undefined) return { key, message: `"${key}" is not known here (known: ${allowed.join(', ')})` };
  const suggestion = [...path.slice(0, -1), nearest].join('.');
  return { key, suggestion, message: `"${key}" is not known, did you mean "${suggestion}"?` };
}

/**
 * @param {unknown} schema
 * @param {PropertyKey[]} path
 * @returns {string[]}
 */
function keysAt(schema, path) {
  let current = /** @type {any} */ (schema);
  for (const key of path) {
    current = current.shape[key];
    while (typeof current.unwrap === 'function') current = current.unwrap();
  }
  return Object.keys(current.shape);
}

/**
 * @param {unknown} input
 * @param {PropertyKey[]} path
 */
function valueAt(input, path) {
  return path.reduce((value, key) => /** @type {any} */ (value)?.[key], input);
}

/** @param {string} key */
function shortened(key) {
  return key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
}

/** @param {string} message */
function lowerFirst(message) {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
