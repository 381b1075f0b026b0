/** Approvals at a terminal: a request must be shown completely before it can be approved. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { byResults } from '../../tools/model_scripts.mjs';
import { runCli } from '../../tools/run_cli.mjs';
import { atTerminal } from '../../tools/terminal.mjs';
import { git } from '../helpers/git_remote.js';
import { agentWorkspace } from '../helpers/providers/agent_workspace.js';
import { hasTerminals } from '../helpers/run_terminal.js';

const MINUTES = 60_000;
const COLUMNS = 60;
/** Ten thousand characters in one line, with the important part at the end. */
const LONG = `${Array.from({ length: 1_990 }, (_, at) => String(at).padStart(4, '0')).join(' ')} drop everything`;

/**
 * Runs an agent that makes the calls, and returns the content of the screen.
 * @param {{ name: string, input: object }[]} calls
 * @param {[string, string][]} script
 * @param {{ config?: object, policy?: string }} [options]
 */
async function runCalls(calls, script, { config, policy } = {}) {
  const { folder, env, root } = await agentWorkspace(byResults([{ calls }, { say: 'Done.' }]), { config });
  if (policy !== undefined) await writeFile(join(folder, 'tgp.policy.yaml'), policy);
  const seen = await atTerminal(folder, ['Do it.'], { env, columns: COLUMNS, script });
  return { ...seen, folder, root, shown: stripVTControlCharacters(seen.stdout).replaceAll('\r', '') };
}

/**
 * The text of lines that were wrapped.
 * @param {string} shown
 */
const joined = (shown) =>
  shown
    .replace(/\n {2}Allow\? \[n\]o, [^\n]*/g, '')
    .replace(/\n {2}⤷ /g, '')
    .replace(/\n {2}(?=\S)/g, '\n');

describe.skipIf(!hasTerminals())('at a terminal', { timeout: 3 * MINUTES }, () => {
  test('no line of a change is truncated, however long it is', async () => {
    const call = { name: 'write_file', input: { path: 'notes/a.md', content: `${LONG}\n` } };
    const { code, shown, root, lines } = await runCalls(
      [call],
      [
        ['[m]ore', 'm'],
        ['[y]es', 'y'],
      ],
    );
    expect(code, shown).toBe(0);
    expect(joined(shown)).toContain(LONG);
    for (const line of lines.map((each) => stripVTControlCharacters(each).trimEnd()))
      expect(line.length).toBeLessThanOrEqual(COLUMNS);
    expect(await readFile(join(root, 'notes/a.md'), 'utf8')).toBe(`${LONG}\n`);
  });

  test('no request is approved before all of it was shown', async () => {
    const call = { name: 'write_file', input: { path: 'notes/a.md', content: `${LONG}\n` } };
    const { code, shown, root } = await runCalls(
      [call],
      [
        ['[m]ore', 'y'],
        ['lines', 'r'],
        [' ', 'n'],
      ],
    );
    expect(code, shown).toBe(3);
    expect(shown).toMatch(/Allow\? \[n\]o, \d+ \[m\]ore lines no/);
    expect(git(root, 'log', '--format=%s')).not.toContain('notes/a.md');
  });

  test('the arguments of run_code and the parameters of SQL are shown beside their text', async () => {
    const code = 'export default (args: { to: string; amount: number }): string => args.to;\n';
    const call = { name: 'run_code', input: { code, args: { to: 'evil@example.com', amount: 1_000_000 } } };
    const { code: exit, shown } = await runCalls([call], [['Allow?', 'y']]);
    expect(exit, shown).toBe(0);
    expect(joined(shown)).toContain(code.trim());
    expect(joined(shown)).toContain('args: {"amount":1000000,"to":"evil@example.com"}');
  });

  test('invisible characters are escaped, and the hashes of arguments and tool are shown', async () => {
    const hidden = 'a\u200bb\u200dc\u202ed\u2066e\u3164f\u00a0g\u{e0041}h\u001b[2Ji';
    const call = { name: 'exec_tool', input: { path: 'tools/one.ts', args: { note: hidden } } };
    const { shown, stdout } = await runCalls([call], [['Allow?', 'y']]);
    expect(joined(shown)).toContain('a\\u{200b}b\\u{200d}c\\u{202e}d\\u{2066}e\\u{3164}f\\u{a0}g\\u{e0041}h');
    for (const character of ['\u200b', '\u202e', '\u2066', '\u3164', '\u{e0041}', '\u001b[2J'])
      expect(stdout).not.toContain(character);
    expect(joined(shown).replaceAll('\n', '')).toMatch(/\[sha256 [0-9a-f]{16}\]/);
    expect(joined(shown)).toMatch(/text that runs: sha256 [0-9a-f]{64}/);
  });

  test('a tool that does not compile is shown by its hash, not by the compiler message', async () => {
    const forge = {
      name: 'write_file',
      input: { path: 'tools/broken.ts', content: 'export default (: number => ;\n' },
    };
    const call = { name: 'exec_tool', input: { path: 'tools/broken.ts', args: {} } };
    const { shown } = await runCalls(
      [forge, call],
      [
        ['Allow?', 'y'],
        ['Allow?', 'n'],
      ],
    );
    expect(joined(shown)).toMatch(/text that runs: sha256 [0-9a-f]{64} \(does not compile\)/);
    expect(joined(shown).slice(joined(shown).indexOf('text that runs'))).not.toMatch(/^[^\n]*(?:Expected|Unexpected)/);
  });

  test('a request that is too long for a terminal cannot be approved there', async () => {
    const call = { name: 'write_file', input: { path: 'notes/a.md', content: 'line\n'.repeat(100_000) } };
    const { code, shown, root } = await runCalls([call], []);
    expect(code, shown).toBe(3);
    expect(shown.replaceAll('\n', ' ')).toContain('too long to be shown in full');
    expect(shown).not.toContain('Allow?');
    expect(git(root, 'log', '--format=%s')).not.toContain('notes/a.md');
  });

  test('the rule of "always" is shown before it is written, and conditions can be omitted', async () => {
    const policy = 'version: 1\ndefault: ask\nrules:\n  - { id: reading, allow: [read] }\n';
    const call = { name: 'write_file', input: { path: 'notes/a.md', content: 'one\n' } };
    const { code, shown, folder } = await runCalls(
      [call],
      [
        ['[w]ider', 'w'],
        ['Conditions to omit', '/unheard-of\r'],
        ['[w]ider', 'w'],
        ['Conditions to omit', '/content\r'],
        ['[w]ider', 'a'],
      ],
      { config: { policy: './tgp.policy.yaml' }, policy },
    );
    expect(code, shown).toBe(0);
    expect(joined(shown)).toContain('The rule has no condition "/unheard-of"');
    const rules = await readFile(join(folder, 'tgp.policy.yaml'), 'utf8');
    const { id, reason, ...rule } = JSON.parse(/- (\{"id":"always-1".*\})/.exec(rules)?.[1] ?? '{}');
    expect(rule).toEqual({ allow: ['write_file'], paths: ['notes/a.md'], args: { '/why': { absent: true } } });
  });

  test('tgp exec shows all arguments', async () => {
    const { folder, env } = await agentWorkspace(byResults([{ say: 'x' }]));
    const args = ['exec', 'one', '--args', JSON.stringify({ note: LONG })];
    const refused = await runCli(folder, args, { env });
    expect(refused.code, 'there is no terminal').toBe(1);
    const { code, stdout } = await atTerminal(folder, args, {
      env,
      columns: COLUMNS,
      script: [
        ['[m]ore', 'm'],
        ['[y]es', 'y'],
      ],
    });
    const shown = stripVTControlCharacters(stdout).replaceAll('\r', '');
    expect(joined(shown)).toContain(LONG);
    expect(code, shown).toBe(0);
  });
});
