/** A policy function of the application: its verdict applies, and everything else is a denial. */

import { describe, expect, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { caller, eventsOf, outcomeOf, policyKernel } from '../helpers/policy_kernel.js';

const CALL = { path: 'a.md', content: 'x' };

test.each([
  ['allows', () => 'allow', 'allow'],
  ['denies', () => ({ verdict: 'deny', rule: 'cedar-7', reason: 'Not here.' }), 'deny'],
  ['asks', async () => 'ask', 'ask'],
  [
    'throws',
    () => {
      throw new Error('OPA is down');
    },
    'deny',
  ],
  ['returns an unknown verdict', () => 'yes', 'deny'],
  ['returns nothing', () => undefined, 'deny'],
  ['never answers', () => new Promise(() => {}), 'deny'],
])('a policy function that %s', async (_, decide, verdict) => {
  const policy = /** @type {any} */ ((/** @type {any} */ { effect }) => (effect === 'run' ? 'allow' : decide()));
  const { kernel } = await policyKernel(policy, { config: { agent: { approvalMs: 1_000 } } });
  const { call, guest } = await caller(kernel);
  expect(await call('write_file', CALL)).toMatchObject({ verdict });
  expect(await guest("tgp.write_file('/tmp/a.md', 'x')")).toMatchObject({ verdict });
});

test('the rule and reason of a policy function reach the caller and the ledger', async () => {
  const { kernel } = await policyKernel(() => ({ verdict: 'deny', rule: 'cedar-7', reason: 'Not here.' }));
  const { call } = await caller(kernel);
  expect(await call('write_file', CALL)).toMatchObject({ verdict: 'deny', rule: 'cedar-7', reason: 'Not here.' });
  expect(await eventsOf(kernel, 'DENIED')).toMatchObject([{ rule: 'cedar-7', tool: 'write_file' }]);
});

describe('a policy function judges every file that a call reaches', () => {
  const files = {
    'tools/secret/key.ts': "export const KEY = 'hunter2' as const;\n",
    'tools/pub/run.ts':
      "/** Runs. */\nimport { KEY } from '../secret/key.ts';\nexport default (_args: object) => KEY;\n",
    'tools/pub/wrong.ts':
      "/** Fails. */\nimport { KEY } from '../secret/key.ts';\nconst one: 1 = KEY;\nexport default (_args: object) => one;\n",
    'tools/pub/run.test.ts':
      "import { expect, test } from 'vitest';\nimport { KEY } from '../secret/key.ts';\ntest('it is', () => expect(KEY).toBe('x'));\n",
  };
  const callsByTool = /** @type {[string, any][]} */ ([
    ['exec_tool', { path: 'tools/pub/run.ts', args: {} }],
    ['check_tool', { path: 'tools/pub/wrong.ts' }],
    ['test_tool', { path: 'tools/pub/run.test.ts' }],
    ['run_code', { code: "import { KEY } from '/lib/secret/key';\nexport default () => KEY;" }],
    ['read_file', { path: 'tools/secret/key.ts' }],
  ]);

  test.each(callsByTool)('%s does not reach a denied file', async (tool, args) => {
    const policy = (/** @type {any} */ { path }) => (path?.startsWith('tools/secret/') ? 'deny' : 'allow');
    const { kernel, tools } = await policyKernel(/** @type {any} */ (policy), { files });
    await kernel.boot();
    expect(await outcomeOf(/** @type {any} */ (tools)[tool].execute(args))).toMatchObject({ verdict: 'deny' });
  });

  test('as separate calls: files that are read, and files that are run', async () => {
    /** @type {any[]} */
    const seen = [];
    const policy = (/** @type {any} */ { tool, effect, path, args }) => {
      seen.push({ tool, effect, path, args });
      return 'allow';
    };
    const { kernel, tools } = await policyKernel(/** @type {any} */ (policy), { files });
    await kernel.boot();
    await tools.exec_tool.execute({ path: 'tools/pub/run.ts', args: {} });
    const path = 'tools/secret/key.ts';
    expect(seen).toContainEqual({ tool: 'exec_tool', effect: 'run', path, args: { path } });
    seen.length = 0;
    await tools.check_tool.execute({ path: 'tools/pub/wrong.ts' });
    // The answer quotes the named file and its imports.
    for (const file of ['tools/pub/wrong.ts', path])
      expect(seen).toContainEqual({ tool: 'read_file', effect: 'read', path: file, args: { path: file } });
  });

  test('asks about the whole call if it asks about one of the files', async () => {
    const policy = (/** @type {any} */ { path }) =>
      path?.startsWith('tools/secret/') ? { verdict: 'ask', rule: 'secrets' } : 'allow';
    /** @type {any[]} */
    const asked = [];
    const approve = (/** @type {any} */ request) => asked.push(request) > 0;
    const { kernel, tools } = await policyKernel(/** @type {any} */ (policy), { files, approve });
    await kernel.boot();
    expect(await tools.exec_tool.execute({ path: 'tools/pub/run.ts', args: {} })).toMatchObject({ result: 'hunter2' });
    expect(asked).toMatchObject([{ tool: 'exec_tool', path: 'tools/pub/run.ts', rule: 'secrets' }]);
  });
});

test("the agent of a call is the name that a rule's principal matches, for policy function and approver", async () => {
  const rules = (/** @type {string} */ name) =>
    `version: 1\ndefault: allow\nrules:\n  - { id: named, deny: [read], principal: "agent:${name}" }\n`;
  const read = { path: 'a.md' };
  const callers = /** @type {[string, object][]} */ ([
    ['ann', { agent: 'ann' }],
    ['agent', {}],
  ]);
  for (const [name, options] of callers) {
    /** @type {string[]} */
    const seen = [];
    const policy = /** @type {any} */ (
      (/** @type {any} */ { agent }) => {
        seen.push(agent);
        return 'ask';
      }
    );
    const approve = async (/** @type {any} */ { agent }) => seen.push(agent) > 0;
    const { kernel } = await policyKernel(policy, { approve, files: { 'a.md': 'x' } });
    await tgpTools(kernel, options).read_file.execute(read);
    expect(seen).toEqual([name, name]);
    const { kernel: ruled } = await policyKernel(rules(name), { files: { 'a.md': 'x' } });
    expect(await outcomeOf(tgpTools(ruled, options).read_file.execute(read))).toMatchObject({ rule: 'named' });
  }
});
