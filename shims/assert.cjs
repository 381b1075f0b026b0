/** Shim of `node:assert` with simple messages. */

const { dequal } = require('dequal');
const { inspect, types } = require('tgp:util');

class AssertionError extends Error {
  constructor({ message, actual, expected, operator } = {}) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    Object.assign(this, {
      name: 'AssertionError',
      code: 'ERR_ASSERTION',
      generatedMessage: message === undefined,
      actual,
      expected,
      operator,
    });
  }
}

function failed(message, facts) {
  throw types.isNativeError(message) ? message : new AssertionError({ message, ...facts });
}

function ok(value, message) {
  if (!value) failed(message, { actual: value, expected: true, operator: '==' });
}

/** @param {string} operator @param {(actual: any, expected: any) => boolean} holds */
const comparison = (operator, holds) => (actual, expected, message) => {
  if (!holds(actual, expected)) failed(message, { actual, expected, operator });
};

/** The legacy comparison with type coercion. */
// biome-ignore lint/suspicious/noDoubleEquals: the legacy API requires it
const loose = (one, other) => one == other || (Number.isNaN(one) && Number.isNaN(other));
const looseDeep = (one, other) => {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return loose(one, other);
  return dequal(one, other) || dequal({ ...one }, { ...other });
};

function matches(error, expected) {
  if (expected === undefined) return true;
  if (types.isRegExp(expected)) return expected.test(String(error));
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && error instanceof expected) return true;
    const isErrorClass = expected === Error || expected.prototype instanceof Error;
    return !isErrorClass && expected.call({}, error) === true;
  }
  return Object.entries(expected).every(([key, value]) =>
    types.isRegExp(value) ? value.test(error[key]) : dequal(error[key], value),
  );
}

function thrown(outcome, expected, message) {
  const wanted = typeof expected === 'string' ? undefined : expected;
  const text = typeof expected === 'string' ? expected : message;
  if (outcome === undefined) failed(text ?? 'Missing expected exception.', { expected: wanted, operator: 'throws' });
  if (!matches(outcome.error, wanted)) throw outcome.error;
}

const caught = (action) => {
  try {
    action();
  } catch (error) {
    return { error };
  }
  return undefined;
};

const rejected = async (action) => {
  try {
    await (typeof action === 'function' ? action() : action);
  } catch (error) {
    return { error };
  }
  return undefined;
};

const unwanted = (outcome, message) => {
  if (outcome) failed(typeof message === 'string' ? message : `Got unwanted exception: ${outcome.error?.message}`, {});
};

const deepStrictEqual = comparison('deepStrictEqual', dequal);
const notDeepStrictEqual = comparison('notDeepStrictEqual', (one, other) => !dequal(one, other));
const strictEqual = comparison('strictEqual', Object.is);
const notStrictEqual = comparison('notStrictEqual', (one, other) => !Object.is(one, other));

const assert = Object.assign((value, message) => ok(value, message), {
  AssertionError,
  ok,
  equal: comparison('==', loose),
  notEqual: comparison('!=', (one, other) => !loose(one, other)),
  strictEqual,
  notStrictEqual,
  deepEqual: comparison('deepEqual', looseDeep),
  notDeepEqual: comparison('notDeepEqual', (one, other) => !looseDeep(one, other)),
  deepStrictEqual,
  notDeepStrictEqual,
  fail: (message = 'Failed') => failed(message, { operator: 'fail' }),
  ifError: (value) => {
    if (value !== null && value !== undefined) throw value;
  },
  match: comparison('match', (text, pattern) => pattern.test(text)),
  doesNotMatch: comparison('doesNotMatch', (text, pattern) => !pattern.test(text)),
  throws: (action, expected, message) => thrown(caught(action), expected, message),
  doesNotThrow: (action, message) => unwanted(caught(action), message),
  rejects: async (action, expected, message) => thrown(await rejected(action), expected, message),
  doesNotReject: async (action, message) => unwanted(await rejected(action), message),
});

assert.strict = Object.assign((value, message) => ok(value, message), assert, {
  equal: strictEqual,
  notEqual: notStrictEqual,
  deepEqual: deepStrictEqual,
  notDeepEqual: notDeepStrictEqual,
});
assert.strict.strict = assert.strict;

module.exports = assert;
