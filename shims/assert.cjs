/** Shim of `node:assert`. */

const AssertionError = require('tgp:assertion_error');
const { isDeepEqual, isDeepStrictEqual } = require('tgp:deep_equal');
const { invalidType, invalidValue, nodeError } = require('tgp:node_error');
const { inspect, types } = require('tgp:util');

const isError = (value) => types.isNativeError(value) || value instanceof Error;

function failed(message, facts) {
  if (isError(message)) throw message;
  throw new AssertionError({ message, ...facts });
}

function checkTruth(value, message, count, ok) {
  if (value) return;
  if (message !== undefined && message !== null)
    failed(message, { actual: value, expected: true, operator: '==', stackStartFn: ok });
  const text =
    count === 0
      ? 'No value argument passed to `assert.ok()`'
      : `The expression evaluated to a falsy value:\n\n  ${inspect(value)}\n`;
  const error = new AssertionError({ message: text, actual: value, expected: true, operator: '==', stackStartFn: ok });
  throw Object.assign(error, { generatedMessage: true });
}
function ok(...args) {
  checkTruth(args[0], args[1], args.length, ok);
}

/** @param {string} name @param {string} operator @param {(actual: any, expected: any) => boolean} holds */
function comparison(name, operator, holds) {
  const check = {
    [name](...args) {
      const [actual, expected, message] = args;
      if (args.length < 2)
        throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');
      if (!holds(actual, expected)) failed(message, { actual, expected, operator, stackStartFn: check });
    },
  }[name];
  return check;
}

/** The legacy comparison with type coercion. */
// biome-ignore lint/suspicious/noDoubleEquals: the legacy API requires it
const isLoose = (one, other) => one == other || (Number.isNaN(one) && Number.isNaN(other));
const not = (holds) => (one, other) => !holds(one, other);

/** Throws unless a thrown value is as expected. */
function checkThrown(error, expected, message, check) {
  if (expected === undefined || expected === null) return;
  const facts = { actual: error, expected, operator: check.name, stackStartFn: check };
  const fail = (text) => {
    if (message) failed(message, facts);
    throw Object.assign(new AssertionError({ ...facts, message: text }), { generatedMessage: true });
  };
  if (types.isRegExp(expected)) {
    const text = String(error);
    if (expected.exec(text) === null)
      fail(`The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`);
    return;
  }
  if (typeof expected !== 'function') {
    checkMembers(error, expected, message, check);
    return;
  }
  if (expected.prototype !== undefined && error instanceof expected) return;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) {
    fail(`The error is expected to be an instance of "${expected.name}". Received ${classText(error, expected)}`);
    return;
  }
  const answer = expected.call({}, error);
  if (answer === true) return;
  const name = expected.name ? `"${expected.name}" ` : '';
  const caught = isError(error) ? `\n\nCaught error:\n\n${error}` : '';
  fail(`The ${name}validation function is expected to return "true". Received ${inspect(answer)}${caught}`);
}

function classText(error, expected) {
  if (!isError(error)) return `"${inspect(error, { depth: -1 })}"`;
  const name = error.constructor?.name || error.name;
  const text = name === expected.name ? 'an error with identical name but a different prototype.' : `"${name}"`;
  return error.message ? `${text}\n\nError message:\n\n${error.message}` : text;
}

function checkMembers(error, expected, message, check) {
  if (typeof error !== 'object' || error === null) {
    const facts = { actual: error, expected, message, operator: 'deepStrictEqual', stackStartFn: check };
    throw Object.assign(new AssertionError(facts), { operator: check.name });
  }
  const keys = Object.keys(expected);
  if (isError(expected)) keys.push('name', 'message');
  else if (keys.length === 0) throw invalidValue('error', expected, 'may not be an empty object');
  for (const key of keys) {
    const wanted = expected[key];
    if (typeof error[key] === 'string' && types.isRegExp(wanted) && wanted.exec(error[key]) !== null) continue;
    if (key in error && isDeepStrictEqual(error[key], wanted)) continue;
    if (message) failed(message, { actual: error, expected, operator: check.name, stackStartFn: check });
    const [left, right] = [pick(error, keys, expected), pick(expected, keys, error)];
    const failure = new AssertionError({
      actual: left,
      expected: right,
      operator: 'deepStrictEqual',
      stackStartFn: check,
    });
    throw Object.assign(failure, { actual: error, expected, operator: check.name });
  }
}

/** The members that are compared; a text that a pattern matches is shown instead of the pattern. */
class Comparison {}
function pick(source, keys, other) {
  const members = new Comparison();
  for (const key of keys) {
    if (!(key in source)) continue;
    const pattern = source[key];
    const text = other[key];
    members[key] = types.isRegExp(pattern) && typeof text === 'string' && pattern.exec(text) !== null ? text : pattern;
  }
  return members;
}

/** @param {{ error: unknown } | undefined} outcome */
function checkOutcome(outcome, args, check, what) {
  const [first, second] = args;
  if (typeof first === 'string' && args.length > 1)
    throw invalidType('error', ['function', 'Error', 'RegExp', 'Object'], first);
  const [expected, message] = typeof first === 'string' ? [undefined, first] : [first, second];
  if (outcome !== undefined) {
    checkThrown(outcome.error, expected, message, check);
    return;
  }
  const details = `${expected?.name ? ` (${expected.name})` : ''}${message ? `: ${message}` : '.'}`;
  failed(`Missing expected ${what}${details}`, {
    actual: undefined,
    expected,
    operator: check.name,
    stackStartFn: check,
  });
}

/** @param {{ error: any } | undefined} outcome */
function checkNone(outcome, args, check, what) {
  if (outcome === undefined) return;
  const [first, second] = args;
  const [expected, message] = typeof first === 'string' ? [undefined, first] : [first, second];
  const { error } = outcome;
  if (expected && !isExpected(error, expected)) throw error;
  const details = message ? `: ${message}` : '.';
  const text = `Got unwanted ${what}${details}\nActual message: "${error?.message}"`;
  failed(text, { actual: error, expected, operator: check.name, stackStartFn: check });
}
function isExpected(error, expected) {
  if (types.isRegExp(expected)) return expected.exec(String(error)) !== null;
  if (expected.prototype !== undefined && error instanceof expected) return true;
  return !Object.prototype.isPrototypeOf.call(Error, expected) && expected.call({}, error) === true;
}

function outcomeOf(action) {
  if (typeof action !== 'function') throw invalidType('fn', ['function'], action);
  try {
    action();
  } catch (error) {
    return { error };
  }
  return undefined;
}
const kindText = (value) =>
  value === null || value === undefined ? value : `type ${typeof value} (${inspect(value)})`;
async function laterOutcomeOf(action) {
  const promise = typeof action === 'function' ? action() : action;
  if (typeof promise?.then !== 'function') {
    if (typeof action === 'function')
      throw nodeError(
        TypeError,
        'ERR_INVALID_RETURN_VALUE',
        `Expected instance of Promise to be returned from the "promiseFn" function but got ${kindText(promise)}.`,
      );
    throw invalidType('promiseFn', ['function', 'Promise'], action);
  }
  try {
    await promise;
  } catch (error) {
    return { error };
  }
  return undefined;
}

function checkMatch(text, pattern, message, check, wanted) {
  if (!types.isRegExp(pattern)) throw invalidType('regexp', ['RegExp'], pattern);
  if (typeof text === 'string' && (pattern.exec(text) !== null) === wanted) return;
  const facts = { actual: text, expected: pattern, operator: check.name, stackStartFn: check };
  if (message) failed(message, facts);
  const why =
    typeof text !== 'string'
      ? `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})`
      : wanted
        ? `The input did not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`
        : `The input was expected to not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
  throw Object.assign(new AssertionError({ ...facts, message: why }), { generatedMessage: true });
}

const checks = {
  throws: (action, ...args) => checkOutcome(outcomeOf(action), args, checks.throws, 'exception'),
  rejects: async (action, ...args) => checkOutcome(await laterOutcomeOf(action), args, checks.rejects, 'rejection'),
  doesNotThrow: (action, ...args) => checkNone(outcomeOf(action), args, checks.doesNotThrow, 'exception'),
  doesNotReject: async (action, ...args) =>
    checkNone(await laterOutcomeOf(action), args, checks.doesNotReject, 'rejection'),
  match: (text, pattern, message) => checkMatch(text, pattern, message, checks.match, true),
  doesNotMatch: (text, pattern, message) => checkMatch(text, pattern, message, checks.doesNotMatch, false),
  fail: (message) => {
    const facts = { operator: 'fail', stackStartFn: checks.fail };
    if (message !== undefined) failed(message, facts);
    throw Object.assign(new AssertionError({ message: 'Failed', ...facts }), { generatedMessage: true });
  },
  ifError: (value) => {
    if (value === null || value === undefined) return;
    const name = isError(value) && value.message === '' ? value.constructor?.name : undefined;
    const text = name ?? (isError(value) ? value.message : inspect(value));
    failed(`ifError got unwanted exception: ${text}`, { actual: value, expected: null, operator: 'ifError' });
  },
};

const deepStrictEqual = comparison('deepStrictEqual', 'deepStrictEqual', isDeepStrictEqual);
const notDeepStrictEqual = comparison('notDeepStrictEqual', 'notDeepStrictEqual', not(isDeepStrictEqual));
const strictEqual = comparison('strictEqual', 'strictEqual', Object.is);
const notStrictEqual = comparison('notStrictEqual', 'notStrictEqual', not(Object.is));

const assert = Object.assign((...args) => checkTruth(args[0], args[1], args.length, assert), {
  AssertionError,
  ok,
  equal: comparison('equal', '==', isLoose),
  notEqual: comparison('notEqual', '!=', not(isLoose)),
  strictEqual,
  notStrictEqual,
  deepEqual: comparison('deepEqual', 'deepEqual', isDeepEqual),
  notDeepEqual: comparison('notDeepEqual', 'notDeepEqual', not(isDeepEqual)),
  deepStrictEqual,
  notDeepStrictEqual,
  ...checks,
});

assert.strict = Object.assign((...args) => checkTruth(args[0], args[1], args.length, assert.strict), assert, {
  equal: strictEqual,
  notEqual: notStrictEqual,
  deepEqual: deepStrictEqual,
  notDeepEqual: notDeepStrictEqual,
});
assert.strict.strict = assert.strict;

module.exports = assert;
