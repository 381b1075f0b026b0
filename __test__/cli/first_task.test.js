/** `tgp "<task>"` where nothing is set up yet. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { packedApplication } from '../helpers/packed_application.js';
import { agentWorkspace, NOTES } from '../helpers/providers/agent_workspace.js';
import { manifest } from '../helpers/served_application.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const MINUTES = 60_000;
const TASK = "What's 2 + 2?";
const UNSET = { TGP_MODEL: '', OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' };

test(
  'everything that is missing is reported at once, with one line to copy',
  async () => {
    const app = await packedApplication({ files: { 'package.json': manifest({}) } });
    const run = (/** @type {string[]} */ words, env = {}) =>
      exec(join(app, 'node_modules', '.bin', 'tgp'), words, {
        cwd: app,
        env: { ...process.env, ...UNSET, ...env },
      }).catch((error) => error);
    const { code, stderr } = await run([TASK]);
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      'No model is set. Add --model openai/<model>, anthropic/<model> or compatible:<url>/<model>, or set TGP_MODEL.',
      'Not installed: ai, @ai-sdk/openai.',
      'OPENAI_API_KEY is not set.',
      'Copy this line, with your key:',
      "  npm i ai @ai-sdk/openai && export OPENAI_API_KEY=<key> && npx tgp 'What'\\''s 2 + 2?' --model openai/gpt-5",
      '[ERR_VALIDATION]',
      '',
    ]);
    expect(existsSync(join(app, '.tgp')), 'nothing is created').toBe(false);
    const keyed = await run([TASK], { ANTHROPIC_API_KEY: 'sk-0123456789' });
    expect(keyed.stderr).toContain(
      "Copy this line:\n  npm i ai @ai-sdk/anthropic && npx tgp 'What'\\''s 2 + 2?' --model anthropic/",
    );
    const local = await run([TASK, '--model', 'compatible:http://localhost:11434/v1/llama3', '--json']);
    const printed = JSON.stringify(JSON.parse(local.stdout));
    expect(printed).toContain('"missing":["ai","@ai-sdk/openai-compatible"]');
    expect(printed).toContain('ERR_CONFIG');
  },
  2 * MINUTES,
);

test('a task creates the workspace, and says so', async () => {
  const { env } = await agentWorkspace(NOTES);
  const folder = await tempRoot();
  await mkdir(join(folder, '.git'));
  const first = await runCli(folder, ['Note it down.', '--yes'], { env });
  expect(first.stderr).toMatch(/^Created the workspace \.\/\.tgp, a Git repository for the tools\.\n/);
  expect(first).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, '.tgp/notes/a.md'), 'utf8')).toBe('one\ntwo\n');
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('/.tgp/\n');
  await rm(join(folder, '.tgp'), { recursive: true });
  for (const flags of [['--dry-run'], ['--resume']]) {
    const { stderr } = await runCli(folder, ['Note it down.', ...flags], { env });
    expect(stderr).toContain('There is no workspace at ./.tgp. Run "tgp init"');
    expect(existsSync(join(folder, '.tgp'))).toBe(false);
  }
});
