/** Scripts of models: each decides by its prompt, like a model. */

/**
 * @typedef {import('../examples/demo/providers/scripted_server.js').Seen} Seen
 * @typedef {import('../examples/demo/providers/scripted_server.js').Turn} Turn
 */

export const TOOL_PATH = 'tools/shipping/dim_weight.ts';
export const TEST_PATH = 'tools/shipping/dim_weight.test.ts';

const TOOL = `/**
 * Dimensional weight of a box in pounds, rounded up.
 * @param args.length in inches
 * @param args.width in inches
 * @param args.height in inches
 * @param args.divisor of the carrier
 */
export default (args: { length: number; width: number; height: number; divisor: number }): number =>
  Math.ceil((args.length * args.width * args.height) / args.divisor);
`;

/** A test as `test_tool` runs it. */
const TEST = `import { expect, test } from '@tgp/std/test';
import dimWeight from './dim_weight.ts';

test('a box of 10 x 20 x 30 weighs 44 pounds', () => {
  expect(dimWeight({ length: 10, width: 20, height: 30, divisor: 139 })).toBe(44);
});
`;

/** The same where there is no `test_tool`: a tool that throws. */
const TEST_AS_TOOL = `import dimWeight from './dim_weight.ts';

/** Tests the dimensional weight. */
export default (): string => {
  const weight = dimWeight({ length: 10, width: 20, height: 30, divisor: 139 });
  if (weight !== 44) throw new Error(\`expected 44, got \${weight}\`);
  return 'passed';
};
`;

/**
 * Test first: looks for a tool, writes a test, sees it red, writes the tool, sees it green, runs it, and answers.
 * @param {Seen} seen
 * @returns {Turn}
 */
export function forgeTestFirst({ tools, results }) {
  const hasTests = tools.includes('test_tool');
  const runTest = hasTests
    ? { name: 'test_tool', input: { path: TOOL_PATH } }
    : { name: 'exec_tool', input: { path: TEST_PATH, args: {} } };
  const box = { length: 40, width: 40, height: 50, divisor: 139 };
  /** @type {Turn[]} */
  const turns = [
    {
      say: 'Is there a tool for this?',
      calls: [{ name: 'find_tool', input: { query: 'dimensional weight of a box' } }],
    },
    {
      say: 'No. First a test that says what it must do.',
      calls: [{ name: 'write_file', input: { path: TEST_PATH, content: hasTests ? TEST : TEST_AS_TOOL } }],
    },
    { say: 'It must fail now.', calls: [runTest] },
    { say: 'Red. Now the tool.', calls: [{ name: 'write_file', input: { path: TOOL_PATH, content: TOOL } }] },
    { calls: [runTest] },
    { say: 'Green. Run it.', calls: [{ name: 'exec_tool', input: { path: TOOL_PATH, args: box } }] },
    { say: `It weighs ${lastResult(results)} pounds.` },
  ];
  return turns[Math.min(results.length, turns.length - 1)] ?? {};
}

/**
 * Uses what is there: finds the tool and runs it.
 * @param {Seen} seen
 * @returns {Turn}
 */
export function reuse({ results }) {
  const box = { length: 10, width: 20, height: 30, divisor: 166 };
  /** @type {Turn[]} */
  const turns = [
    { calls: [{ name: 'find_tool', input: { query: 'dimensional weight of a box in pounds' } }] },
    { say: 'There is one.', calls: [{ name: 'exec_tool', input: { path: TOOL_PATH, args: box } }] },
    { say: `It weighs ${lastResult(results)} pounds.` },
  ];
  return turns[Math.min(results.length, turns.length - 1)] ?? {};
}

/**
 * A script of turns by the number of results in a request, so that a repeated request gets the same turn.
 * @param {Turn[]} turns
 * @returns {(seen: Seen) => Turn}
 */
export function byResults(turns) {
  return ({ results }) => turns[Math.min(results.length, turns.length - 1)] ?? {};
}

/** @param {Seen['results']} results */
function lastResult(results) {
  const { output = '{}' } = results.at(-1) ?? {};
  try {
    return JSON.parse(output).result;
  } catch {
    return undefined;
  }
}
