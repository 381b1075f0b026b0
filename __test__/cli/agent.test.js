/** `tgp "<task>"` as a person and a script use it, with the real client packages against servers on the loopback. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { git } from '../helpers/git_remote.js';
import { anthropicServer } from '../helpers/providers/anthropic_server.js';
import { openaiServer } from '../helpers/providers/openai_server.js';
import { byResults, forgeTestFirst, reuse, TOOL_PATH } from '../helpers/providers/stories.js';
import { atTerminal } from '../helpers/providers/terminal.js';
import { CLI, runCli } from '../helpers/run_cli.js';
import { hasTerminals } from '../helpers/run_terminal.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @typedef {import('../helpers/providers/scripted_server.js').Script} Script */

const KEY = 'sk-test-0123456789abcdef';
const MINUTES = 60_000;
const NOTE = { name: 'write_file', input: { path: 'notes/a.md', content: 'one\ntwo\n' } };
const NOTES = byResults([{ say: 'I note it.', calls: [NOTE] }, { say: 'Noted.' }]);

/**
 * A workspace, and a provider.
 * @param {Script} script
 * @param {{ config?: object, provider?: 'openai' | 'anthropic' }} [options]
 */
async function set(script, { config = {}, provider = 'openai' } = {}) {
  const folder = await tempRoot();
  await writeFile(join(folder, 'tgp.config.json'), '{}');
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
  await tgpTools(kernel).write_file.execute({
    path: 'tools/one.ts',
    content: '/** Gives one. */\nexport default (): number => 1;\n',
  });
  await kernel.shutdown();
  await writeFile(join(folder, 'tgp.config.json'), JSON.stringify(config));
  const server = await (provider === 'openai' ? openaiServer : anthropicServer)(script, { key: KEY });
  onTestFinished(async () => {
    await server.close();
  });
  const env =
    provider === 'openai'
      ? { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: KEY, TGP_MODEL: 'openai/gpt-5.4' }
      : { ANTHROPIC_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: KEY, TGP_MODEL: 'anthropic/claude-sonnet-5' };
  return { folder, root: join(folder, '.tgp'), server, env };
}

/** @param {string} stdout */
const ndjson = (stdout) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.each(/** @type {const} */ (['openai', 'anthropic']))('%s', (provider) => {
  test(
    'a sentence becomes a tested tool, and the next one reuses it',
    async () => {
      let story = forgeTestFirst;
      const { folder, root, env, server } = await set((seen) => story(seen), { provider });
      const forged = await runCli(folder, ['What does a box of 40 x 40 x 50 weigh?', '--yes'], { env });
      expect(forged.code, forged.stderr).toBe(0);
      expect(forged.stdout).toMatch(/^Is there a tool for this\?\n[\s\S]*\nIt weighs 576 pounds\.\n$/);
      expect(forged.stderr).toMatch(
        /✗ \w+ +tools\/shipping\/dim_weight[\s\S]*✓ exec_tool +tools\/shipping\/dim_weight\.ts {2}→ 576\n/,
      );
      expect(forged.stderr).toMatch(/✓ done\n {2}spent {4}7 steps, 6 calls, [\d.]+ k tokens, /);
      expect(forged.stderr).toMatch(new RegExp(`forged +[\\s\\S]*${TOOL_PATH}`));
      expect(git(root, 'log', '-1', '--format=%B', '--', TOOL_PATH)).toMatch(/^TGP-Session: /m);
      story = reuse;
      const reused = await runCli(folder, ['agent', 'And', 'a', 'smaller', 'one?', '-y'], { env });
      expect(reused).toMatchObject({ code: 0, stdout: 'There is one.\nIt weighs 37 pounds.\n' });
      expect(reused.stderr).toMatch(/reused +tools\/shipping\/dim_weight\.ts\n/);
      expect(reused.stderr).not.toMatch(/forged/);
      expect(server.requests.at(-1)?.said).toEqual(['And a smaller one?']);
      expect(server.problems).toEqual([]);
      expect(`${forged.stdout}${forged.stderr}${reused.stderr}`).not.toContain(KEY);
    },
    2 * MINUTES,
  );
});

test('--json prints the events, a line each, and nothing else', async () => {
  const { folder, env } = await set(NOTES);
  const { code, stdout, stderr } = await runCli(folder, ['Note it down.', '--yes', '--json'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const events = ndjson(stdout);
  const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  expect(types[0]).toBe('start');
  expect(types.at(-1)).toBe('end');
  expect(types.indexOf('tool_call')).toBeLessThan(types.indexOf('tool_result'));
  expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'Noted.', summary: { calls: 1, steps: 2 } });
});

describe('what it takes', () => {
  test.each([
    ['no task', ['agent'], 2, /Say what to do: tgp "<task>"/],
    ['no model', ['Do it now.'], 2, /No model is named\. Add --model/],
    ['no such provider', ['Do it now.', '--model', 'opnai/x'], 2, /Did you mean "openai\/…"\?/],
    ['no key', ['Do it now.', '--model', 'anthropic/claude-5'], 1, /export ANTHROPIC_API_KEY=<key>/],
    ['a wrong budget', ['Do it now.', '--model', 'openai/x', '--budget', 'much'], 2, /--budget cannot be meant/],
    ['a wrong mode', ['Do it now.', '--mode', 'wild'], 2, /Allowed choices are explore, strict, debug/],
    ['a word', ['lsit'], 2, /unknown command 'lsit'/],
    ['an unknown option', ['Do it now.', '--fast'], 2, /unknown option '--fast'/],
    [
      'nothing to resume',
      ['--resume', '--model', 'compatible:http://localhost:1/v1/x'],
      1,
      /There is no session to go on with/,
    ],
  ])('%s', async (_, args, code, message) => {
    const { folder } = await set([]);
    const none = { TGP_MODEL: '', ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', OPENAI_API_KEY: '' };
    const result = await runCli(folder, args, { env: none });
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ code, stdout: '' });
  });

  test('a failure before the first event is a line too, with --json', async () => {
    const { folder } = await set([]);
    const { code, stdout } = await runCli(folder, ['Do it now.', '--json'], { env: { TGP_MODEL: '' } });
    expect(code).toBe(2);
    expect(ndjson(stdout)).toMatchObject([{ error: { code: 'ERR_VALIDATION', details: { field: 'model' } } }]);
  });

  test('a task from standard input', async () => {
    const { folder, env, server } = await set([{ say: 'Yes.' }]);
    const { code, stdout } = await runCli(folder, ['agent', '-'], { env, input: 'Is it\nraining?\n' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Yes.\n' });
    expect(server.requests[0]?.said.join()).toContain('Is it\nraining?');
  });
});

describe('how it ends', () => {
  test('3: the model refuses', async () => {
    const { folder, env } = await set([{ refuse: 'I will not.' }]);
    const { code, stdout, stderr } = await runCli(folder, ['Do some harm.'], { env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'I will not.\n' });
    expect(stderr).toMatch(/✗ refused/);
  });

  test('3: nobody is there to approve, and nothing is done', async () => {
    const { folder, env, root } = await set(NOTES);
    const head = git(root, 'rev-parse', 'HEAD');
    const { code, stderr } = await runCli(folder, ['Note it down.'], { env });
    expect(stderr).toMatch(/not approved by nobody: write_file notes\/a\.md: There is no terminal to ask at\. --yes/);
    expect(code).toBe(3);
    expect(git(root, 'rev-parse', 'HEAD')).toBe(head);
  });

  test('1: the provider fails, which is said without its key', async () => {
    const { folder, env } = await set([{ status: 400, message: `No account for ${KEY}.` }]);
    const { code, stdout, stderr } = await runCli(folder, ['Note it down.'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/✗ failed: .*No account for \[hidden\]/);
  });

  test('1: the budget is used up, and the session goes on with a larger one', async () => {
    const { folder, env, server } = await set(NOTES);
    const { code, stderr } = await runCli(folder, ['Note it down.', '--yes', '--max-steps', '1'], { env });
    expect(stderr).toMatch(/✗ the budget is used up/);
    expect(code).toBe(1);
    const [, session] = /tgp --resume ([\w.:@/-]+)"/.exec(stderr) ?? [];
    const resumed = await runCli(folder, ['--resume', String(session), '--yes'], { env });
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/Noted\.\n$/) });
    expect(server.problems).toEqual([]);
  });

  test('130: Ctrl-C ends it cleanly, and --resume goes on without doing anything twice', async () => {
    let isSlow = true;
    const { folder, env, root, server } = await set((seen) => {
      const turn = NOTES(seen);
      return seen.results.length === 1 && isSlow ? { ...turn, waitsMs: 60_000 } : turn;
    });
    const child = spawn(process.execPath, [CLI, 'Note it down.', '--yes'], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    const ends = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const [stdout, stderr, [code]] = await ends;
    expect(stderr).toMatch(/! ending; Ctrl-C again ends it at once\n[\s\S]*✗ interrupted/);
    expect({ code, stdout }).toEqual({ code: 130, stdout: 'I note it.\n' });
    isSlow = false;
    const resumed = await runCli(folder, ['--resume', '--yes'], { env });
    expect(resumed, resumed.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/Noted\.\n$/) });
    expect(git(root, 'log', '--format=%s', '--', 'notes/a.md').trim().split('\n')).toHaveLength(1);
    expect(server.problems).toEqual([]);
  });

  test('130: a second Ctrl-C ends it at once', async () => {
    const hangs =
      'export default async (): Promise<void> => { await new Promise((done) => setTimeout(done, 60_000)); };\n';
    const { folder, env, server } = await set(
      byResults([{ calls: [{ name: 'run_code', input: { code: hangs, args: {} } }] }, { say: 'Never.' }]),
      { config: { sandbox: { wallMs: 120_000 } } },
    );
    const child = spawn(process.execPath, [CLI, 'Wait for it.', '--yes'], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    const ends = once(child, 'close');
    child.stderr.resume();
    while (server.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    expect((await ends)[0]).toBe(130);
  });
});

describe('sessions', () => {
  test('are listed, shown and closed', async () => {
    const { folder, env } = await set(NOTES);
    expect(await runCli(folder, ['sessions'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/no session yet/),
    });
    await runCli(folder, ['Note it\u001b[2J down.', '--yes'], { env });
    const [{ session, outcome, task }] = (await runCli(folder, ['sessions', 'list', '--json'])).json();
    expect({ outcome, task }).toEqual({ outcome: 'done', task: 'Note it\u001b[2J down.' });
    const { stdout } = await runCli(folder, ['sessions']);
    expect(stdout).toMatch(/^\S+ {2}done {9}20\d\d-\S+ \S+ {2}Note it\\u\{1b\}\[2J down\.\n$/);
    const shown = await runCli(folder, ['sessions', 'show', session]);
    expect(shown.stdout).toMatch(/I note it\.\n✓ \w+ write_file \{.*"path":"notes\/a\.md".*\nNoted\.\n$/);
    expect(await runCli(folder, ['sessions', 'close', session])).toMatchObject({ code: 0 });
    expect((await runCli(folder, ['--resume', session, 'And more of it.', '--yes'], { env })).code).not.toBe(0);
    expect(await runCli(folder, ['sessions', 'show', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/There is no session "none"/),
    });
  });

  test(
    'are replayed: the same bytes each time, and nothing of the workspace changes',
    async () => {
      const { folder, env, root, server } = await set(forgeTestFirst);
      const made = await runCli(folder, ['What does a box of 40 x 40 x 50 weigh?', '--yes'], { env });
      const [{ session }] = (await runCli(folder, ['sessions', '--json'])).json();
      const before = { head: git(root, 'rev-parse', 'HEAD'), requests: server.requests.length };
      const outputs = new Set();
      for (let time = 0; time < 3; time += 1) {
        const { code, stdout, stderr } = await runCli(folder, ['replay', session, '--yes']);
        expect(code, stderr).toBe(0);
        outputs.add(`${stdout}\n---\n${stderr}`);
        expect(stdout).toBe(made.stdout);
      }
      expect(outputs.size).toBe(1);
      expect({ head: git(root, 'rev-parse', 'HEAD'), requests: server.requests.length }).toEqual(before);
      expect((await runCli(folder, ['sessions', '--json'])).json()).toHaveLength(1);
    },
    2 * MINUTES,
  );
});

describe.skipIf(!hasTerminals())('at a terminal', { timeout: 2 * MINUTES }, () => {
  const plain = (/** @type {string[]} */ lines) => lines.map((line) => stripVTControlCharacters(line).trimEnd());

  test('a change is shown before it is approved with one key, by name', async () => {
    const { folder, env, root } = await set(NOTES);
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

  test('no is no, and so is Escape; without colours where nobody wants them', async () => {
    for (const key of ['n', '\u001b']) {
      const { folder, env, root } = await set(NOTES);
      const { code, stdout } = await atTerminal(folder, ['Note it down.'], {
        env: { ...env, NO_COLOR: '1' },
        script: [['Allow?', key]],
      });
      expect(code, stdout).toBe(3);
      for (const colour of ['32', '33', '36']) expect(stdout).not.toContain(`\u001b[${colour}m`);
      expect(git(root, 'log', '--format=%s')).not.toContain('notes/a.md');
    }
  });

  test('all the rest is approved at once', async () => {
    const { folder, env, root } = await set(
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

  test('what is always allowed is a rule in the policy file, and is not asked again', async () => {
    const { folder, env, server } = await set(NOTES, { config: { policy: './tgp.policy.yaml' } });
    const file = join(folder, 'tgp.policy.yaml');
    await writeFile(file, 'version: 1\ndefault: ask\nrules:\n  - { id: reading, allow: [read] }\n');
    const asked = await atTerminal(folder, ['Note it down.'], { env, script: [['Allow?', 'a']] });
    expect(asked.code, asked.stdout).toBe(0);
    expect(asked.stdout).toContain('[a]lways');
    expect(await readFile(file, 'utf8')).toMatch(/notes\/a\.md/);
    const again = await atTerminal(folder, ['Note it down.'], { env });
    expect(again.code, again.stdout).toBe(0);
    expect(again.stdout).not.toContain('Allow?');
    expect(server.problems).toEqual([]);
  });

  test('a long change is shown in part, and all of it on demand; questions wait for one another', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join('');
    const write = (/** @type {string} */ path, /** @type {string} */ content) => ({
      name: 'write_file',
      input: { path, content },
    });
    const { folder, env, root } = await set(
      byResults([{ calls: [write('notes/a.md', lines), write('notes/b.md', 'b\n')] }, { say: 'Noted.' }]),
    );
    const script = /** @type {[string, string][]} */ ([
      ['Allow?', 'l'],
      ['Allow?', 'y'],
      ['Allow?', 'n'],
    ]);
    const { stdout } = await atTerminal(folder, ['Note it down.'], { env, script });
    const shown = stripVTControlCharacters(stdout);
    expect(shown).toMatch(
      /line 23\r\n {2}Allow\?[^\n]*36 more \[l\]ines more\r\n[\s\S]*line 59\r\n {2}Allow\?[^\n]*yes/,
    );
    expect(shown.split('Allow?')).toHaveLength(4);
    expect(git(root, 'log', '--format=%s')).toContain('notes/a.md');
    expect(git(root, 'log', '--format=%s')).not.toContain('notes/b.md');
  });

  test('Ctrl-C at a question ends the run', async () => {
    const { folder, env, root } = await set(NOTES);
    const { code, stdout } = await atTerminal(folder, ['Note it down.'], { env, script: [['Allow?', '\u0003']] });
    expect(code, stdout).toBe(130);
    expect(git(root, 'log', '--format=%s')).not.toContain('notes/a.md');
  });

  test('Ctrl-C while a tool runs stops it, and that is known when the session goes on', async () => {
    const slow = `export default async (): Promise<string> => {
  await new Promise((done) => setTimeout(done, 1_500));
  await tgp.write_file('tmp/late.txt', 'late');
  return 'slept';
};
`;
    const { folder, env, server } = await set(
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

  test('no line is wider than the terminal, and a hostile text moves nothing', async () => {
    const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e';
    const path = `notes/${'long'.repeat(30)}.md`;
    const { folder, env } = await set(
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
