/** `tgp "<task>"` at a terminal: previews, questions and answers. */

import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { byResults } from '../../tools/model_scripts.mjs';
import { runCli } from '../../tools/run_cli.mjs';
import { atTerminal, screenLines } from '../../tools/terminal.mjs';
import { git } from '../helpers/git_remote.js';
import { agentWorkspace, NOTE, NOTES } from '../helpers/providers/agent_workspace.js';
import { hasTerminals } from '../helpers/run_terminal.js';

const MINUTES = 60_000;

describe.skipIf(!hasTerminals())('at a terminal', { timeout: 2 * MINUTES }, () => {
  const plain = (/** @type {string[]} */ lines) => lines.map((line) => stripVTControlCharacters(line).trimEnd());

  test('a change is shown, approved with one key, and recorded with the name of the user', async () => {
    const { folder, env, root } = await agentWorkspace(NOTES);
    const { code, lines, stdout } = await atTerminal(folder, ['Note it down.'], { env, script: [['Allow?', 'y']] });
    const shown = plain(lines);
    expect(code, stdout).toBe(0);
    expect(shown).toContainEqual(expect.stringMatching(/^\? write_file notes\/a\.md .*— rule 'default' \(safe\)/));
    expect(shown).toContain('  + one');
    expect(shown).toContain('  + two');
    expect(shown).toContainEqual(expect.stringMatching(/^ {2}Allow\? \[y\]es, \[n\]o, all the \[r\]est yes$/));
    expect(stdout, 'in colour').toContain('\u001b[32m+ one');
    expect(await readFile(join(root, 'notes/a.md'), 'utf8')).toBe('one\ntwo\n');
    const approvals = (await runCli(folder, ['ledger', 'tail', '--type', 'APPROVAL', '-n', '9', '--json'])).json();
    expect(approvals.filter((/** @type {any} */ { state }) => state === 'granted')).toMatchObject([
      { by: userInfo().username },
    ]);
  });

  test('n and Escape refuse; NO_COLOR disables colours', async () => {
    for (const key of ['n', '\u001b']) {
      const { folder, env, root } = await agentWorkspace(NOTES);
      const { code, stdout } = await atTerminal(folder, ['Note it down.'], {
        env: { ...env, NO_COLOR: '1' },
        script: [['Allow?', key]],
      });
      expect(code, stdout).toBe(3);
      for (const colour of ['32', '33', '36']) expect(stdout).not.toContain(`\u001b[${colour}m`);
      expect(git(root, 'log', '--format=%s')).not.toContain('notes/a.md');
    }
  });

  test('a key that is held down answers one question', async () => {
    const note = (/** @type {string} */ path) => ({ name: 'write_file', input: { path, content: 'x\n' } });
    const turns = ['a', 'b', 'c'].map((name) => ({ calls: [note(`notes/${name}.md`)] }));
    const { folder, env, root } = await agentWorkspace(byResults([...turns, { say: 'Noted.' }]));
    const script = /** @type {[string, string, number?][]} */ ([
      ['Allow?', 'y', 2],
      ['Allow?', 'n'],
      ['Allow?', 'n'],
    ]);
    const { stdout } = await atTerminal(folder, ['Note it down.'], { env, script });
    expect(plain(screenLines(stdout)).filter((line) => /Allow\?.* yes$/.test(line))).toHaveLength(1);
    expect(await readFile(join(root, 'notes/a.md'), 'utf8')).toBe('x\n');
    const log = git(root, 'log', '--format=%s');
    expect([log.includes('notes/b.md'), log.includes('notes/c.md')]).toEqual([false, false]);
  });

  test('all further requests can be approved at once', async () => {
    const { folder, env, root } = await agentWorkspace(
      byResults([
        { calls: [NOTE] },
        { calls: [{ name: 'write_file', input: { path: 'notes/b.md', content: 'b\n' } }] },
        { say: 'Noted.' },
      ]),
    );
    const { code, stdout } = await atTerminal(folder, ['Note it down.'], { env, script: [['Allow?', 'r']] });
    expect(code, stdout).toBe(0);
    expect(stdout.split('Allow?')).toHaveLength(2);
    expect(await readFile(join(root, 'notes/b.md'), 'utf8')).toBe('b\n');
  });

  test('a request that is not fully shown is refused, even after all further ones were approved', async () => {
    const content = 'a line of a text that is too long to be shown\n'.repeat(24_000);
    const turns = [
      { calls: [NOTE] },
      { calls: [{ name: 'write_file', input: { path: 'notes/b.md', content } }] },
      { say: 'Noted.' },
    ];
    const { folder, env, root } = await agentWorkspace(() => turns.shift() ?? { say: 'Noted.' });
    const { stdout } = await atTerminal(folder, ['Note it down.'], { env, script: [['Allow?', 'r']] });
    expect(stripVTControlCharacters(stdout)).toContain('only a fully shown request can be approved');
    expect(await readFile(join(root, 'notes/a.md'), 'utf8')).toBe('one\ntwo\n');
    await expect(readFile(join(root, 'notes/b.md'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('"always" adds a rule to the policy file, and the call is not asked for again', async () => {
    const { folder, env, server } = await agentWorkspace(NOTES, { config: { policy: './tgp.policy.yaml' } });
    const file = join(folder, 'tgp.policy.yaml');
    await writeFile(file, 'version: 1\ndefault: ask\nrules:\n  - { id: reading, allow: [read] }\n');
    const first = await atTerminal(folder, ['Note it down.'], { env, script: [['Allow?', 'a']] });
    expect(first.code, first.stdout).toBe(0);
    expect(first.stdout).toContain('[a]lways');
    expect(await readFile(file, 'utf8')).toMatch(/notes\/a\.md/);
    const again = await atTerminal(folder, ['Note it down.'], { env });
    expect(again.code, again.stdout).toBe(0);
    expect(again.stdout).not.toContain('Allow?');
    expect(server.problems).toEqual([]);
  });

  test('a long change is shown in part, and completely on demand; questions are asked one by one', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join('');
    const write = (/** @type {string} */ path, /** @type {string} */ content) => ({
      name: 'write_file',
      input: { path, content },
    });
    const { folder, env, root } = await agentWorkspace(
      byResults([{ calls: [write('notes/a.md', lines), write('notes/b.md', 'b\n')] }, { say: 'Noted.' }]),
    );
    const script = /** @type {[string, string][]} */ ([
      ['Allow?', 'm'],
      ['Allow?', 'y'],
      ['Allow?', 'n'],
    ]);
    const { stdout } = await atTerminal(folder, ['Note it down.'], { env, script });
    const shown = stripVTControlCharacters(stdout);
    expect(shown).toMatch(
      /line 23\r\n {2}Allow\?[^\n]*36 \[m\]ore lines more\r\n[\s\S]*line 59\r\n {2}Allow\?[^\n]*yes/,
    );
    expect(shown.split('Allow?')).toHaveLength(4);
    expect(git(root, 'log', '--format=%s')).toContain('notes/a.md');
    expect(git(root, 'log', '--format=%s')).not.toContain('notes/b.md');
  });

  test('Ctrl-C at a question ends the run', async () => {
    const { folder, env, root } = await agentWorkspace(NOTES);
    const { code, stdout } = await atTerminal(folder, ['Note it down.'], { env, script: [['Allow?', '\u0003']] });
    expect(code, stdout).toBe(130);
    expect(git(root, 'log', '--format=%s')).not.toContain('notes/a.md');
  });

  test('Ctrl-C while a tool runs stops it, and the resumed session contains the error', async () => {
    const slow = `export default async (): Promise<string> => {
  await new Promise((done) => setTimeout(done, 1_500));
  await tgp.write_file('tmp/late.txt', 'late');
  return 'slept';
};
`;
    const { folder, env, server } = await agentWorkspace(
      byResults([{ calls: [{ name: 'run_code', input: { code: slow, args: {} } }] }, { say: 'Awake.' }]),
    );
    const script = /** @type {[string, string][]} */ ([['· 1 call ', '\u0003']]);
    const { code, stdout } = await atTerminal(folder, ['Sleep a little.', '--yes'], { env, script });
    expect(code, stdout).toBe(130);
    const shown = stripVTControlCharacters(stdout);
    expect(shown).toMatch(/✗ run_code {2}ERR_ABORTED: [\s\S]*✗ interrupted: /);
    const resumed = await runCli(folder, ['--resume', '--yes'], { env });
    expect(resumed.code, resumed.stderr).toBe(0);
    const { results = [] } = server.requests.at(-1) ?? {};
    expect(results).toHaveLength(1);
    expect(results[0]?.output).toContain('ERR_ABORTED');
  });

  test('no line is wider than the terminal, and hostile text is escaped', async () => {
    const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e';
    const path = `notes/${'long'.repeat(30)}.md`;
    const { folder, env } = await agentWorkspace(
      byResults([
        {
          say: `See ${evil}`,
          calls: [{ name: 'write_file', input: { path, content: `${'wide '.repeat(30)}${evil}\n` } }],
        },
        { say: 'Noted.' },
      ]),
    );
    const { code, lines, stdout } = await atTerminal(folder, ['Note it down.'], {
      env,
      columns: 60,
      script: [['Allow?', 'y']],
    });
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).not.toContain('\u001b]0;');
    for (const harmful of ['\u0007', '\u009b', '\u202e']) expect(stdout).not.toContain(harmful);
    const marks = plain(lines).filter((line) => /^(?:✓| {2}[+-]) /.test(line));
    expect(marks.length).toBeGreaterThan(2);
    for (const line of marks) expect(line.length, line).toBeLessThanOrEqual(60);
  });
});
