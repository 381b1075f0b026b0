/** `expect` as vitest has it, without vitest: what `scripts/expect_bundle.mjs` makes `std/expect.js` of. */

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

/** @type {any} */
export const expect = (/** @type {unknown} */ value, /** @type {string | undefined} */ message) => {
  setState({ assertionCalls: getState(expect).assertionCalls + 1 }, expect);
  return chai.expect(value, message);
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
 * Forgets what the case before has counted.
 * @param {string} name
 */
export function beginCase(name) {
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
 * Fails when a case made fewer or more assertions than it said.
 * @returns {number} how many it made
 */
export function endCase() {
  const { assertionCalls, expectedAssertionsNumber, isExpectingAssertions } = getState(expect);
  if (expectedAssertionsNumber !== null && assertionCalls !== expectedAssertionsNumber) {
    throw new AssertionError(`expected ${expectedAssertionsNumber} assertions, and ${assertionCalls} were made`);
  }
  if (isExpectingAssertions && assertionCalls === 0) {
    throw new AssertionError('expected at least one assertion, and none was made');
  }
  return assertionCalls;
}

/** How terminals are told of colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is one
const COLOURS = /\u001b\[[0-9;]*m/g;

/**
 * Where what was expected and what came differ, if an error says both.
 * @param {any} error
 * @returns {string | undefined}
 */
export function diffOf(error) {
  if (typeof error !== 'object' || error === null || !('expected' in error)) return undefined;
  const { diff } = processError({ ...error, message: '', expected: error.expected, actual: error.actual });
  return typeof diff === 'string' ? diff.replaceAll(COLOURS, '') : undefined;
}
