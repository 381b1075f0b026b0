/** vitest's `expect` without vitest: the entry point from which `scripts/expect_bundle.mjs` builds `std/expect.js`. */

import {
  ASYMMETRIC_MATCHERS_OBJECT,
  addCustomEqualityTesters,
  customMatchers,
  GLOBAL_EXPECT,
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import { processError } from '@vitest/utils/error';
import * as chai from 'chai';

export { clearAllMocks, fn, resetAllMocks, restoreAllMocks, spyOn } from '@vitest/spy';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

const { AssertionError, util } = chai;

/** Chain words between `expect(…)` and a matcher; they check nothing. */
const CHAINS = new Set([
  ...[
    'not',
    'resolves',
    'rejects',
    'to',
    'be',
    'been',
    'is',
    'that',
    'which',
    'and',
    'has',
    'have',
    'with',
    'at',
    'of',
  ],
  ...['same', 'but', 'does', 'still', 'also', 'deep', 'nested', 'own', 'ordered', 'any', 'all', 'itself', 'then'],
]);
/**
 * The expectations of one case. A failure that the case catches does not count as a successful expectation.
 * @typedef {{ unchecked: Set<object>, met: number }} Expected `unchecked`: expectations without a matcher yet
 */
/** @type {Expected} */
let current = { unchecked: new Set(), met: 0 };

/**
 * An assertion that records when a matcher is used, and when it succeeds.
 * @param {any} assertion
 * @param {object} mark
 * @param {Expected} of
 * @returns {any}
 */
function noting(assertion, mark, of) {
  return new Proxy(assertion, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      // A matcher checks when it is called, a property such as `true` when it is read.
      if (typeof value === 'function') return notingCall(value, target, mark, of);
      const isChain = typeof key === 'symbol' || CHAINS.has(key);
      if (isChain) return typeof value === 'object' && value !== null ? noting(value, mark, of) : value;
      of.unchecked.delete(mark);
      of.met += 1;
      return value;
    },
  });
}

/**
 * @param {any} matcher
 * @param {any} assertion
 * @param {object} mark
 * @param {Expected} of
 */
function notingCall(matcher, assertion, mark, of) {
  return new Proxy(matcher, {
    apply(target, _, args) {
      of.unchecked.delete(mark);
      const checked = Reflect.apply(target, assertion, args);
      const met = (/** @type {unknown} */ value) => {
        of.met += 1;
        return value;
      };
      return checked instanceof Promise ? checked.then(met) : met(checked);
    },
    get(target, key) {
      of.unchecked.delete(mark);
      // Properties of a matcher, as in `include.members`, are matchers too.
      const value = Reflect.get(target, key, target);
      if (typeof value === 'function') return notingCall(value, target, mark, of);
      return typeof value === 'object' && value !== null ? noting(value, mark, of) : value;
    },
  });
}

/** @type {any} */
export const expect = (/** @type {unknown} */ value, /** @type {string | undefined} */ message) => {
  setState({ assertionCalls: getState(expect).assertionCalls + 1 }, expect);
  const mark = {};
  current.unchecked.add(mark);
  return noting(chai.expect(value, message), mark, current);
};
Object.assign(expect, chai.expect, /** @type {any} */ (globalThis)[ASYMMETRIC_MATCHERS_OBJECT]);
Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, writable: true, configurable: true });
beginCase('');
expect.extend = (/** @type {any} */ matchers) => /** @type {any} */ (chai.expect).extend(expect, matchers);
expect.addEqualityTesters = addCustomEqualityTesters;
expect.unreachable = (/** @type {string | undefined} */ message) => {
  chai.assert.fail(`expected ${message ? `"${message}" ` : ''}not to be reached`);
};
util.addMethod(expect, 'assertions', (/** @type {number} */ count) => {
  setState({ expectedAssertionsNumber: count }, expect);
});
util.addMethod(expect, 'hasAssertions', () => {
  setState({ isExpectingAssertions: true }, expect);
});
expect.extend(customMatchers);

/**
 * Resets the counters of the previous case.
 * @param {string} name
 */
export function beginCase(name) {
  current = { unchecked: new Set(), met: 0 };
  setState(
    {
      assertionCalls: 0,
      isExpectingAssertions: false,
      isExpectingAssertionsError: null,
      expectedAssertionsNumber: null,
      expectedAssertionsNumberErrorGen: null,
      currentTestName: name,
    },
    expect,
  );
}

/**
 * Fails if a case made more or fewer assertions than declared, or used `expect` without a matcher.
 * @param {boolean} fails whether the case is to fail: then it needs only to have expected something
 * @returns {number} how many have held, or were made
 */
export function endCase(fails) {
  const { assertionCalls, expectedAssertionsNumber, isExpectingAssertions } = getState(expect);
  if (expectedAssertionsNumber !== null && assertionCalls !== expectedAssertionsNumber) {
    throw new AssertionError(`expected ${expectedAssertionsNumber} assertions, and ${assertionCalls} were made`);
  }
  if (isExpectingAssertions && assertionCalls === 0) {
    throw new AssertionError('expected at least one assertion, and none was made');
  }
  if (current.unchecked.size > 0) {
    throw new AssertionError('expect(…) was called without a matcher, which checks nothing: add one, such as .toBe(…)');
  }
  return fails ? assertionCalls : current.met;
}

/** Escape sequences for terminal colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is one
const COLOURS = /\u001b\[[0-9;]*m/g;

/**
 * The diff between the expected and the actual value, if an error has both.
 * @param {any} error
 * @returns {string | undefined}
 */
export function diffOf(error) {
  if (typeof error !== 'object' || error === null || !('expected' in error)) return undefined;
  const { diff } = processError({ ...error, message: '', expected: error.expected, actual: error.actual });
  return typeof diff === 'string' ? diff.replaceAll(COLOURS, '') : undefined;
}
