import { ConfigError, ValidationError } from './errors.js';

/**
 * @typedef {import('zod').ZodError} ZodError
 * @typedef {import('zod').ZodObject} ZodObject
 * @typedef {{ key: string, message: string, suggestion?: string }} Problem
 */

/** Problems that are told, and the longest key: whoever reads them mends one after the other. */
const MAX_PROBLEMS = 10;
const MAX_KEY_CHARS = 100;

/** Values of arguments that are repeated in a message. */
const MAX_SHOWN_CHARS = 40;

/** How zod's own messages begin; the others were written for their readers. */
const ZODS_OWN = /^(?:Invalid|Too (?:small|big)|Unrecognized)/;

/** Kinds of values as everybody calls them. @type {Record<string, string>} */
const KINDS = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** A typing slip, not another word: about one edit per three letters. */
const LETTERS_PER_SLIP = 3;

/**
 * What is wrong with a value, one readable sentence per key, each named by its dotted path.
 * @param {ZodError} error
 * @param {ZodObject} schema
 * @param {unknown} input
 * @param {'shown' | 'hidden'} [texts] whether messages may repeat a text: one among settings may be a secret
 * @returns {Problem[]}
 */
export function describeIssues(error, schema, input, texts = 'hidden') {
  return error.issues.slice(0, MAX_PROBLEMS).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys
        .slice(0, MAX_PROBLEMS)
        .map((key) => describeUnknownKey([...issue.path, shortened(key)], schema));
    }
    const key = shortened(issue.path.join('.'));
    const subject = key === '' ? 'the value' : `"${key}"`;
    return [{ key, message: `${subject} ${complaint(issue, valueAt(input, issue.path), texts)}` }];
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
  const problems = describeIssues(parsed.error, schema, input, 'shown');
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

/**
 * The candidate that was probably meant, if one is near.
 * @param {string} word
 * @param {string[]} candidates
 * @returns {string | undefined}
 */
export function closest(word, candidates) {
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

/**
 * What is wrong with one value, and what to give instead.
 * @param {import('zod').core.$ZodIssue} issue
 * @param {unknown} given
 * @param {'shown' | 'hidden'} texts
 */
function complaint(issue, given, texts) {
  const wanted = wantedOf(issue);
  if (given === undefined && wanted !== undefined) return `is missing: give ${wanted}`;
  if (wanted === undefined) return `is not valid (${lowerFirst(issue.message)})`;
  return `is not valid: give ${wanted}, not ${texts === 'shown' && isShort(given) ? `the text ${JSON.stringify(given)}` : kindOf(given)}`;
}

/**
 * What a value should have been; nothing where the message of the schema's author says it.
 * @param {import('zod').core.$ZodIssue} issue
 * @returns {string | undefined}
 */
function wantedOf(issue) {
  if (!ZODS_OWN.test(issue.message)) return undefined;
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
    case 'invalid_value': {
      const values = issue.values.slice(0, MAX_PROBLEMS).map((value) => JSON.stringify(value) ?? String(value));
      return values.length === 1 ? values[0] : `one of ${values.join(', ')}`;
    }
    case 'invalid_union': {
      const wanted = issue.errors.map((issues) => issues[0] && wantedOf(issues[0]));
      const known = wanted.filter((one) => one !== undefined);
      return known.length > 0 && known.length === wanted.length ? [...new Set(known)].join(' or ') : undefined;
    }
    case 'too_small':
      if (issue.origin === 'string') return issue.minimum === 1 ? 'a text' : `at least ${issue.minimum} characters`;
      return isNumeric(issue.origin)
        ? `a number ${issue.inclusive ? 'of at least' : 'above'} ${issue.minimum}`
        : undefined;
    case 'too_big':
      return isNumeric(issue.origin)
        ? `a number ${issue.inclusive ? 'of at most' : 'below'} ${issue.maximum}`
        : undefined;
    default:
      return undefined;
  }
}

/** @param {unknown} value */
function isShort(value) {
  return typeof value === 'string' && value !== '' && value.length <= MAX_SHOWN_CHARS;
}

/** @param {string} origin of an issue about a size */
function isNumeric(origin) {
  return origin === 'number' || origin === 'int' || origin === 'bigint';
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === '') return 'an empty text';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'number') return 'such a number';
  return KINDS[typeof value] ?? typeof value;
}

/** @param {string} key */
function shortened(key) {
  return key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
}

/** @param {string} message */
function lowerFirst(message) {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
