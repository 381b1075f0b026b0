/** Files, addresses and tables that a call reaches indirectly are judged too. */

import { describe, expect, test } from 'vitest';
import { attenuate, tgpTools } from '../../index.js';
import { serveHttp } from '../helpers/http_server.js';
import { caller, outcomeOf, policyKernel } from '../helpers/policy_kernel.js';

const FILES = {
  'tools/payments/rate.json': '{"rate":7}',
  'tools/uses_json.ts': 'import rate from "./payments/rate.json";\nexport default (_args: object) => rate;\n',
  'tools/uses_code.ts': 'import charge from "./payments/charge.ts";\nexport default (args: object) => charge(args);\n',
  'tools/passes_on.ts': 'export { default } from "./payments/charge.ts";\n',
  'tools/late.ts': `export default async (args: { name: string }) => (await import(\`./payments/\${args.name}\`)).default;\n`,
  'tools/deep.ts': 'import run from "./uses_code.ts";\nexport default (args: object) => run(args);\n',
};
const NO_RUN = 'default: allow\nrules:\n  - { id: no-payments, deny: [run], paths: ["tools/payments/**"] }\n';
const NO_READ = 'default: allow\nrules:\n  - { id: secret, deny: [read], paths: ["tools/payments/**"] }\n';

describe('imports', () => {
  test.each([
    [NO_RUN, 'no-payments'],
    [NO_READ, 'secret'],
  ])('are judged by the rule for their path: %s', async (policy, rule) => {
    // The checks refuse computed names; an application can turn them off.
    const { tools } = await policyKernel(policy, { files: FILES, config: { check: 'off' } });
    const run = async (/** @type {string} */ path, args = {}) => outcomeOf(tools.exec_tool.execute({ path, args }));
    for (const path of ['tools/uses_json.ts', 'tools/uses_code.ts', 'tools/passes_on.ts', 'tools/deep.ts']) {
      expect(await run(path), path).toMatchObject({ verdict: 'deny', message: expect.stringContaining(rule) });
    }
    for (const name of ['charge.ts', 'rate.json']) {
      expect(await run('tools/late.ts', { name }), name).toMatchObject({ message: expect.stringContaining(rule) });
    }
    const code = 'import charge from "./payments/charge.ts";\nexport default () => charge({});';
    expect(await outcomeOf(tools.run_code.execute({ code }))).toMatchObject({ verdict: 'deny' });
    expect((await run('tools/priced.ts')).verdict).toBe('allow');
  });

  test('must be covered by the allow rule and by the token', async () => {
    const policy = 'default: ask\nrules:\n  - { id: reports, allow: [run], paths: ["tools/reports/**"] }\n';
    const files = {
      'tools/reports/own.ts': 'import add from "./sum.ts";\nexport default () => add({ of: [1, 2] });\n',
      'tools/reports/other.ts': 'import charge from "../payments/charge.ts";\nexport default () => charge({});\n',
    };
    const { kernel, tools } = await policyKernel(policy, { files });
    const run = (/** @type {any} */ toolset, /** @type {string} */ path) =>
      outcomeOf(toolset.exec_tool.execute({ path, args: {} }));
    expect((await run(tools, 'tools/reports/own.ts')).verdict).toBe('allow');
    expect((await run(tools, 'tools/reports/other.ts')).verdict).toBe('ask');
    const { token } = await kernel.issueToken({ allow: ['run', 'read'] });
    const narrow = tgpTools(kernel, { token: attenuate(token, { paths: ['tools/reports/**'] }) });
    expect((await run(narrow, 'tools/reports/own.ts')).verdict).toBe('allow');
    expect((await run(narrow, 'tools/reports/other.ts')).verdict).toBe('deny');
  });

  test('that are only read need no rule of their own', async () => {
    const policy = 'default: ask\nrules:\n  - { id: running, allow: [run] }\n';
    const { tools } = await policyKernel(policy, { files: FILES });
    expect((await outcomeOf(tools.exec_tool.execute({ path: 'tools/uses_json.ts', args: {} }))).verdict).toBe('allow');
  });

  test('are passed to a policy function', async () => {
    /** @type {any[]} */
    const seen = [];
    const decide = (/** @type {any} */ call) => {
      seen.push(call);
      return /** @type {const} */ ('allow');
    };
    const { tools } = await policyKernel(decide, { files: FILES });
    await tools.exec_tool.execute({ path: 'tools/uses_code.ts', args: {} });
    const call = seen.find(({ path }) => path === 'tools/uses_code.ts');
    expect(call.also).toContainEqual({ effect: 'run', paths: ['tools/payments/charge.ts'] });
    expect(seen.map(({ tool, path }) => `${tool} ${path}`)).toContain('exec_tool tools/payments/charge.ts');
  });
});

describe('a run of a file that may be run but not read', () => {
  const files = {
    ...FILES,
    'tools/payments/broken.ts': 'export default () => "pw-zebra" +;\n',
    'tools/payments/typed.ts': '/** Q. */\nexport default (_args: object): number => "pw-zebra" as "pw-zebra";\n',
  };

  test('neither returns data nor quotes a compile error', async () => {
    const { tools } = await policyKernel(NO_READ, { files });
    for (const path of ['tools/payments/rate.json', 'tools/payments/broken.ts', 'tools/payments/missing.ts']) {
      for (const options of [{}, { dryRun: /** @type {const} */ (true) }]) {
        const run = tools.exec_tool.execute({ path, args: {} }, options);
        expect(await outcomeOf(run), path).toMatchObject({ verdict: 'deny', rule: 'secret' });
      }
      const code = `return tgp.exec_tool(${JSON.stringify(path)}, {});`;
      expect(await outcomeOf(tools.run_code.execute({ code })), path).toMatchObject({
        message: expect.stringContaining("rule 'secret'"),
      });
    }
    expect((await outcomeOf(tools.exec_tool.execute({ path: 'tools/payments/charge.ts', args: {} }))).verdict).toBe(
      'allow',
    );
  });

  test('does not quote the findings of its check', async () => {
    const { tools } = await policyKernel(NO_READ, { files, config: { check: 'strict' } });
    const refused = await tools.exec_tool.execute({ path: 'tools/payments/typed.ts', args: {} });
    expect(refused).toMatchObject({ success: false, code: 'ERR_COMPILATION' });
    expect(refused.error).toContain('may not read the file');
    expect(JSON.stringify(refused)).not.toContain('zebra');
  });
});

test('live tools contain only the forged tools that the token covers', async () => {
  const { kernel } = await policyKernel(undefined);
  const { token } = await kernel.issueToken({ allow: ['run', 'read'], paths: ['tools/reports/**'] });
  const tools = await kernel.liveTools(tgpTools(kernel, { token }));
  const forged = () => Object.keys(tools).filter((name) => /sum|charge|priced|extra/.test(name));
  expect(forged()).toEqual(['reports_sum']);
  for (const path of ['tools/reports/extra.ts', 'tools/payments/extra.ts']) {
    await tgpTools(kernel).write_file.execute({ path, content: '/** Extra. */\nexport default () => 1;\n' });
  }
  expect(forged()).toHaveLength(2);
});

test('a redirect is judged by its target', async () => {
  const target = await serveHttp((_request, response) => response.end('hidden'));
  const { url } = await serveHttp((_request, response) => {
    response.writeHead(302, { location: target.url.replace('127.0.0.1', 'localhost') }).end();
  });
  const hidden = target.url.replace('127.0.0.1', 'localhost');
  const policy = 'default: allow\nrules:\n  - { id: hidden, deny: [net], hosts: ["localhost"] }\n';
  const { kernel } = await policyKernel(policy, { config: { allowedFetchUrls: [url, target.url, hidden] } });
  const { guest } = await caller(kernel);
  expect(await guest(`(await fetch(${JSON.stringify(url)})).text()`)).toMatchObject({
    message: expect.stringContaining("rule 'hidden'"),
  });
});

test('a table name in single quotes does not bypass the rule', async () => {
  const policy = 'default: allow\nrules:\n  - { id: orders, deny: [sql], tables: [orders] }\n';
  const { kernel } = await policyKernel(policy);
  const { call } = await caller(kernel);
  for (const sql of ["select * from 'orders'", "insert into 'orders' values (1)", "select 1 from main.'orders'"]) {
    expect(await call('exec_sql', { sql }), sql).toMatchObject({ verdict: 'deny', rule: 'orders' });
  }
});

test('a function of the application with the name of a kernel tool reaches no files', async () => {
  const policy = 'default: allow\nrules:\n  - { id: payments, deny: ["*"], paths: ["tools/payments/**"] }\n';
  const { kernel } = await policyKernel(policy, { sandboxAPI: { commit: () => 1, search_files: () => 1 } });
  const { call, guest } = await caller(kernel);
  for (const name of ['commit', 'search_files']) {
    expect(await guest(`tgp.${name}('x')`), name).toEqual({ verdict: 'allow' });
  }
  expect(await call('search_files', { pattern: 'x' })).toMatchObject({ verdict: 'deny', rule: 'payments' });
});

describe('move_file', () => {
  const files = {
    'tools/lib/x.ts': 'export const x = 1;\n',
    'tools/payments/p.ts': 'import { x } from "../lib/x.ts";\nexport default (_args: object) => x;\n',
  };
  test('is denied if it would update an importer that may not be written', async () => {
    const policy = 'default: allow\nrules:\n  - { id: fixed, deny: [write], paths: ["tools/payments/**"] }\n';
    const { tools, kernel } = await policyKernel(policy, { files });
    const moved = tools.move_file.execute({ from: 'tools/lib/x.ts', to: 'tools/lib/y.ts' });
    expect(await outcomeOf(moved)).toMatchObject({ verdict: 'deny', rule: 'fixed' });
    expect(await kernel.vfs.readFile('tools/payments/p.ts')).toBe(files['tools/payments/p.ts']);
  });

  test('does not move an unreadable file to a readable path, and a patch does not reveal its text', async () => {
    const { tools } = await policyKernel(NO_READ, { files: FILES });
    const moved = tools.move_file.execute({ from: 'tools/payments/rate.json', to: 'tools/rate.json' });
    expect(await outcomeOf(moved)).toMatchObject({ verdict: 'deny', rule: 'secret' });
    for (const path of ['tools/payments/rate.json', './tools//payments/rate.json', 'tools/./payments/rate.json']) {
      const patch = { path, search: '7', replace: '8' };
      expect(await outcomeOf(tools.patch_file.execute(patch)), path).toMatchObject({ verdict: 'deny', rule: 'secret' });
      const preview = tools.write_file.execute({ path, content: '{}' }, { dryRun: true });
      expect(await outcomeOf(preview), path).toMatchObject({ verdict: 'deny', rule: 'secret' });
    }
  });
});

describe('an explanation', () => {
  test('treats files that a call does not name as unknown, like the call', async () => {
    const policy = 'default: allow\nrules:\n  - { id: secret, deny: ["*"], paths: ["tools/payments/**"] }\n';
    const { kernel, tools } = await policyKernel(policy, { files: FILES });
    const [args, verdict, rule] = [{ pattern: 'rate' }, 'deny', 'secret'];
    expect(await outcomeOf(tools.search_files.execute(args))).toMatchObject({
      verdict,
      message: expect.stringContaining(rule),
    });
    expect(await kernel.policy.explain({ tool: 'search_files', args })).toMatchObject({ verdict, rule });
    expect(await kernel.policy.explain({ tool: 'file_history', args: {} })).toMatchObject({ verdict, rule });
    const named = { tool: 'file_history', args: { path: 'tools/uses_json.ts' } };
    expect(await kernel.policy.explain(named)).toMatchObject({ verdict: 'allow' });
  });

  test('applies rules about read_file to answers that quote files, like the call', async () => {
    const rules = 'default: allow\nrules:\n  - { id: secret, deny: [read_file], paths: ["tools/payments/**"] }\n';
    const path = 'tools/payments/charge.ts';
    const calls = /** @type {const} */ ([
      ['check_tool', { path }, 'deny'],
      ['check_tool', { path: 'tools/priced.ts' }, 'allow'],
      ['search_files', { pattern: 'rate' }, 'deny'],
      ['file_history', { path }, 'allow'],
      ['read_file', { path: 'meta.json' }, 'deny'],
    ]);
    const { kernel, tools } = await policyKernel(rules, { files: FILES });
    for (const [tool, args, verdict] of calls) {
      expect((await outcomeOf(tools[tool].execute(args))).verdict, tool).toBe(verdict);
      const explained = await kernel.policy.explain({ tool, args });
      expect(explained, tool).toMatchObject({ verdict, ...(verdict === 'deny' && { rule: 'secret' }) });
    }
    const tests = calls.slice(0, -1).map(([tool, args, expect]) => ({ call: { tool, args }, expect }));
    const policy = { default: 'allow', rules: [{ id: 'secret', deny: ['read_file'], paths: ['tools/payments/**'] }] };
    expect(await kernel.policy.check(/** @type {any} */ ({ ...policy, tests }))).toMatchObject({ rules: 1 });
  });
});
