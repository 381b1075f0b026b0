import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { git } from '../helpers/git_remote.js';
import { ONE, workspace } from '../helpers/policy_workspace.js';
import { hasTerminals, runAtTerminal } from '../helpers/run_terminal.js';
import { tempRoot } from '../helpers/temp_root.js';

/**
 * @param {string} folder
 * @returns {Promise<any[]>}
 */
const approvals = async (folder) =>
  (await runCli(folder, ['ledger', 'tail', '--type', 'APPROVAL', '-n', '100', '--json'])).json();

describe('without a policy, a terminal and --yes', () => {
  test('reading works, and calls that need approval explain how to approve them', async () => {
    const folder = await workspace();
    const root = join(folder, '.tgp');
    await writeFile(join(root, 'tools/mine.ts'), ONE);
    const head = git(root, 'rev-parse', 'HEAD');
    for (const args of [['list'], ['show', 'one'], ['check', 'one'], ['log'], ['find', 'one'], ['stats']]) {
      expect(await runCli(folder, args), args.join(' ')).toMatchObject({ code: 0 });
    }
    for (const [tool, ...args] of [
      ['exec_tool tools/one.ts', 'exec', 'one'],
      ['delete_file tools/one.ts', 'remove', 'one'],
      ['move_file tools/one.ts', 'move', 'one', 'two'],
      ['revert_file tools/one.ts', 'revert', 'one', head],
      ['commit tools/mine.ts', 'commit'],
      ['sync', 'sync'],
      ['fix_tool tools/runs.ts', 'check', '--fix'],
    ]) {
      const { code, stdout, stderr } = await runCli(folder, args);
      expect({ code, stdout }, tool).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`there is no terminal: ${tool}`);
      expect(stderr).toMatch(/rule 'default' \(safe\).*Add --yes, or allow the call in a policy.*\[ERR_APPROVAL\]\n$/);
    }
    const { error } = (await runCli(folder, ['remove', 'one', '--json'])).json();
    expect(error).toMatchObject({ code: 'ERR_APPROVAL', details: { verdict: 'ask', rule: 'default', at: 'safe' } });
    expect(git(root, 'rev-parse', 'HEAD'), 'nothing was done').toBe(head);
    const events = await approvals(folder);
    expect(events.filter(({ state }) => state === 'refused').map(({ by }) => by)).toEqual(Array(8).fill('nobody'));
    expect(events.filter(({ state }) => state === 'granted')).toEqual([]);
  });

  test('tgp test runs tests with the approval of its user', async () => {
    const folder = await workspace();
    const cases =
      "import { expect, test } from '@tgp/std/test';\nimport one from './one';\ntest('is one', () => { expect(one()).toBe(1); });\n";
    await writeFile(join(folder, '.tgp/tools/one.test.ts'), cases);
    expect(await runCli(folder, ['test', 'one'])).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('ERR_'),
    });
    const granted = (await approvals(folder)).filter(({ state }) => state === 'granted');
    expect(granted).toMatchObject([{ tool: 'test_tool', by: userInfo().username }]);
  });

  test('init, doctor and the ledger are not subject to the policy', async () => {
    const folder = await tempRoot();
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify({ policy: { default: 'deny' } }));
    expect(await runCli(folder, ['init'])).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, '.tgp/tools/examples/greet.ts'), 'utf8')).toContain('Greets');
    expect((await runCli(folder, ['ledger', 'verify'])).code).toBe(0);
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify({ policy: './gone.yaml' }));
    expect((await runCli(folder, ['ledger', 'verify'])).code, 'a broken policy hides no ledger').toBe(0);
  });
});

test('--yes approves every request, and the ledger records it', async () => {
  const folder = await workspace();
  await writeFile(join(folder, '.tgp/tools/mine.ts'), ONE);
  expect(await runCli(folder, ['exec', 'one', '--yes'])).toMatchObject({ code: 0, stdout: '1\n' });
  expect(await runCli(folder, ['commit', '-y'])).toMatchObject({ code: 0 });
  const granted = (await approvals(folder)).filter(({ state }) => state === 'granted');
  expect(granted.map(({ tool }) => tool)).toEqual(['exec_tool', 'commit', 'sync_registry']);
  expect(new Set(granted.map(({ by, actor }) => `${by}, ${actor.agent}`))).toEqual(new Set(['cli --yes, cli']));
});

test('the policy of the configuration takes precedence over --yes', async () => {
  const rules = [
    { id: 'ours', allow: ['run'], paths: ['tools/one.ts'], principal: ['agent:cli'] },
    { id: 'kept', deny: ['delete_file'], reason: 'Tools stay.' },
  ];
  const folder = await workspace({ policy: { default: 'allow', rules } });
  expect(await runCli(folder, ['exec', 'one'])).toMatchObject({ code: 0, stdout: '1\n' });
  const { code, stderr } = await runCli(folder, ['remove', 'one', '--yes']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/rule 'kept'.*Tools stay\..*\[ERR_DENIED\]/);
  expect(await approvals(folder)).toEqual([]);
});

test('calls of a run are checked, too', async () => {
  const folder = await workspace({ policy: { default: 'ask', rules: [{ id: 'runs', allow: ['read', 'run'] }] } });
  await mkdir(join(folder, '.tgp/tools'), { recursive: true });
  await writeFile(
    join(folder, '.tgp/tools/writes.ts'),
    "/** Writes. */\nexport default async (): Promise<string> => {\n  await tgp.write_file('tmp/a.txt', 'x');\n  return 'written';\n};\n",
  );
  const refused = await runCli(folder, ['exec', 'writes']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('--yes');
  expect(await runCli(folder, ['exec', 'writes', '--yes'])).toMatchObject({ code: 0, stdout: '"written"\n' });
});

describe.skipIf(!hasTerminals())('at a terminal', () => {
  test('the user is asked, recorded by name, and can refuse', async () => {
    const folder = await workspace();
    await writeFile(join(folder, '.tgp/tools/mine.ts'), ONE);
    const yes = await runAtTerminal(folder, ['exec', 'one'], 'y');
    expect(yes.shown).toMatch(/exec_tool tools\/one\.ts .*— rule 'default' \(safe\): /);
    expect(yes).toMatchObject({ code: 0, shown: expect.stringMatching(/Allow\?[\s\S]*\n1\r?\n/) });
    const no = await runAtTerminal(folder, ['remove', 'one'], 'n');
    expect(no).toMatchObject({ code: 1, shown: expect.stringContaining('was not approved: you refused it') });
    const committed = await runAtTerminal(folder, ['commit'], 'y');
    expect(committed, 'asked once').toMatchObject({ code: 0, shown: expect.stringContaining('committed') });
    const answers = (await approvals(folder)).filter(({ state }) => state !== 'asked');
    expect(answers.map(({ tool, state }) => `${tool} ${state}`)).toEqual([
      'exec_tool granted',
      'delete_file refused',
      'commit granted',
      'sync_registry granted',
    ]);
    expect(new Set(answers.map(({ by }) => by))).toEqual(new Set([userInfo().username]));
  });
});
