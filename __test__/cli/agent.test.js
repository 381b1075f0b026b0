/** `tgp "<task>"` for users and scripts, with the real client packages against servers on the loopback. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { byResults, forgeTestFirst, reuse, TOOL_PATH } from '../../tools/model_scripts.mjs';
import { CLI, runCli } from '../../tools/run_cli.mjs';
import { git } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';
import { agentWorkspace, KEY, NOTES } from '../helpers/providers/agent_workspace.js';

const MINUTES = 60_000;
const REPLAYS = howOften({ usual: 4, long: 20 });
const AT_ONCE = 4;
const HALTING = new URL('../helpers/halting_program.mjs', import.meta.url).href;

/** @param {string} stdout */
const ndjson = (stdout) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.each(/** @type {const} */ (['openai', 'anthropic']))('%s', (provider) => {
  test(
    'a task leads to a tested tool, and the next task reuses it',
    async () => {
      let story = forgeTestFirst;
      const { folder, root, env, server } = await agentWorkspace((seen) => story(seen), { provider });
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

test('--json prints one event per line, and nothing else', async () => {
  const { folder, env } = await agentWorkspace(NOTES);
  const { code, stdout, stderr } = await runCli(folder, ['Note it down.', '--yes', '--json'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const events = ndjson(stdout);
  const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  expect(types[0]).toBe('start');
  expect(types.at(-1)).toBe('end');
  expect(types.indexOf('tool_call')).toBeLessThan(types.indexOf('tool_result'));
  expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'Noted.', summary: { calls: 1, steps: 2 } });
});

test('--dry-run changes nothing, requests no approval, and reports the dry run', async () => {
  const { folder, env, root, server } = await agentWorkspace(forgeTestFirst);
  const before = { head: git(root, 'rev-parse', 'HEAD'), files: git(root, 'status', '--porcelain') };
  const { code, stdout, stderr } = await runCli(folder, ['What does a box of 40 x 40 x 50 weigh?', '--dry-run'], {
    env,
  });
  expect(stderr).toMatch(/✓ write_file +tools\/shipping\/dim_weight\.test\.ts {2}preview, nothing was changed\n/);
  expect(stderr).toMatch(/✓ write_file +tools\/shipping\/dim_weight\.ts {2}preview, nothing was changed\n/);
  expect(stderr).toMatch(/ {2}dry run {2}nothing was changed\n/);
  expect(stderr).not.toMatch(/forged|changed {2}|not approved|committed/);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Is there a tool for this\?\n/) });
  // The model gets the preview.
  expect(server.requests[2]?.results[1]?.output).toContain('+++');
  expect(existsSync(join(root, TOOL_PATH))).toBe(false);
  expect({ head: git(root, 'rev-parse', 'HEAD'), files: git(root, 'status', '--porcelain') }).toEqual(before);
});

describe('arguments', () => {
  test.each([
    ['no task', ['agent'], 2, /The task is missing\. Use tgp "<task>"/],
    ['no model', ['Do it now.'], 2, /No model is set\. Add --model/],
    ['no such provider', ['Do it now.', '--model', 'opnai/x'], 2, /Did you mean "openai\/…"\?/],
    ['no key', ['Do it now.', '--model', 'anthropic/claude-5'], 1, /export ANTHROPIC_API_KEY=<key>/],
    ['a wrong budget', ['Do it now.', '--model', 'openai/x', '--budget', 'much'], 2, /--budget is not valid/],
    ['a wrong mode', ['Do it now.', '--mode', 'wild'], 2, /Allowed choices are explore, strict, debug/],
    ['a word', ['forget'], 2, /unknown command 'forget'/],
    ['an unknown option', ['Do it now.', '--fast'], 2, /unknown option '--fast'/],
    [
      'nothing to resume',
      ['--resume', '--model', 'compatible:http://localhost:1/v1/x'],
      1,
      /There is no session to resume/,
    ],
  ])('%s', async (_, args, code, message) => {
    const { folder } = await agentWorkspace([]);
    const none = { TGP_MODEL: '', ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', OPENAI_API_KEY: '' };
    const result = await runCli(folder, args, { env: none });
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ code, stdout: '' });
  });

  test('with --json, an error before the first event is one line, too', async () => {
    const { folder } = await agentWorkspace([]);
    const { code, stdout } = await runCli(folder, ['Do it now.', '--json'], { env: { TGP_MODEL: '' } });
    expect(code).toBe(2);
    expect(ndjson(stdout)).toMatchObject([{ error: { code: 'ERR_VALIDATION', details: { field: 'model' } } }]);
  });

  test('a task is read from standard input', async () => {
    const { folder, env, server } = await agentWorkspace([{ say: 'Yes.' }]);
    const { code, stdout } = await runCli(folder, ['agent', '-'], { env, input: 'Is it\nraining?\n' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Yes.\n' });
    expect(server.requests[0]?.said.join()).toContain('Is it\nraining?');
  });
});

describe('exit codes', () => {
  test('3: the model refuses', async () => {
    const { folder, env } = await agentWorkspace([{ refuse: 'I will not.' }]);
    const { code, stdout, stderr } = await runCli(folder, ['Do some harm.'], { env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'I will not.\n' });
    expect(stderr).toMatch(/✗ refused/);
  });

  test('3: without an approver nothing is done', async () => {
    const { folder, env, root } = await agentWorkspace(NOTES);
    const head = git(root, 'rev-parse', 'HEAD');
    const { code, stderr } = await runCli(folder, ['Note it down.'], { env });
    expect(stderr).toMatch(
      /not approved: write_file notes\/a\.md: Approval needs a terminal, and there is none\. Add --yes/,
    );
    expect(code).toBe(3);
    expect(git(root, 'rev-parse', 'HEAD')).toBe(head);
  });

  test('1: a provider failure is reported without the key', async () => {
    const { folder, env } = await agentWorkspace([{ status: 400, message: `No account for ${KEY}.` }]);
    const { code, stdout, stderr } = await runCli(folder, ['Note it down.'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/✗ failed: .*No account for \[hidden\]/);
  });

  test('1: the budget is used up, and the session continues with a larger one', async () => {
    const { folder, env, server } = await agentWorkspace(NOTES);
    const { code, stderr } = await runCli(folder, ['Note it down.', '--yes', '--max-steps', '1'], { env });
    expect(stderr).toMatch(/✗ budget exhausted/);
    expect(code).toBe(1);
    const [, session] = /tgp --resume ([\w.:@/-]+)"/.exec(stderr) ?? [];
    const resumed = await runCli(folder, ['--resume', String(session), '--yes'], { env });
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/Noted\.\n$/) });
    expect(server.problems).toEqual([]);
  });

  test('130: Ctrl-C ends it cleanly, and --resume continues without repeating a call', async () => {
    let isSlow = true;
    const { folder, env, root, server } = await agentWorkspace((seen) => {
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
    expect(stderr).toMatch(/! stopping; press Ctrl-C again to exit at once\n[\s\S]*✗ interrupted/);
    expect({ code, stdout }).toEqual({ code: 130, stdout: 'I note it.\n' });
    isSlow = false;
    const resumed = await runCli(folder, ['--resume', '--yes'], { env });
    expect(resumed, resumed.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/Noted\.\n$/) });
    expect(git(root, 'log', '--format=%s', '--', 'notes/a.md').trim().split('\n')).toHaveLength(1);
    expect(server.problems).toEqual([]);
  });

  test.each([20, 50, 100, 200])('130: a second Ctrl-C after %i ms ends it at once', async (ms) => {
    const hangs =
      'export default async (): Promise<void> => { await new Promise((done) => setTimeout(done, 60_000)); };\n';
    const { folder, env, server } = await agentWorkspace(
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
    await new Promise((resolve) => setTimeout(resolve, ms));
    child.kill('SIGINT');
    expect((await ends)[0]).toBe(130);
  });
});

describe('sessions', () => {
  test('are listed, shown and closed', async () => {
    const { folder, env } = await agentWorkspace(NOTES);
    expect(await runCli(folder, ['sessions'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/There are no sessions yet\./),
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
    `are replayed ${REPLAYS} times with the same bytes, on a machine that halts, without changing the workspace`,
    async () => {
      const { folder, env, root, server } = await agentWorkspace(forgeTestFirst, { config: { memory: 'off' } });
      const made = await runCli(folder, ['What does a box of 40 x 40 x 50 weigh?', '--yes'], { env });
      const [{ session }] = (await runCli(folder, ['sessions', '--json'])).json();
      const before = { head: git(root, 'rev-parse', 'HEAD'), requests: server.requests.length };
      const replays = [];
      for (let first = 0; first < REPLAYS; first += AT_ONCE) {
        const seeds = Array.from({ length: AT_ONCE }, (_, at) => first + at);
        replays.push(...(await Promise.all(seeds.map((seed) => replayed(folder, session, seed)))));
      }
      // The same output as that of the session, without durations and the session name.
      const stderr = made.stderr
        .replace(/( k tokens), [\d.]+ (?:ms|s|min)(?: [\d.]+ s)?\n/, '$1\n')
        .replace(/ {2}session .*\n/, '');
      expect(stderr).toMatch(/ {2}forged {3}tools\/shipping\/dim_weight\.ts\n/);
      expect(new Set(replays)).toEqual(new Set([`0\n${made.stdout}\n---\n${stderr}`]));
      expect({ head: git(root, 'rev-parse', 'HEAD'), requests: server.requests.length }).toEqual(before);
      expect((await runCli(folder, ['sessions', '--json'])).json()).toHaveLength(1);
    },
    3 * MINUTES,
  );
});

/**
 * @param {string} folder
 * @param {string} session
 * @param {number} seed of the times at which the program halts
 */
async function replayed(folder, session, seed) {
  const env = { NODE_OPTIONS: `--import ${HALTING}`, HALT_SEED: String(seed) };
  const { code, stdout, stderr } = await runCli(folder, ['replay', session, '--yes'], { env });
  return `${code}\n${stdout}\n---\n${stderr}`;
}
