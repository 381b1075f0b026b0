/** Approvals: the effects of a grant, a refusal, a timeout and a change in between, and their ledger events. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlTools, TGP, tgpTools } from '../../index.js';
import { eventsOf, policyKernel, wait } from '../helpers/policy_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const ASK_RUNS = { default: 'allow', rules: [{ id: 'runs', ask: ['run'] }] };
const write = { path: 'a.md', content: 'x' };

describe('the approver', () => {
  test('grants the call: it is made, and the ledger names the approver', async () => {
    /** @type {any[]} */
    const asked = [];
    const approve = async (/** @type {any} */ request) => {
      asked.push(request);
      return { approved: true, by: 'ann' };
    };
    const { kernel } = await policyKernel('safe', { approve });
    const tools = tgpTools(kernel, { session: 's1', agent: 'bob' });
    expect(await tools.write_file.execute(write)).toMatchObject({ success: true });
    expect(asked).toMatchObject([
      { tool: 'write_file', effect: 'write', path: 'a.md', args: write, verdict: 'ask', session: 's1', agent: 'bob' },
    ]);
    expect(asked[0].signal).toBeInstanceOf(AbortSignal);
    const events = await eventsOf(kernel, 'APPROVAL');
    expect(events).toMatchObject([
      { state: 'asked', tool: 'write_file', session: 's1' },
      { state: 'granted', by: 'ann', approval: events[0]?.approval },
    ]);
  });

  test.each([
    ['a refusal', () => false, 'application'],
    ['a refusal with a reason', () => ({ approved: false, by: 'ann', reason: 'Not today' }), 'ann'],
    ['an invalid answer', () => /** @type {any} */ ('yes'), 'nobody'],
    [
      'an exception',
      () => {
        throw new Error('Slack is down');
      },
      'nobody',
    ],
  ])('answers with %s: the call is not made', async (_, approve, by) => {
    /** @type {unknown[][]} */
    const errors = [];
    const logger = { ...console, error: (/** @type {unknown[]} */ ...entry) => errors.push(entry) };
    const { kernel, tools } = await policyKernel('safe', { approve, logger });
    await expect(tools.write_file.execute(write)).rejects.toMatchObject({
      code: 'ERR_APPROVAL',
      // The cause is for the log of the application, not for a model.
      message: expect.not.stringContaining('Slack'),
      details: { verdict: 'ask' },
    });
    expect(errors).toHaveLength(by === 'nobody' ? 1 : 0);
    expect(await kernel.vfs.exists('a.md')).toBe(false);
    expect(await eventsOf(kernel, 'APPROVAL')).toMatchObject([{ state: 'asked' }, { state: 'refused', by }]);
  });

  test('does not answer in time: the call is refused, and a late answer changes nothing', async () => {
    /** @type {(answer: boolean) => void} */
    let answer = () => {};
    const approve = () =>
      new Promise((/** @type {(answer: boolean) => void} */ done) => {
        answer = done;
      });
    const { kernel, tools } = await policyKernel('safe', { approve, config: { agent: { approvalMs: 1_000 } } });
    await expect(tools.write_file.execute(write)).rejects.toMatchObject({
      code: 'ERR_APPROVAL',
      message: expect.stringMatching(/The approver did not answer in time\. .*: make the same call again/),
    });
    answer(true);
    await wait(100);
    expect(await kernel.vfs.exists('a.md')).toBe(false);
    expect((await eventsOf(kernel, 'APPROVAL')).map(({ state }) => state)).not.toContain('granted');
  });

  test('receives an abort signal when the caller aborts the call', async () => {
    const stop = new AbortController();
    /** @type {AbortSignal | undefined} */
    let received;
    const approve = (/** @type {any} */ { signal }) => {
      received = signal;
      setTimeout(() => stop.abort(), 50);
      return new Promise(() => {});
    };
    const { kernel, tools } = await policyKernel('safe', { approve: /** @type {any} */ (approve) });
    const call = tools.write_file.execute(write, { abortSignal: stop.signal });
    await expect(call).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(received?.aborted).toBe(true);
    expect(await kernel.vfs.exists('a.md')).toBe(false);
  });

  test('is asked once for each call, also for fifty at once', async () => {
    let asked = 0;
    const { kernel, tools } = await policyKernel(/** @type {any} */ (ASK_RUNS), { approve: () => ++asked % 2 === 1 });
    const runs = await Promise.all(
      [...Array(50).keys()].map((n) => tools.exec_tool.execute({ path: 'tools/ok.ts', args: { n } })),
    );
    expect(asked).toBe(50);
    expect(runs.filter(({ success }) => success)).toHaveLength(25);
    expect((await eventsOf(kernel, 'APPROVAL')).filter(({ state }) => state === 'granted')).toHaveLength(25);
  });
});

describe('a granted approval is void when', () => {
  test.each([
    ['the tool has changed since', 'tools/ok.ts', 'tools/ok.ts'],
    ['an import of the tool has changed since', 'tools/priced.ts', 'lib/price.ts'],
  ])('%s', async (_, path, changed) => {
    /** @type {string} */
    let root = '';
    const approve = async () => {
      await writeFile(join(root, changed), 'export const price = 666;\nexport default () => 666;\n');
      return true;
    };
    const { tools, rootDir } = await policyKernel(/** @type {any} */ (ASK_RUNS), { approve });
    root = rootDir;
    expect(await tools.exec_tool.execute({ path })).toMatchObject({
      success: false,
      code: 'ERR_APPROVAL',
      error: expect.stringContaining('void'),
    });
  });
});

test('a granted approval is void when the call reaches more files than were shown', async () => {
  const policy = 'default: allow\nrules:\n  - { id: look, ask: [read], paths: ["tools/payments/**"] }\n';
  const middle = 'import charge from "./payments/charge.ts";\nexport default () => charge({});\n';
  const files = {
    'tools/outer.ts': '/** Outer. */\nimport middle from "./middle.ts";\nexport default (_args: object) => middle();\n',
    'tools/middle.ts': middle,
    'tools/payments/rate.ts': 'export const rate = 7;\n',
  };
  /** @type {any[]} */
  const asked = [];
  /** @type {string} */
  let root = '';
  const approve = async (/** @type {any} */ request) => {
    asked.push(request.also);
    await writeFile(join(root, 'tools/middle.ts'), `import { rate } from "./payments/rate.ts";\nvoid rate;\n${middle}`);
    return true;
  };
  const { tools, rootDir } = await policyKernel(policy, { approve, files });
  root = rootDir;
  await expect(tools.check_tool.execute({ path: 'tools/outer.ts' })).rejects.toMatchObject({
    code: 'ERR_APPROVAL',
    message: expect.stringContaining('void'),
  });
  expect(JSON.stringify(asked)).toContain('tools/payments/charge.ts');
  expect(JSON.stringify(asked)).not.toContain('rate.ts');
});

test('the approved text includes the packages that the tool imports', async () => {
  const folder = await tempRoot();
  const plant = async (/** @type {string} */ version) => {
    const place = join(folder, 'node_modules/lib1');
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), JSON.stringify({ name: 'lib1', version, type: 'module' }));
    await writeFile(join(place, 'index.js'), `export default 'of ${version}';\n`);
  };
  await plant('1.0.0');
  const configFile = join(folder, 'tgp.config.json');
  await writeFile(configFile, JSON.stringify({ policy: 'safe', allowedImports: ['lib1'] }));
  /** @type {string[]} */
  const texts = [];
  const approve = (/** @type {any} */ { tool, text }) => {
    if (tool === 'exec_tool') texts.push(text);
    return true;
  };
  const kernel = new TGP({ configFile, approve });
  onTestFinished(() => kernel.shutdown());
  const tools = tgpTools(kernel);
  const content = "/** P. */\nimport v from 'lib1';\nexport default (_args: object) => v;\n";
  await tools.write_file.execute({ path: 'tools/p.ts', content });
  const run = async () => (await tools.exec_tool.execute({ path: 'tools/p.ts', args: {} })).result;
  expect([await run(), await run()]).toEqual(['of 1.0.0', 'of 1.0.0']);
  await plant('2.0.0');
  await expect.poll(run).toBe('of 2.0.0');
  expect(texts[1]).toBe(texts[0]);
  expect(texts.at(-1)).not.toBe(texts[0]);
});

test('test_tool asks once for several test files, and lists them', async () => {
  const cases = "import { expect, test } from '@tgp/std/test';\ntest('is one', () => { expect(1).toBe(1); });\n";
  const files = { 'tools/ok.test.ts': cases, 'tools/priced.test.ts': cases, 'tools/reports/sum.test.ts': cases };
  /** @type {any[]} */
  const asked = [];
  const approve = (/** @type {any} */ request) => {
    asked.push(request);
    return { approved: true, by: 'ann' };
  };
  const { kernel } = await policyKernel('safe', { approve, files });
  const { test_tool } = tgpTools(kernel, { session: 's1' });
  expect(await test_tool.execute({})).toMatchObject({ ok: true, passed: 3 });
  expect(asked).toMatchObject([
    { tool: 'test_tool', args: { tests: Object.keys(files).map((path) => expect.stringContaining(path)) } },
  ]);
  expect(asked[0].always).toBeUndefined();
  expect((await eventsOf(kernel, 'APPROVAL')).filter(({ state }) => state === 'granted')).toHaveLength(3);
});

describe('host calls of a run', () => {
  const CALLS = {
    fetch: 'await fetch(args.url)',
    exec_sql: "await tgp.exec_sql('CREATE TABLE t (n INTEGER)')",
    write_file: "tgp.write_file('/tmp/a.md', 'x')",
    send_mail: "await tgp.send_mail({ to: 'ann' })",
    exec_tool: "await tgp.exec_tool('tools/ok.ts', {})",
  };
  test.each(Object.entries(CALLS))('%s is asked about', async (tool, code) => {
    /** @type {any[]} */
    const asked = [];
    let answer = true;
    const approve = (/** @type {any} */ request) => {
      asked.push(request);
      return request.parent === undefined || answer;
    };
    const { kernel, url } = await policyKernel('safe', { approve });
    await kernel.run(`${code}; return 1`, { url });
    expect(asked.map((request) => request.tool)).toEqual(['run_code', tool]);
    expect(asked[1].parent).toBe(asked[0].call);
    answer = false;
    const failed = await kernel.run(`try { ${code} } catch (error) { return error.code }`, { url });
    expect(failed.result).toBe('ERR_APPROVAL');
  });

  test('SQL tools of a kernel ask the approver', async () => {
    let asked = 0;
    const { kernel } = await policyKernel('safe');
    await kernel.boot();
    const tools = createSqlTools(kernel, { ddl: true, approve: () => ++asked > 1 });
    const sql = 'CREATE TABLE t (n INTEGER)';
    await expect(tools.exec_sql.execute({ sql })).rejects.toMatchObject({ code: 'ERR_APPROVAL' });
    await tools.exec_sql.execute({ sql });
    expect(asked).toBe(2);
  });
});

test('the ledger records a denial with its rule', async () => {
  const rules = { default: /** @type {const} */ ('allow'), rules: [{ id: 'closed', deny: ['write'] }] };
  const { kernel, tools } = await policyKernel(rules, { approve: () => true });
  await expect(tools.write_file.execute(write)).rejects.toMatchObject({ code: 'ERR_DENIED' });
  expect(await eventsOf(kernel, 'DENIED')).toMatchObject([{ tool: 'write_file', rule: 'closed', verdict: 'deny' }]);
});
