/** Tables of real calls by agent tools, SQL tools and running tools, with the expected verdict and rule. */

import { describe, expect, test } from 'vitest';
import { ApprovalError, DeniedError } from '../../index.js';
import { caller, policyKernel } from '../helpers/policy_kernel.js';

const DOOR = `version: 1
default: ask
rules:
  - { id: reading, allow: [read] }
  - { id: runs, allow: [run] }
  - { id: reports, allow: [write_file, patch_file], paths: ["tools/reports/**"] }
  - { id: no-payments, deny: [run], paths: ["tools/payments/**"], reason: "Payments need a person." }
  - { id: here, allow: [net], hosts: ["127.0.0.1"], methods: [GET] }
  - { id: orders, ask: [sql], verbs: [update, delete], tables: ["orders"] }
  - { id: rest-of-sql, allow: [sql] }
  - { id: mail-home, allow: [send_mail], args: { "/0/to": { glob: "*@home.example" } } }
tests:
  - { call: { tool: write_file, args: { path: tools/x.ts } }, expect: ask }
`;

const STRICT = `version: 1
default: deny
rules:
  - { id: look, allow: [read_file, list_files, find_tool] }
  - { id: code, allow: [run_code] }
  - { id: one-tool, allow: [exec_tool], paths: ["tools/ok.ts"] }
  - { id: few, ask: [exec_tool], paths: ["tools/reports/*"] }
  - { id: notes, allow: [write], paths: ["notes/*.md"] }
  - { id: no-drafts, deny: [write], paths: ["notes/draft-*"] , reason: "Drafts are for people." }
  - { id: selects, allow: [sql], verbs: [select] }
  - { id: secret-table, deny: [sql], tables: [salaries] }
`;

const MILD = `version: 1
default: allow
rules:
  - { id: no-delete, deny: [delete_file, move_file] }
  - { id: ask-payments, ask: ["*"], paths: ["tools/payments/**"] }
  - { id: no-drop, deny: [sql], verbs: [drop, truncate] }
  - { id: no-post, deny: [net], methods: [POST, PUT, DELETE], reason: "Only looking." }
  - { id: no-mail, deny: [send_mail] }
  - { id: small-searches, deny: [search_files], args: { /pattern: "password" } }
  - { id: not-bob, deny: [write], principal: ["agent:bob"] }
`;

const call = (/** @type {string} */ tool, /** @type {unknown} */ args) => ({ tool, args });
const write = (/** @type {string} */ path) => call('write_file', { path, content: 'x\n' });
const sql = (/** @type {string} */ text) => call('exec_sql', { sql: text });
const exec = (/** @type {string} */ path) => call('exec_tool', { path });
const guest = (/** @type {string} */ code) => ({ code });
const URL = 'URL';

/** @type {Record<string, { policy: string, rows: [call: any, verdict: string, rule?: string][] }>} */
const TABLES = {
  'the example of the documentation': {
    policy: DOOR,
    rows: [
      [call('read_file', { path: 'README.md' }), 'allow'],
      [call('list_files', { dir: '.' }), 'allow'],
      [call('search_files', { pattern: 'x' }), 'allow'],
      [call('find_tool', { query: 'charge' }), 'allow'],
      [call('file_history', { path: 'README.md' }), 'allow'],
      [call('check_tool', { path: 'tools/ok.ts' }), 'allow'],
      [call('describe_schema', {}), 'allow'],
      [write('tools/x.ts'), 'ask', 'default'],
      [write('tools/reports/x.md'), 'allow'],
      [write('./tools//reports/./y.md'), 'allow'],
      [write('tools/reportsx/y.md'), 'ask', 'default'],
      [write('TOOLS/reports/y.md'), 'ask', 'default'],
      [call('patch_file', { path: 'tools/reports/sum.ts', search: 'Adds.', replace: 'Adds up.' }), 'allow'],
      [call('patch_file', { path: 'tools/ok.ts', search: 'Answers.', replace: 'Says.' }), 'ask', 'default'],
      [call('apply_diff', { path: 'tools/reports/sum.ts', diff: 'x' }), 'ask', 'default'],
      [call('delete_file', { path: 'tools/reports/sum.ts' }), 'ask', 'default'],
      [call('move_file', { from: 'tools/reports/sum.ts', to: 'tools/reports/add.ts' }), 'ask', 'default'],
      [call('revert_file', { path: 'README.md', commit: 'HEAD' }), 'ask', 'default'],
      [exec('tools/ok.ts'), 'allow'],
      [exec('tools/payments/charge.ts'), 'deny', 'no-payments'],
      [exec('./tools/payments/charge.ts'), 'deny', 'no-payments'],
      [exec('tools//payments/charge.ts'), 'deny', 'no-payments'],
      [call('run_code', { code: 'return 1' }), 'allow'],
      [sql('SELECT 1'), 'allow'],
      [sql('CREATE TABLE orders (n INTEGER)'), 'allow'],
      [sql('INSERT INTO orders VALUES (1)'), 'allow'],
      [sql('UPDATE orders SET n = 2'), 'ask', 'orders'],
      [sql('delete from "Orders"'), 'ask', 'orders'],
      [sql('DELETE FROM main.orders'), 'ask', 'orders'],
      [sql('SELECT * FROM orders'), 'allow'],
      [sql('WITH x AS (SELECT 1) DELETE FROM orders'), 'ask', 'orders'],
      [sql('/* UPDATE orders */ SELECT 1'), 'allow'],
      [guest("tgp.read_file('README.md')"), 'allow'],
      [guest("tgp.write_file('tools/reports/by-run.md', 'x')"), 'allow'],
      [guest("tgp.exec_tool('tools/ok.ts', {})"), 'allow'],
      [guest("tgp.exec_tool('tools/payments/charge.ts', {})"), 'deny', 'no-payments'],
      [guest("tgp.exec_tool('./tools/payments/../payments/charge.ts', {})"), 'deny', 'no-payments'],
      [guest(`fetch('${URL}/a')`), 'allow'],
      [guest(`fetch('${URL}/a', { method: 'POST', body: 'x' })`), 'ask', 'default'],
      [guest("tgp.exec_sql('SELECT 1')"), 'allow'],
      [guest("tgp.exec_sql('UPDATE orders SET n = 3')"), 'ask', 'orders'],
      [guest("tgp.send_mail({ to: 'ann@home.example' })"), 'allow'],
      [guest("tgp.send_mail({ to: 'eve@evil.example' })"), 'ask', 'default'],
    ],
  },
  'a policy that denies by default': {
    policy: STRICT,
    rows: [
      [call('read_file', { path: 'README.md' }), 'allow'],
      [call('list_files', { dir: 'tools' }), 'allow'],
      [call('find_tool', { query: 'sum' }), 'allow'],
      [call('search_files', { pattern: 'x' }), 'deny', 'default'],
      [call('file_history', { path: 'README.md' }), 'deny', 'default'],
      [call('check_tool', { path: 'tools/ok.ts' }), 'deny', 'default'],
      [call('describe_schema', {}), 'deny', 'default'],
      [write('notes/a.md'), 'allow'],
      [write('notes/deep/a.md'), 'deny', 'default'],
      [write('notes/a.txt'), 'deny', 'default'],
      [write('notes/draft-a.md'), 'deny', 'no-drafts'],
      [call('delete_file', { path: 'notes/a.md' }), 'allow'],
      [call('move_file', { from: 'notes/b.md', to: 'notes/c.md' }), 'allow'],
      [call('move_file', { from: 'notes/b.md', to: 'tools/c.md' }), 'deny', 'default'],
      [call('move_file', { from: 'tools/ok.ts', to: 'notes/ok.md' }), 'deny', 'default'],
      [call('move_file', { from: 'notes/b.md', to: 'notes/draft-b.md' }), 'deny', 'no-drafts'],
      [exec('tools/ok.ts'), 'allow'],
      [call('exec_tool', { path: 'tools/reports/sum.ts', args: { of: [] } }), 'ask', 'few'],
      [exec('tools/payments/charge.ts'), 'deny', 'default'],
      [exec('tools/priced.ts'), 'deny', 'default'],
      [sql('SELECT 1'), 'allow'],
      [sql('SELECT * FROM salaries'), 'deny', 'secret-table'],
      [sql('SELECT (SELECT max(pay) FROM salaries)'), 'deny', 'secret-table'],
      [sql('SELECT 1 UNION SELECT pay FROM "salaries"'), 'deny', 'secret-table'],
      [sql('CREATE TABLE t (n INTEGER)'), 'deny', 'default'],
      [sql('INSERT INTO t VALUES (1)'), 'deny', 'default'],
      [guest("tgp.read_file('README.md')"), 'allow'],
      [guest("tgp.list_files('tools')"), 'allow'],
      [guest("tgp.write_file('notes/c.md', 'x')"), 'allow'],
      [guest("tgp.write_file('notes/../tools/c.md', 'x')"), 'deny', 'no-drafts'],
      [guest("tgp.write_file('tools/c.md', 'x')"), 'deny', 'default'],
      [guest("tgp.exec_tool('tools/ok.ts', {})"), 'allow'],
      [guest("tgp.exec_tool('tools/priced.ts', {})"), 'deny', 'default'],
      [guest("tgp.exec_sql('SELECT 1')"), 'allow'],
      [guest("tgp.exec_sql('SELECT * FROM salaries')"), 'deny', 'secret-table'],
      [guest(`fetch('${URL}/a')`), 'deny', 'default'],
      [guest("tgp.send_mail({ to: 'ann@home.example' })"), 'deny', 'default'],
    ],
  },
  'a policy that allows by default': {
    policy: MILD,
    rows: [
      [call('read_file', { path: 'README.md' }), 'allow'],
      [call('read_file', { path: 'tools/payments/charge.ts' }), 'ask', 'ask-payments'],
      [write('tools/payments/x.md'), 'ask', 'ask-payments'],
      [exec('tools/payments/charge.ts'), 'ask', 'ask-payments'],
      [write('tools/x.md'), 'allow'],
      [call('delete_file', { path: 'tools/x.md' }), 'deny', 'no-delete'],
      [call('move_file', { from: 'tools/payments/charge.ts', to: 'tools/a.ts' }), 'deny', 'no-delete'],
      [call('search_files', { pattern: 'password' }), 'deny', 'small-searches'],
      [sql('CREATE TABLE t (n INTEGER)'), 'allow'],
      [sql('DROP TABLE t'), 'deny', 'no-drop'],
      [sql('drop table if exists T'), 'deny', 'no-drop'],
      [sql('nonsense that nobody can read'), 'deny', 'no-drop'],
      [guest(`fetch('${URL}/a')`), 'allow'],
      [guest(`fetch('${URL}/a', { method: 'HEAD' })`), 'allow'],
      [guest(`fetch('${URL}/a', { method: 'post', body: 'x' })`), 'deny', 'no-post'],
      [guest(`fetch(new Request('${URL}/a', { method: 'DELETE' }))`), 'deny', 'no-post'],
      [guest("tgp.send_mail({ to: 'ann@home.example' })"), 'deny', 'no-mail'],
      [guest("tgp.exec_tool('tools/payments/charge.ts', {})"), 'ask', 'ask-payments'],
      [guest("tgp.read_file('tools/payments/charge.ts')"), 'ask', 'ask-payments'],
      [guest("tgp.read_file('README.md')"), 'allow'],
      [guest("tgp.write_file('/tmp/scratch.txt', 'x')"), 'allow'],
    ],
  },
};

const ROWS = Object.values(TABLES).reduce((sum, { rows }) => sum + rows.length, 0);

test('the tables have at least 80 rows', () => {
  expect(ROWS).toBeGreaterThanOrEqual(80);
});

describe.each(Object.entries(TABLES))('%s', (_, { policy, rows }) => {
  test('every call has the verdict and the rule of the table', async () => {
    const { kernel, url } = await policyKernel(policy);
    const { call: make, guest: run } = await caller(kernel);
    const lineOf = (/** @type {string} */ rule) =>
      policy.split('\n').findIndex((line) => line.includes(rule === 'default' ? 'default:' : `id: ${rule},`)) + 1;
    const wrong = [];
    for (const [{ tool, args, code }, verdict, rule] of rows) {
      const outcome = code === undefined ? await make(tool, args) : await run(code.replaceAll(URL, url));
      const at = rule === undefined ? undefined : `tgp.policy.yaml:${lineOf(rule)}`;
      if (outcome.verdict !== verdict || outcome.rule !== rule || outcome.at !== at)
        wrong.push({ tool, args, code, verdict, rule, outcome });
    }
    expect(wrong).toEqual([]);
  });
});

test('a denial names the rule, its place, the reason and the nearest allowed call', async () => {
  const { kernel, tools } = await policyKernel(STRICT);
  const denied = await tools.write_file.execute({ path: 'notes/draft-a.md', content: 'x' }).catch((error) => error);
  expect(denied).toBeInstanceOf(DeniedError);
  expect(denied).toMatchObject({
    code: 'ERR_DENIED',
    details: { verdict: 'deny', rule: 'no-drafts', at: 'tgp.policy.yaml:9', reason: 'Drafts are for people.' },
  });
  expect(denied.message).toContain("rule 'no-drafts'");
  expect(denied.message).toContain('Drafts are for people.');

  const elsewhere = await tools.write_file.execute({ path: 'tools/a.md', content: 'x' }).catch((error) => error);
  expect(elsewhere).toMatchObject({ code: 'ERR_DENIED', details: { rule: 'default', nearest: expect.any(String) } });
  expect(elsewhere.details.nearest).toContain('notes/');
  expect(elsewhere.message).toContain(elsewhere.details.nearest);

  const ran = await tools.exec_tool.execute({ path: 'tools/priced.ts' });
  expect(ran).toMatchObject({ success: false, code: 'ERR_DENIED', error: expect.stringContaining("rule 'default'") });
  const asked = await tools.exec_tool.execute({ path: 'tools/reports/sum.ts', args: { of: [] } });
  expect(asked).toMatchObject({ success: false, code: 'ERR_APPROVAL', error: expect.stringContaining("rule 'few'") });
  expect(JSON.stringify(asked)).not.toContain('request');
  const thrown = await kernel.exec('tools/reports/sum.ts', { of: [] }).catch((error) => error);
  expect(thrown).toBeInstanceOf(ApprovalError);
  expect(thrown).toMatchObject({ details: { verdict: 'ask', rule: 'few' } });
  expect(thrown.details.request).toBeUndefined();
});

test('a principal matches an agent by its name', async () => {
  const { kernel } = await policyKernel(MILD);
  const bob = await caller(kernel, { agent: 'bob' });
  const ann = await caller(kernel, { agent: 'ann' });
  expect(await bob.call('write_file', { path: 'a.md', content: 'x' })).toMatchObject({
    verdict: 'deny',
    rule: 'not-bob',
  });
  expect(await bob.guest("tgp.write_file('b.md', 'x')")).toMatchObject({ verdict: 'deny', rule: 'not-bob' });
  expect(await ann.call('write_file', { path: 'c.md', content: 'x' })).toEqual({ verdict: 'allow' });
});

test('without a policy every call is allowed, and the policy safe asks for every call but reads', async () => {
  for (const [policy, verdict] of /** @type {const} */ ([
    [undefined, 'allow'],
    ['allow', 'allow'],
    ['safe', 'ask'],
  ])) {
    const { kernel, url } = await policyKernel(policy);
    const { call: make } = await caller(kernel);
    expect(await make('read_file', { path: 'README.md' })).toMatchObject({ verdict: 'allow' });
    expect(await make('exec_sql', { sql: 'SELECT 1' })).toMatchObject({ verdict: 'allow' });
    for (const [tool, args] of /** @type {const} */ ([
      ['write_file', { path: 'a.md', content: 'x' }],
      ['delete_file', { path: 'README.md' }],
      ['exec_tool', { path: 'tools/ok.ts' }],
      ['run_code', { code: `return (await fetch('${url}')).status` }],
      ['exec_sql', { sql: 'CREATE TABLE t (n INTEGER)' }],
    ])) {
      expect(await make(tool, args), tool).toMatchObject({ verdict });
    }
  }
});
