/** Validates input against zod schemas, with readable messages. */

import { ConfigError, ValidationError } from './errors.js';
import { nearest } from './spelling.js';

/**
 * @typedef {import('zod').ZodError} ZodError
 * @typedef {import('zod').ZodObject} ZodObject
 * @typedef {{ key: string, message: string, suggestion?: string }} Problem
 */

/** Maximum number of reported problems, and maximum length of a key. */
const MAX_PROBLEMS = 10;
const MAX_KEY_CHARS = 100;
/** Maximum number of allowed values in a message. */
const MAX_VALUES = 40;

/** @typedef {{ data?: any, problems?: Problem[], cause?: unknown }} ReadResult a parsed value, or its problems */

/** Maximum length of a value quoted in a message. */
const MAX_SHOWN_CHARS = 40;

/** Beginnings of zod's default messages; other messages are from schema authors and kept. */
const ZOD_DEFAULT = /^(?:Invalid|Too (?:small|big)|Unrecognized)/;

/** Names of types in messages. @type {Record<string, string>} */
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

/** Members of schemas that hold the arguments of another call. @type {WeakSet<object>} */
const CALL_ARGUMENTS = new WeakSet();

/**
 * Marks a member of a schema that holds the arguments of another call: unknown keys beside it belong in it.
 * @template {object} Schema
 * @param {Schema} schema
 */
export function callArguments(schema) {
  CALL_ARGUMENTS.add(schema);
  return schema;
}

/**
 * The problems of a value: one readable sentence per key, with its dotted path.
 * @param {ZodError} error
 * @param {ZodObject} schema
 * @param {unknown} input
 * @param {'shown' | 'hidden'} [texts] whether messages may quote strings: a setting may be a secret
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
    return [{ key, message: `${subject} ${problemText(issue, valueAt(input, issue.path), texts)}` }];
  });
}

/**
 * The arguments parsed by the schema; throws a ValidationError that names the field.
 * @template {ZodObject} Schema
 * @param {Schema} schema
 * @param {unknown} input
 * @param {string} subject the called function, for the message
 * @returns {import('zod').output<Schema>}
 */
export function parseArguments(schema, input, subject) {
  return accepted(read(schema, input, 'shown'), subject);
}

/**
 * As {@link parseArguments}, for an application's schema, which may be asynchronous.
 * @param {any} schema
 * @param {unknown} input
 * @param {string} subject the called function, for the message
 * @returns {Promise<any>}
 */
export async function parseArgumentsLater(schema, input, subject) {
  const parsed = await schema.safeParseAsync(input);
  return accepted(judged(parsed, schema, input, 'shown'), subject);
}

/**
 * @param {ReadResult} result
 * @param {string} subject
 */
function accepted({ data, problems, cause }, subject) {
  if (problems === undefined) return data;
  throw new ValidationError(`${subject}: ${joined(problems)}`, {
    ...(cause !== undefined && { cause }),
    details: { field: problems[0]?.key, issues: problems },
  });
}

/** @param {Problem[]} problems as one sentence, which may end with a question */
function joined(problems) {
  const text = problems.map((problem) => problem.message).join('; ');
  return text.endsWith('?') ? text : `${text}.`;
}

/**
 * The settings parsed by the schema; throws a ConfigError that names each key.
 * @template {ZodObject} Schema
 * @param {Schema} schema
 * @param {unknown} input
 * @param {string} subject the setting, for the message
 * @returns {import('zod').output<Schema>}
 */
export function parseSettings(schema, input, subject) {
  const { data, problems, cause } = read(schema, input, 'hidden');
  if (problems === undefined) return data;
  throw new ConfigError(`${subject}: ${joined(problems)}`, {
    ...(cause !== undefined && { cause }),
    details: { field: problems[0]?.key, issues: problems },
  });
}

/**
 * The parsed value, or its problems. Getters and proxies may throw; an unreadable value is a problem too.
 * @param {ZodObject} schema
 * @param {unknown} input
 * @param {'shown' | 'hidden'} texts whether messages may quote strings: a setting may be a secret
 * @returns {ReadResult}
 */
function read(schema, input, texts) {
  try {
    return judged(schema.safeParse(input), schema, input, texts);
  } catch (cause) {
    return { problems: [{ key: '', message: 'the value could not be read; pass plain data' }], cause };
  }
}

/**
 * @param {any} parsed the result of zod
 * @param {ZodObject} schema
 * @param {unknown} input
 * @param {'shown' | 'hidden'} texts
 * @returns {ReadResult}
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
  const inside = path.length === 1 ? callArgumentsOf(schema) : undefined;
  if (near === undefined && inside !== undefined) {
    return { key, suggestion: `${inside}.${key}`, message: `"${key}" is not known here: it belongs in "${inside}"` };
  }
  if (near === undefined) return { key, message: `"${key}" is not known here (known: ${allowed.join(', ')})` };
  const suggestion = [...path.slice(0, -1), near].join('.');
  return { key, suggestion, message: `"${key}" is not known, did you mean "${suggestion}"?` };
}

/**
 * The name of the member that holds the arguments of another call, if there is one.
 * @param {ZodObject} schema
 */
function callArgumentsOf(schema) {
  return Object.entries(schema.shape ?? {}).find(([, member]) => CALL_ARGUMENTS.has(member))?.[0];
}

/**
 * The keys of the schema at a path; empty if the schema does not define any.
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
 * Whether a schema wraps another one: optional, or a transformation.
 * @param {any} schema
 */
function isAround(schema) {
  return typeof schema?.unwrap === 'function' || schema?.out !== undefined;
}

/**
 * The wrapped schema. An array's `unwrap` gives its element schema, which is kept as `element`.
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
 * The problem of one value, and what is expected instead.
 * @param {import('zod').core.$ZodIssue} issue
 * @param {unknown} input
 * @param {'shown' | 'hidden'} texts
 */
function problemText(issue, input, texts) {
  const wanted = wantedOf(issue);
  if (input === undefined && wanted !== undefined) return `is missing: give ${wanted}`;
  if (wanted === undefined) return `is not valid (${lowerFirst(issue.message)})`;
  if (texts === 'shown' && isShort(input)) return `is not valid: give ${wanted}, not the text ${JSON.stringify(input)}`;
  // Another string is expected, so the type is not the problem.
  if (wantsText(issue) && typeof input === 'string' && input !== '') return `is not valid: give ${wanted}`;
  return `is not valid: give ${wanted}, not ${kindOf(input)}`;
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
 * The expected value; undefined if the schema's author has written a message.
 * @param {import('zod').core.$ZodIssue} issue
 * @returns {string | undefined}
 */
function wantedOf(issue) {
  if (!ZOD_DEFAULT.test(issue.message)) return undefined;
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
      const described = wanted.filter((one) => one !== undefined);
      return described.length > 0 && described.length === wanted.length
        ? [...new Set(described)].join(' or ')
        : undefined;
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
