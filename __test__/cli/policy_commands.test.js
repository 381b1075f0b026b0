import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const POLICY = `version: 1
default: ask
rules:
  - { id: reading, allow: [read] }
  - { id: reports, allow: [write_file], paths: ["tools/reports/**"] }
  - { id: no-payments, deny: [run], paths: ["tools/payments/**"], reason: "Payments need a person." }
  - { id: not-mcp, deny: [sql], principal: ["agent:mcp"] }
tests:
  - { call: { tool: write_file, args: { path: tools/x.ts } }, expect: ask }
`;

/** @param {object} [config] @param {string} [file] the rules */
async function project(config = {}, file = 'tgp.policy.yaml') {
  const folder = await tempRoot();
  await writeFile(join(folder, 'tgp.config.json'), JSON.stringify(config));
  await writeFile(join(folder, file), POLICY);
  return folder;
}

test('check validates rules, also without a workspace', async () => {
  const folder = await project({ policy: './tgp.policy.yaml' });
  const named = await runCli(folder, ['policy', 'check', 'tgp.policy.yaml', '--json']);
  expect(named).toMatchObject({ code: 0 });
  expect(named.json()).toEqual({ rules: 4, version: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const own = await runCli(folder, ['policy', 'check']);
  expect(own).toMatchObject({ code: 0, stderr: '' });
  expect(own.stdout).toMatch(/^\.\/tgp\.policy\.yaml {2}valid {2}4 rules, version [0-9a-f]{12}\n$/);
  expect((await readdir(folder)).sort(), 'nothing was made').toEqual(['tgp.config.json', 'tgp.policy.yaml']);
  const bare = await tempRoot();
  expect((await runCli(bare, ['policy', 'check'])).stdout, 'the policy of the command line').toMatch(/^safe {2}valid/);
});

test.each([
  [
    'an unknown tool',
    'version: 1\nrules:\n  - { id: a, allow: [reed_file] }\n',
    'bad.yaml:3',
    "Did you mean 'read_file'",
  ],
  ['an unknown matcher', 'version: 1\nrules:\n  - id: a\n    allow: [read]\n    path: ["x"]\n', 'bad.yaml:5', 'path'],
  [
    'a failing test',
    'version: 1\ndefault: allow\nrules: []\ntests:\n  - { call: { tool: read_file, args: { path: a } }, expect: deny }\n',
    'bad.yaml:5',
    'expects deny',
  ],
])('check refuses %s with its line and reason', async (_, text, at, reason) => {
  const folder = await project();
  await writeFile(join(folder, 'bad.yaml'), text);
  const { code, stdout, stderr } = await runCli(folder, ['policy', 'check', 'bad.yaml']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(at);
  expect(stderr).toContain(reason);
  const { error } = (await runCli(folder, ['policy', 'check', 'bad.yaml', '--json'])).json();
  expect(error).toMatchObject({ code: 'ERR_CONFIG', details: { at: expect.stringContaining(at) } });
});

test('check refuses a policy of the config that agents could write, but checks other files if it is invalid', async () => {
  const folder = await project({ policy: './.tgp/tgp.policy.yaml' });
  await mkdir(join(folder, '.tgp'));
  await writeFile(join(folder, '.tgp/tgp.policy.yaml'), POLICY);
  expect(await runCli(folder, ['policy', 'check'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('agents or tools can write'),
  });
  await writeFile(join(folder, '.tgp/tgp.policy.yaml'), 'rules: 3');
  expect((await runCli(folder, ['policy', 'check', 'tgp.policy.yaml'])).code).toBe(0);
  expect((await runCli(folder, ['policy', 'check', 'none.yaml'])).code).toBe(1);
});

test('explain names the verdict, the rule with its line, the reason and an alternative', async () => {
  const folder = await project({ policy: './tgp.policy.yaml' });
  const explained = async (/** @type {string[]} */ ...args) =>
    (await runCli(folder, ['policy', 'explain', ...args, '--json'])).json();
  expect(await explained('exec_tool', '-a', '{"path":"tools/payments/a.ts"}')).toMatchObject({
    verdict: 'deny',
    rule: 'no-payments',
    at: 'tgp.policy.yaml:6',
    reason: 'Payments need a person.',
  });
  const sql = ['exec_sql', '--args', '{"sql":"select 1"}'];
  expect(await explained(...sql, '--agent', 'mcp')).toMatchObject({ verdict: 'deny', rule: 'not-mcp' });
  expect(await explained(...sql, '--agent', 'cli', '--session', 's')).toMatchObject({ verdict: 'ask' });
  expect(await explained(...sql, '--file', 'safe')).toMatchObject({ verdict: 'allow', at: 'safe' });
  const { code, stdout } = await runCli(folder, ['policy', 'explain', 'write_file', '-a', '{"path":"tools/x.ts"}']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^ask {2}write_file\nrule {5}default \(tgp\.policy\.yaml:2\)\nreason {3}.+\ninstead {2}.*reports/,
  );
  expect(await runCli(folder, ['policy', 'explain', 'write_fil'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Did you mean 'write_file'"),
  });
  expect((await runCli(folder, ['policy', 'explain', 'read_file', '-a', '[]'])).code).toBe(2);
});

test('explain of a path or of unknown arguments names the mistake, and does not blame the policy', async () => {
  const folder = await project({ policy: './tgp.policy.yaml' });
  const explained = (/** @type {string[]} */ ...args) => runCli(folder, ['policy', 'explain', ...args]);
  for (const path of ['examples/greet', 'tools/examples/greet.ts', 'greet.ts']) {
    const { code, stderr } = await explained(path);
    expect(code).toBe(2);
    expect(stderr).toContain(`tgp policy explain exec_tool --args '{"path":"${path}"}'`);
    expect(stderr).not.toContain('policy is not valid');
  }
  expect((await explained('write_fil')).stderr).not.toContain('policy is not valid');
  expect((await explained('write_file', '-a', '{"pth":"x"}')).stderr).toContain(
    '"pth" is not known, did you mean "path"?',
  );
  expect((await explained('apply_diff', '-a', '{"path":"x","start_line":1}')).code).toBe(0);
});

test('replay lists changed verdicts of recorded calls', async () => {
  const folder = await project({}, 'other.yaml');
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
  const { write_file, read_file, exec_tool } = tgpTools(kernel);
  for (const path of ['tools/reports/a.ts', 'tools/payments/b.ts', 'tools/c.ts', 'tools/d.ts']) {
    await write_file.execute({ path, content: 'return 1' });
  }
  await read_file.execute({ path: 'tools/c.ts' });
  await exec_tool.execute({ path: 'tools/payments/b.ts', args: {} });
  await kernel.shutdown();
  const { code, ...printed } = await runCli(folder, ['policy', 'replay', 'other.yaml', '--json']);
  expect(code).toBe(0);
  const report = printed.json();
  expect(report).toMatchObject({ judged: 6, stricter: 4, milder: 0 });
  expect(report.changes.at(-1)).toMatchObject({ tool: 'exec_tool', after: { verdict: 'deny', rule: 'no-payments' } });
  const { stdout } = await runCli(folder, ['policy', 'replay', 'other.yaml']);
  expect(stdout).toMatch(/^ +3 {2}write_file {2}allow -> ask {2}default \(other\.yaml:2\)/);
  expect(stdout).toContain('6 calls replayed: 4 stricter, 0 milder');
  expect((await runCli(folder, ['policy', 'replay', 'other.yaml', '-n', '1', '--json'])).json().judged).toBe(1);
});

test('replay of the policy beside the config finds no changed verdict', async () => {
  const folder = await project();
  await runCli(folder, ['init', '--yes']);
  for (const args of [
    ['exec', 'examples/greet', '--args', '{"names":["Ada"],"greeting":"Hello"}'],
    ['remove', 'examples/greet'],
  ]) {
    expect((await runCli(folder, [...args, '--yes'])).code, 'asked, and approved').toBe(0);
  }
  const { stdout } = await runCli(folder, ['policy', 'replay', 'tgp.policy.yaml']);
  expect(stdout).toMatch(/^\d+ calls replayed: 0 stricter, 0 milder\n$/);
});
