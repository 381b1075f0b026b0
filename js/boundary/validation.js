import { ConfigError, ValidationError } from './errors.js';

/**
 * @typedef {import('zod').ZodError} ZodError
 * @typedef {import('zod').ZodObject} ZodObject
 * @typedef {{ key: string, message: string, suggestion?: string }} Problem
 */

/** Problems that are told, and the longest key: whoever reads them mends one after the other. */
const MAX_PROBLEMS = 10;
const MAX_KEY_CHARS = 100;

/** A typing slip, not another word: about one edit per three letters. */
const LETTERS_PER_SLIP = 3;

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
  return accepted(schema.safeParse(input), schema, input, subject);
}

/**
 * As {@link parseArguments}, for a schema of the application, which may have to wait for something.
 * @param {any} schema
 * @param {unknown} input
 * @param {string} subject what is being called, for the message
 * @returns {Promise<any>}
 */
export async function parseArgumentsLater(schema, input, subject) {
  return accepted(await schema.safeParseAsync(input), schema, input, subject);
}

/**
 * @template {ZodObject} Schema
 * @param {{ success: true, data: import('zod').output<Schema> } | { success: false, error: any }} parsed
 * @param {Schema} schema
 * @param {unknown} input
 * @param {string} subject
 * @returns {import('zod').output<Schema>}
 */
function accepted(parsed, schema, input, subject) {
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
  throw new ConfigError(`${subject}: ${issues.map((issue) => issue.message).join('; ')}.`, { details: { issues } });
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
  const nearest = closest(String(path.at(-1)), allowed);
  if (allowed.length === 0) return { key, message: `"${key}" is not known here` };
  if (nearest === undefined) return { key, message: `"${key}" is not known here (known: ${allowed.join(', ')})` };
  const suggestion = [...path.slice(0, -1), nearest].join('.');
  return { key, suggestion, message: `"${key}" is not known, did you mean "${suggestion}"?` };
}

/**
 * The keys that are known at a place, none where the schema does not tell.
 * @param {unknown} schema
 * @param {PropertyKey[]} path
 * @returns {string[]}
 */
function keysAt(schema, path) {
  let current = /** @type {any} */ (schema);
  for (const key of path) {
    current = typeof key === 'number' ? current?.element : current?.shape?.[key];
    while (typeof current?.unwrap === 'function' && current.shape === undefined) current = unwrapped(current);
  }
  return Object.keys(current?.shape ?? {});
}

/**
 * What an optional schema is about. That of an array is the schema of its elements, which is not meant here.
 * @param {any} schema
 */
function unwrapped(schema) {
  return schema.element === undefined ? schema.unwrap() : { element: schema.element };
}

/**
 * @param {unknown} input
 * @param {PropertyKey[]} path
 */
function valueAt(input, path) {
  return path.reduce((value, key) => /** @type {any} */ (value)?.[key], input);
}

/**
 * @param {string} word
 * @param {string[]} candidates
 */
function closest(word, candidates) {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
  const best = ranked[0];
  return best && best.distance <= Math.ceil(best.candidate.length / LETTERS_PER_SLIP) ? best.candidate : undefined;
}

/**
 * Levenshtein distance: how many letters must be added, removed or changed.
 * @param {string} from
 * @param {string} to
 */
function editDistance(from, to) {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const changed = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(changed, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}

/** @param {string} key */
function shortened(key) {
  return key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
}

/** @param {string} message */
function lowerFirst(message) {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
