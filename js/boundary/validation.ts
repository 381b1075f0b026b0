/** Validates input against zod schemas, with readable messages. */

import type { core, output, ZodError, ZodSafeParseResult, ZodType } from 'zod';
import { ConfigError, ValidationError } from './errors.js';
import { LIMITS } from './limits.js';
import { describeUnknownKey } from './unknown_keys.js';

/** A rejected key: why, and a similar known key. */
export type Problem = { key: string; message: string; suggestion?: string };

/** Maximum number of reported problems, and maximum length of a key. */
const MAX_PROBLEMS = 10;
const MAX_KEY_CHARS = 100;
/** Maximum number of allowed values in a message. */
const MAX_VALUES = 40;

/** A parsed value, or its problems. */
type ReadResult<Data> =
  | { data: Data; problems?: undefined; cause?: undefined }
  | { data?: undefined; problems: Problem[]; cause?: unknown };

/** Maximum length of a path, a request or code; most have a lower limit in the native part. */
const MAX_TEXT_CHARS = 4 << 20;
/** Maximum length of the content of a file. */
export const MAX_FILE_CHARS = LIMITS.fs.fileBytes.most;

/** Maximum length of a value quoted in a message. */
const MAX_SHOWN_CHARS = 40;

/** Beginnings of zod's default messages; other messages are from schema authors and kept. */
const ZOD_DEFAULT = /^(?:Invalid|Too (?:small|big)|Unrecognized)/;

/** Names of types in messages. */
const KINDS: Record<string, string> = {
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
 * The problems of a value: one readable sentence per key, with its dotted path.
 * @param texts whether messages may quote strings: a setting may be a secret
 */
function describeIssues(
  error: ZodError,
  schema: object,
  input: unknown,
  texts: 'shown' | 'hidden' = 'hidden',
): Problem[] {
  const missing = error.issues.filter(({ path }) => path.length === 1 && valueAt(input, path) === undefined);
  const missingKeys = missing.map(({ path }) => String(path[0]));
  return error.issues.slice(0, MAX_PROBLEMS).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys
        .slice(0, MAX_PROBLEMS)
        .map((key) =>
          describeUnknownKey([...issue.path, shortened(key)], schema, valueAt(input, issue.path), missingKeys),
        );
    }
    const key = shortened(issue.path.join('.'));
    const subject = key === '' ? 'the value' : `"${key}"`;
    return [{ key, message: `${subject} ${problemText(issue, valueAt(input, issue.path), texts)}` }];
  });
}

/**
 * The arguments parsed by the schema; throws a ValidationError that names the field.
 * @param subject the called function, for the message
 */
export function parseArguments<Schema extends ZodType>(
  schema: Schema,
  input: unknown,
  subject: string,
): output<Schema> {
  return accepted(read(schema, input, 'shown'), subject);
}

/**
 * As {@link parseArguments}, for an application's schema, which may be asynchronous.
 * @param subject the called function, for the message
 */
export async function parseArgumentsLater<Schema extends ZodType>(
  schema: Schema,
  input: unknown,
  subject: string,
): Promise<output<Schema>> {
  const parsed = await schema.safeParseAsync(input);
  return accepted(judged(parsed, schema, input, 'shown'), subject);
}

function accepted<Data>({ data, problems, cause }: ReadResult<Data>, subject: string): Data {
  if (problems === undefined) return data;
  throw new ValidationError(`${subject}: ${joined(problems)}`, {
    ...(cause !== undefined && { cause }),
    details: { field: problems[0]?.key, issues: problems },
  });
}

/** @param problems as one sentence, which may end with a question */
function joined(problems: Problem[]) {
  const text = problems.map((problem) => problem.message).join('; ');
  return text.endsWith('?') ? text : `${text}.`;
}

/**
 * The settings parsed by the schema; throws a ConfigError that names each key.
 * @param subject the setting, for the message
 */
export function parseSettings<Schema extends ZodType>(schema: Schema, input: unknown, subject: string): output<Schema> {
  const { data, problems, cause } = read(schema, input, 'hidden');
  if (problems === undefined) return data;
  throw new ConfigError(`${subject}: ${joined(problems)}`, {
    ...(cause !== undefined && { cause }),
    details: { field: problems[0]?.key, issues: problems },
  });
}

/**
 * The parsed value, or its problems. Getters and proxies may throw; an unreadable value is a problem too.
 * @param texts whether messages may quote strings: a setting may be a secret
 */
function read<Schema extends ZodType>(
  schema: Schema,
  input: unknown,
  texts: 'shown' | 'hidden',
): ReadResult<output<Schema>> {
  try {
    return judged(schema.safeParse(input), schema, input, texts);
  } catch (cause) {
    return { problems: [{ key: '', message: 'the value could not be read; pass plain data' }], cause };
  }
}

/** @param parsed the result of zod */
function judged<Data>(
  parsed: ZodSafeParseResult<Data>,
  schema: object,
  input: unknown,
  texts: 'shown' | 'hidden',
): ReadResult<Data> {
  return parsed.success ? { data: parsed.data } : { problems: describeIssues(parsed.error, schema, input, texts) };
}

/**
 * @param maxChars longer texts are refused by their length, before the native part copies them
 * @throws ValidationError
 */
export function requireText(value: unknown, field: string, maxChars = MAX_TEXT_CHARS) {
  if (value === '') throw new ValidationError(`"${field}" must be a non-empty string.`, { details: { field } });
  requireString(value, field, maxChars, 'a non-empty string');
}

/** As {@link requireText}; the text may be empty. */
export function requireString(value: unknown, field: string, maxChars = MAX_TEXT_CHARS, wanted = 'a string') {
  if (typeof value !== 'string') throw new ValidationError(`"${field}" must be ${wanted}.`, { details: { field } });
  if (value.length <= maxChars) return;
  throw new ValidationError(`"${field}" has ${value.length} characters; the limit is ${maxChars}. Pass less.`, {
    details: { field },
  });
}

function valueAt(input: unknown, path: PropertyKey[]) {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}

/** The problem of one value, and what is expected instead. */
function problemText(issue: core.$ZodIssue, input: unknown, texts: 'shown' | 'hidden') {
  const wanted = wantedOf(issue);
  if (input === undefined && wanted !== undefined) return `is missing: give ${wanted}`;
  if (wanted === undefined) return `is not valid (${lowerFirst(issue.message)})`;
  if (texts === 'shown' && isShort(input)) return `is not valid: give ${wanted}, not the text ${JSON.stringify(input)}`;
  // Another string is expected, so the type is not the problem.
  if (wantsText(issue) && typeof input === 'string' && input !== '') return `is not valid: give ${wanted}`;
  return `is not valid: give ${wanted}, not ${kindOf(input)}`;
}

function wantsText(issue: core.$ZodIssue): boolean {
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

/** The expected value; undefined if the schema's author has written a message. */
function wantedOf(issue: core.$ZodIssue): string | undefined {
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

function isShort(value: unknown) {
  return typeof value === 'string' && value !== '' && value.length <= MAX_SHOWN_CHARS;
}

/** @param origin of an issue about a size */
function isNumeric(origin: string) {
  return origin === 'number' || origin === 'int' || origin === 'bigint';
}

function kindOf(value: unknown) {
  if (value === '') return 'an empty text';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return String(value);
  return KINDS[typeof value] ?? typeof value;
}

function shortened(key: string) {
  return key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
}

function lowerFirst(message: string) {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
