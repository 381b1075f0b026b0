/** The AI SDK's approval and the kernel judge the same description of a call. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { policyCalls } from '../../dist/agent_tools/policy_calls.js';
import { KERNEL_CALLS } from '../../dist/boundary/kernel_tools.js';
import { createSqlTools, sqlite, tgpTools } from '../../index.js';
import { callsOf } from '../helpers/ledger.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const path = 'tools/math/twice.ts';
const LAST = 'export default (args: { n: number }): number => args.n * 2;';
const TEST = `import { expect, test } from '@tgp/std/test';
import twice from './twice';
test('doubles', () => expect(twice({ n: 2 })).toBe(4));
`;
const why = 'asked for';

/** Every kernel tool with all arguments that rules can match, in a workable order. @type {[string, any][]} */
const CALLS = [
  ['write_file', { path, content: `/** Doubles. */\n${LAST}\n`, why }],
  ['write_file', { path: 'tools/math/twice.test.ts', content: TEST }],
  ['list_files', { dir: 'tools', glob: '**/*.ts' }],
  ['list_files', { dir: '.' }],
  ['read_file', { path }],
  ['search_files', { pattern: 'doubles', glob: '**/*.ts', case: 'sensitive', limit: 5 }],
  ['find_tool', { query: 'double a number', limit: 3 }],
  ['check_tool', { path }],
  ['patch_file', { path, search: 'Doubles', replace: 'Makes double', why }],
  ['apply_diff', { path, diff: `<<<<<<< SEARCH\n${LAST}\n=======\n${LAST} //\n>>>>>>> REPLACE\n`, start_line: 2, why }],
  // For a tool, each of its test files would be judged as a separate call.
  ['test_tool', { path: 'tools/math/twice.test.ts' }],
  ['exec_tool', { path, args: { n: 21 } }],
  ['run_code', { code: 'return args.n', args: { n: 1 } }],
  ['file_history', { path, limit: 2 }],
  ['move_file', { from: path, to: 'tools/math/double.ts', why }],
  ['delete_file', { path: 'tools/math/double.ts', why }],
  ['revert_file', { path: 'tools/math/double.ts', commit: 'HEAD~1', why }],
  ['exec_sql', { sql: 'SELECT :n AS n', params: { n: 1 } }],
  ['describe_schema', { table: 't' }],
];

/** @param {any} call */
const comparable = ({ tool, effect, path: file, args }) => ({
  tool,
  effect,
  path: file ?? undefined,
  args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined)),
});

test('the call described to the policy equals the recorded call, for every kernel tool', async () => {
  const { kernel } = await sqlKernel(sqlite(join(await tempRoot(), 'app.db')));
  const session = 's';
  /** @type {Record<string, any>} */
  const tools = { ...tgpTools(kernel, { session }), ...createSqlTools(kernel, { session }) };
  const describeCalls = policyCalls(async (_, args) => args);
  expect(Object.keys(describeCalls).sort()).toEqual(Object.keys(tools).sort());
  expect([...new Set(CALLS.map(([name]) => name))].sort()).toEqual(Object.keys(tools).sort());
  for (const [name, args] of CALLS) {
    const described = await describeCalls[name]?.(args);
    const known = (await kernel.ledger.query({ limit: 1_000, session })).length;
    // A call that fails is judged and recorded too.
    await tools[name].execute(args).catch(() => {});
    const events = (await kernel.ledger.query({ limit: 1_000, session })).slice(known);
    const [recorded] = callsOf(events).filter(({ parent }) => parent === undefined);
    expect(recorded, name).toBeDefined();
    expect(comparable(described), name).toEqual(comparable(recorded));
    // Rules can name no other argument.
    if (name !== 'exec_tool')
      expect(KERNEL_CALLS[name].arguments).toEqual(expect.arrayContaining(Object.keys(described.args)));
  }
});
