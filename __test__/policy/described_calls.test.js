/** The AI SDK's approval and the kernel judge the same description of a call. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { policyCalls } from '../../dist/agent_tools/policy_calls.js';
import { KERNEL_TOOL_FACTS } from '../../dist/boundary/kernel_tool_facts.js';
import { AGENT_TOOLS } from '../../dist/tool_shape/agent_tool_table.js';
import { createSqlTools, sqlite, tgpTools } from '../../index.js';
import { callsOf } from '../helpers/ledger.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Before each call. */
const FILES = {
  'tools/math/twice.ts': '/** Doubles. */\nexport default (args: { n: number }): number => args.n * 2;\n',
  'tools/math/twice.test.ts': `import { expect, test } from '@tgp/std/test';
import twice from './twice';
test('doubles', () => expect(twice({ n: 2 })).toBe(4));
`,
};

/** Variants of the examples in the table. @type {[string, object][]} */
const VARIANTS = [
  ['list_files', { dir: '.' }],
  ['describe_schema', {}],
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
  const examples = Object.entries(AGENT_TOOLS).map(([name, { example }]) => [name, example]);
  for (const [name, args] of [...examples, ...VARIANTS]) {
    for (const [path, text] of Object.entries(FILES)) await kernel.vfs.writeFile(path, text);
    const described = await describeCalls[name]?.(args);
    const known = (await kernel.ledger.query({ limit: 1_000, session })).length;
    // A call that fails is judged and recorded too.
    const failure = await tools[name].execute(args).then(
      () => undefined,
      (error) => error.message,
    );
    const events = (await kernel.ledger.query({ limit: 1_000, session })).slice(known);
    const [recorded] = callsOf(events).filter(({ parent }) => parent === undefined);
    expect(recorded, `${name}: ${failure}`).toBeDefined();
    expect(comparable(described), name).toEqual(comparable(recorded));
    // Rules can name no other argument.
    if (name !== 'exec_tool')
      expect(KERNEL_TOOL_FACTS[name].arguments).toEqual(expect.arrayContaining(Object.keys(described.args)));
  }
});

test('the example of a tool has every argument that rules can match', () => {
  for (const [name, { example, parameters, paging = [] }] of Object.entries(AGENT_TOOLS)) {
    const judged = Object.keys(parameters.shape).filter((argument) => !paging.includes(argument));
    expect(Object.keys(example).sort(), name).toEqual(judged.sort());
  }
});
