/** The code of docs/agent.md runs unchanged, in one program; its free name (`model`) is a global. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openaiServer } from '../../examples/demo/providers/openai_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KERNEL = 'const kernel = new TGP();';
const IMPORT = "import { TGP } from '@tgp/core';";

test('an agent works, its session is resumed, and its recording replayed', async () => {
  const page = await readFile(join(ROOT, 'docs/agent.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => String(match[1]));
  expect(blocks).toHaveLength(3);
  const [working, resuming, replaying] = blocks;
  const server = await openaiServer(({ results }) =>
    results.length === 0
      ? { say: 'I look.', calls: [{ name: 'list_files', input: { dir: 'tools' } }] }
      : { say: 'Nobody owes anything.' },
  );
  onTestFinished(async () => {
    await server.close();
  });
  const folder = await tempRoot();
  await mkdir(join(folder, 'node_modules', '@tgp'), { recursive: true });
  await symlink(ROOT, join(folder, 'node_modules', '@tgp', 'core'));
  const shown = (/** @type {string} */ value) => `console.log('\\n' + JSON.stringify(${value}));`;
  const ends = 'await kernel.shutdown();';
  const programs = {
    'working.mjs': [working, shown('outcome')],
    'resuming.mjs': [IMPORT, KERNEL, resuming, shown('await kernel.sessions.get(last.session)'), ends],
    'replaying.mjs': [replaying?.replace('const lines', `${KERNEL}\nconst lines`), shown('replay'), ends],
    'all.mjs': [
      "globalThis.model = 'openai/gpt-5';",
      ...['working', 'resuming', 'replaying'].map((name) => `await import('./${name}.mjs');`),
    ],
  };
  for (const [name, lines] of Object.entries(programs)) await writeFile(join(folder, name), lines.join('\n'));
  const { stdout, stderr } = await exec(process.execPath, ['all.mjs'], {
    cwd: folder,
    env: { ...process.env, OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'key' },
  });
  expect(server.problems).toEqual([]);
  expect(stderr).toContain('→ list_files ');
  const [printed, outcome, session, replay] = stdout.split('\n').filter((line) => line !== '');
  expect(printed).toBe('I look.Nobody owes anything.');
  expect(JSON.parse(outcome ?? '')).toBe('done');
  expect(JSON.parse(session ?? '')).toMatchObject({ session: 'unpaid', outcome: 'done' });
  expect(JSON.parse(replay ?? '')).toMatchObject({ outcome: 'done', text: 'Nobody owes anything.' });
  expect(server.requests).toHaveLength(2);
});
