import { readFile, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { workspace } from '../helpers/policy_workspace.js';
import { hasTerminals, runAtTerminal } from '../helpers/run_terminal.js';

describe('tgp.policy.yaml beside the config', () => {
  const RULES = 'version: 1\ndefault: ask\nrules:\n  - { id: reading, allow: [read] }\n';

  test('applies instead of the default policy safe if the config has no policy', async () => {
    const folder = await workspace();
    const file = join(folder, 'tgp.policy.yaml');
    await writeFile(file, `${RULES}  - { id: ones, allow: [run], paths: ["tools/one.ts"] }\n`);
    expect(await runCli(folder, ['exec', 'one'])).toMatchObject({ code: 0, stdout: '1\n' });
    expect(await runCli(join(folder, '.tgp'), ['exec', 'one']), 'from within').toMatchObject({ code: 0 });
    const refused = await runCli(folder, ['remove', 'one']);
    expect(refused.stderr).toMatch(/rule 'default' \(tgp\.policy\.yaml:2\)/);
    expect((await runCli(folder, ['policy', 'check'])).stdout).toMatch(/tgp\.policy\.yaml {2}valid {2}2 rules/);
    const explained = await runCli(folder, [
      'policy',
      'explain',
      'exec_tool',
      '--args',
      '{"path":"tools/one.ts"}',
      '--json',
    ]);
    expect(explained.json()).toMatchObject({ verdict: 'allow', rule: 'ones', at: 'tgp.policy.yaml:5' });
  });

  test('is reported when it is invalid, and a policy of the config replaces it', async () => {
    const folder = await workspace();
    await writeFile(join(folder, 'tgp.policy.yaml'), 'rules: 1\n');
    expect(await runCli(folder, ['list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('[ERR_CONFIG]') });
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify({ policy: 'allow' }));
    expect(await runCli(folder, ['exec', 'one']), 'the config wins').toMatchObject({ code: 0 });
  });

  test('is refused if an agent could write it', async () => {
    const folder = await workspace();
    await writeFile(join(folder, '.tgp/rules.yaml'), 'version: 1\ndefault: allow\n');
    await symlink('.tgp/rules.yaml', join(folder, 'tgp.policy.yaml'));
    expect(await runCli(folder, ['exec', 'one'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('agents or tools can write'),
    });
  });

  test.skipIf(!hasTerminals())('does not change the other answers at a terminal', async () => {
    const folder = await workspace();
    const file = join(folder, 'tgp.policy.yaml');
    await writeFile(file, RULES);
    const once = await runAtTerminal(folder, ['exec', 'one'], 'y');
    expect(once).toMatchObject({ code: 0, shown: expect.stringMatching(/Allow\?.* yes\s+1\s+$/) });
    for (const key of ['n', '\r']) {
      const no = await runAtTerminal(folder, ['exec', 'one'], key);
      expect(no).toMatchObject({ code: 1, shown: expect.stringMatching(/Allow\?.* no\s+exec_tool.*: you refused it/) });
    }
    expect(await readFile(file, 'utf8')).toBe(RULES);
  });

  test.skipIf(!hasTerminals())('offers "always" at a terminal if a rule can express it', async () => {
    const folder = await workspace();
    const file = join(folder, 'tgp.policy.yaml');
    await writeFile(file, `${RULES}  - { id: kept, ask: [delete_file] }\n`);
    const always = await runAtTerminal(folder, ['exec', 'one'], 'a');
    const [, offered = ''] = /always: (\{.*\})\s/.exec(always.shown) ?? [];
    expect(always.code, always.shown).toBe(0);
    const [, written = ''] = / {2}- (\{"id":"always-1".*\})\n/.exec(await readFile(file, 'utf8')) ?? [];
    const { id, reason, ...rule } = JSON.parse(written);
    expect(rule, 'what is written was shown').toEqual(JSON.parse(offered));
    expect(rule).toEqual({
      allow: ['exec_tool'],
      paths: ['tools/one.ts'],
      text: [expect.stringMatching(/^[0-9a-f]{64}$/)],
      args: { '/args': { equals: {} } },
    });
    expect(reason).toContain(`Permanently allowed by ${userInfo().username} on `);
    expect(await runCli(folder, ['exec', 'one']), 'without a question').toMatchObject({ code: 0, stdout: '1\n' });
    await writeFile(join(folder, '.tgp/tools/one.ts'), '/** One. */\nexport default (): number => 666;\n');
    expect(await runCli(folder, ['exec', 'one']), 'another text is asked for').toMatchObject({ code: 1, stdout: '' });
    const removal = await runAtTerminal(folder, ['remove', 'one'], 'n');
    expect(removal.shown, 'a rule asks').not.toContain('[a]lways');
    expect(removal.code).toBe(1);
  });
});
