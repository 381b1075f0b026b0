import { ConfigError, ValidationError } from './errors.js';
import { nearest } from './spelling.js';

/**
 * @typedef {import('zod').ZodError} ZodError
 * @typedef {import('zod').ZodObject} ZodObject
 * @typedef {{ key: string, message: string, suggestion?: string }} Problem
 */

/** Problems that are told, and the longest key: whoever reads them mends one after the other. */
const MAX_PROBLEMS = 10;
const MAX_KEY_CHARS = 100;
/** Values that a message lists where one of several is wanted. */
const MAX_VALUES = 40;

/** @typedef {{ data?: any, problems?: Problem[], cause?: unknown }} Read a value by its schema, or what is wrong with it */

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
  record: 'a plain object',
  null: 'null',
};

/**
 * What is wrong with a value, one readable sentence per key, each named by its dotted path.
 * @param {ZodError} error
 * @param {ZodObject} schema
 * @param {unknown} input
 * @param {'shown' | 'hidden'} [texts] whether messages may repeat a text: one among settings may be a secret
 * @returns {Problem[]}
 */
function describeIssues(error, schema, input, texts = 'hidden') {
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
  return accepted(read(schema, input, 'shown'), subject);
}

/**
 * As {@link parseArguments}, for a schema of the application, which may have to wait for something.
 * @param {any} schema
 * @param {unknown} input
 * @param {string} subject what is being called, for the message
 * @returns {Promise<any>}
 */
export async function parseArgumentsLater(schema, input, subject) {
  const parsed = await schema.safeParseAsync(input);
  return accepted(judged(parsed, schema, input, 'shown'), subject);
}

/**
 * @param {Read} read
 * @param {string} subject
 */
function accepted({ data, problems, cause }, subject) {
  if (problems === undefined) return data;
  throw new ValidationError(`${subject}: ${told(problems)}`, {
    ...(cause !== undefined && { cause }),
    details: { field: problems[0]?.key, issues: problems },
  });
}

/** @param {Problem[]} problems as one sentence, which may end with a question */
function told(problems) {
  const text = problems.map((problem) => problem.message).join('; ');
  return text.endsWith('?') ? text : `${text}.`;
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
  const { data, problems, cause } = read(schema, input, 'hidden');
  if (problems === undefined) return data;
  throw new ConfigError(`${subject}: ${told(problems)}`, {
    ...(cause !== undefined && { cause }),
    details: { field: problems[0]?.key, issues: problems },
  });
}

/**
 * The value by the schema, or what is wrong with it. Getters and proxies are code, and code can fail: what cannot be read
 * is wrong too.
 * @param {ZodObject} schema
 * @param {unknown} input
 * @param {'shown' | 'hidden'} texts whether messages may repeat a text: one among settings may be a secret
 * @returns {Read}
 */
function read(schema, input, texts) {
  try {
    return judged(schema.safeParse(input), schema, input, texts);
  } catch (cause) {
    return { problems: [{ key: '', message: 'the value could not be read; pass plain data' }], cause };
  }
}

/**
 * @param {any} parsed what a schema made of it
 * @param {ZodObject} schema
 * @param {unknown} input
 * @param {'shown' | 'hidden'} texts
 * @returns {Read}
 */
function judged(parsed, schema, input, texts) {
  return parsed.success ? { data: parsed.data } : { problems: describeIssues(parsed.error, schema, input, texts) };
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
 * @param {unknown} value
 * @param {string} field
 * @throws {ValidationError}
 */
export function requireString(value, field) {
  if (typeof value === 'string') return;
  throw new ValidationError(`"${field}" must be a string.`, { details: { field } });
}

/**
 * @param {PropertyKey[]} path
 * @param {ZodObject} schema
 * @returns {Problem}
 */
function describeUnknownKey(path, schema) {
  const key = path.join('.');
  const allowed = keysAt(schema, path.slice(0, -1));
  const near = nearest(String(path.at(-1)), allowed);
  if (allowed.length === 0) return { key, message: `"${key}" is not known here` };
  if (near === undefined) return { key, message: `"${key}" is not known here (known: ${allowed.join(', ')})` };
  const suggestion = [...path.slice(0, -1), near].join('.');
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
    while (current?.shape === undefined && isAround(current)) current = unwrapped(current);
  }
  return Object.keys(current?.shape ?? {});
}

/**
 * Whether a schema is one around another: optional, or with something that is done to the value first.
 * @param {any} schema
 */
function isAround(schema) {
  return typeof schema?.unwrap === 'function' || schema?.out !== undefined;
}

/**
 * What such a schema is about. That of an array is the schema of its elements, which is not meant here.
 * @param {any} schema
 */
function unwrapped(schema) {
  if (schema.out !== undefined) return schema.out;
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
 * What is wrong with one value, and what to give instead.
 * @param {import('zod').core.$ZodIssue} issue
 * @param {unknown} given
 * @param {'shown' | 'hidden'} texts
 */
function complaint(issue, given, texts) {
  const wanted = wantedOf(issue);
  if (given === undefined && wanted !== undefined) return `is missing: give ${wanted}`;
  if (wanted === undefined) return `is not valid (${lowerFirst(issue.message)})`;
  if (texts === 'shown' && isShort(given)) return `is not valid: give ${wanted}, not the text ${JSON.stringify(given)}`;
  // A text is wanted too, only another one.
  if (wantsText(issue) && typeof given === 'string' && given !== '') return `is not valid: give ${wanted}`;
  return `is not valid: give ${wanted}, not ${kindOf(given)}`;
}

/**
 * @param {import('zod').core.$ZodIssue} issue
 * @returns {boolean}
 */
function wantsText(issue) {
  switch (issue.code) {
    case 'invalid_value':
      return issue.values.some((value) => typeof value === 'string');
    case 'invalid_union':
      return issue.errors.some((issues) => issues[0] !== undefined && wantsText(issues[0]));
    case 'too_small':
      return issue.origin === 'string';
    default:
      return false;
  }
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
      const values = issue.values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value) ?? String(value));
      const more = issue.values.length > MAX_VALUES ? ', …' : '';
      return values.length === 1 ? values[0] : `one of ${values.join(', ')}${more}`;
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
  if (typeof value === 'number') return String(value);
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
