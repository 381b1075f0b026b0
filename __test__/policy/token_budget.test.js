/** The budget of a token, and the lock on its counts. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { outcomeOf, policyKernel, until, wait } from '../helpers/policy_kernel.js';

const config = { tokens: { keys: ['a key that has at least 32 bytes in it'] } };
const files = {
  'tools/sleep.ts':
    '/** Sleeps. */\nexport default async (args: { ms: number }) => { await new Promise((done) => setTimeout(done, args.ms)); return 1; };\n',
  'tools/ask.ts':
    "/** Asks. */\nexport default async (_args: object) => { while (await tgp.goes_on()) await tgp.exec_sql('SELECT 1'); return 1; };\n",
};
const sleep = (/** @type {number} */ ms) => ({ path: 'tools/sleep.ts', args: { ms } });

test('concurrent runs use no more than the budget of their token', async () => {
  const { kernel } = await policyKernel('allow', { config, files });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['run'], budget: 400 });
  const { exec_tool } = tgpTools(kernel, { token });
  const runs = await Promise.all(Array.from({ length: 20 }, () => exec_tool.execute(sleep(3_000))));
  expect(runs.filter(({ success }) => success)).toHaveLength(0);
  const errors = runs.map((run) => (run.success ? '' : run.error));
  expect(errors.filter((error) => error.includes('the rest of its token'))).toHaveLength(1);
  expect(errors.filter((error) => error.includes('Its budget is used up.'))).toHaveLength(19);
  expect(await outcomeOf(exec_tool.execute(sleep(0)))).toMatchObject({ verdict: 'deny' });
});

test('a call returns the unused part of the budget', async () => {
  const { kernel } = await policyKernel('allow', { config, files });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['run', 'read'], budget: 40_000 });
  const { exec_tool, read_file } = tgpTools(kernel, { token });
  for (let run = 0; run < 4; run++) expect(await exec_tool.execute(sleep(1))).toMatchObject({ result: 1 });
  await expect(exec_tool.execute({ path: 'tools/none.ts', args: {} })).resolves.toMatchObject({ success: false });
  const reads = Array.from({ length: 20 }, () => outcomeOf(read_file.execute({ path: 'README.md' })));
  expect((await Promise.all(reads)).map(({ verdict }) => verdict)).toEqual(Array(20).fill('allow'));
});

test('a run that exceeds wallMs reports the time limit, not the budget', async () => {
  const { kernel } = await policyKernel('allow', {
    config: { ...config, sandbox: { timeoutMs: 50, wallMs: 200 } },
    files,
  });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['run'], budget: 10_000_000 });
  const late = await tgpTools(kernel, { token }).exec_tool.execute(sleep(3_000));
  expect(late).toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT', error: expect.stringContaining('(sandbox.wallMs)') });
  expect(late.success ? '' : late.error).not.toContain('budget');
});

test('a tool call of an application function with the same token belongs to the run that called it', async () => {
  /** @type {any} */
  let tools;
  const { kernel } = await policyKernel('allow', {
    config,
    files: {
      'tools/relay.ts': '/** Relays. */\nexport default async (args: { ms: number }) => tgp.relay(args.ms);\n',
      ...files,
    },
    sandboxAPI: { relay: (/** @type {number} */ ms) => tools.exec_tool.execute(sleep(ms)) },
  });
  await kernel.boot();
  // Less than wallMs, so the run reserves the whole budget.
  const { token } = await kernel.issueToken({ allow: ['*'], budget: 20_000 });
  tools = tgpTools(kernel, { token });
  const relayed = await tools.exec_tool.execute({ path: 'tools/relay.ts', args: { ms: 1 } });
  expect(relayed).toMatchObject({ success: true, result: { success: true, result: 1 } });
  const { token: other } = await kernel.issueToken({ allow: ['*'], budget: 1 });
  tools = { ...tools, exec_tool: tgpTools(kernel, { token: other }).exec_tool };
  const spent = await tgpTools(kernel, { token }).exec_tool.execute({ path: 'tools/relay.ts', args: { ms: 500 } });
  expect(spent, 'a call with another token does not').toMatchObject({ result: { success: false } });
});

test('nested calls of application functions belong to the run at any depth, also for the number of calls', async () => {
  /** @type {any} */
  let tools;
  const { kernel } = await policyKernel('allow', {
    config,
    files: {
      'tools/relay.ts':
        '/** Relays. */\nexport default async (args: { n: number }) => (args.n > 0 ? tgp.relay(args.n - 1) : 1);\n',
    },
    sandboxAPI: {
      relay: (/** @type {number} */ n) => tools.exec_tool.execute({ path: 'tools/relay.ts', args: { n } }),
    },
  });
  await kernel.boot();
  const deepest = (/** @type {any} */ { success, result }) => (success ? deepest(result) : success);
  for (const limit of [{ budget: 20_000 }, { calls: 1 }]) {
    const { token } = await kernel.issueToken({ allow: ['*'], ...limit });
    tools = tgpTools(kernel, { token });
    const relayed = await tools.exec_tool.execute({ path: 'tools/relay.ts', args: { n: 3 } });
    expect(JSON.stringify(relayed), JSON.stringify(limit)).not.toContain('"success":false');
    expect(deepest(relayed)).toBeUndefined();
  }
});

test('the test files of one call share its budget', async () => {
  const text =
    "import { expect, test } from '@tgp/std/test';\nimport ok from './ok.ts';\ntest('answers', () => expect(ok({ n: 2 })).toBe(2));\n";
  const tests = Object.fromEntries([1, 2, 3].map((n) => [`tools/t${n}.test.ts`, text]));
  const { kernel } = await policyKernel('allow', { config, files: { ...files, ...tests } });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['run', 'read'], budget: 40_000 });
  expect(await tgpTools(kernel, { token }).test_tool.execute({})).toMatchObject({ passed: 3, failed: 0 });
});

test('a lock of another process on the counts does not block the event loop', async () => {
  let isOver = false;
  let statements = 0;
  const { kernel, rootDir } = await policyKernel('allow', {
    config: { ...config, sandbox: { timeoutMs: 20_000 } },
    files,
    sandboxAPI: { goes_on: () => !isOver },
    sql: (/** @type {string} */ sql) => Promise.resolve([{ sql, n: ++statements }]),
  });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['run', 'read', 'sql', 'app'], calls: 100, budget: 10_000_000 });
  const { exec_tool, read_file } = tgpTools(kernel, { token });
  const runs = [1, 2, 3, 4].map(() => exec_tool.execute({ path: 'tools/ask.ts', args: {} }));
  await until(() => statements > 20);
  const holder = spawn(process.execPath, ['-e', LOCK_HOLDER, join(rootDir, '.git/tgp/counts.db')], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill());
  await once(holder.stdout, 'data');
  // It waits for the lock, which only this thread can release: a blocked event loop never ends.
  const counted = read_file.execute({ path: 'README.md' });
  await wait(300);
  isOver = true;
  for (const run of await Promise.all(runs)) expect(run).toMatchObject({ success: true });
  holder.stdin.end();
  expect(await counted).toContain('# Workspace');
});

const LOCK_HOLDER = `
const Database = require('better-sqlite3');
const counts = new Database(process.argv[1]);
counts.exec('BEGIN IMMEDIATE');
process.stdout.write('held');
process.stdin.resume().once('end', () => { counts.exec('COMMIT'); process.exit(); });
`;
