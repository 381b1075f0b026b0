/** The examples without a framework, with the packages as npm would publish them. */

import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bareRemote, git } from '../helpers/git_remote.js';
import { packedApplication } from '../helpers/packed_application.js';
import { SCRIPTED_MODEL } from '../helpers/running_server.js';

const exec = promisify(execFile);
const MINUTES = 60_000;
const FORGED = 'It bills as 576 pounds (forged tools/shipping/dim_weight.ts).';
const REUSED = 'It bills as 576 pounds (reused tools/shipping/dim_weight.ts).';
const example = (/** @type {string} */ name) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

test(
  'the script forges a tool, and uses it again',
  async () => {
    const app = await packedApplication({ from: example('script') });
    const run = () => exec(process.execPath, ['--import', SCRIPTED_MODEL, 'agent.mjs'], { cwd: app });
    expect(await run()).toEqual({ stdout: `${FORGED}\n`, stderr: '' });
    expect(await run()).toEqual({ stdout: `${REUSED}\n`, stderr: '' });
  },
  3 * MINUTES,
);

test(
  'the serverless function wakes up in an empty folder, and finds what an earlier instance forged at the remote',
  async () => {
    const app = await packedApplication({ from: example('lambda') });
    const { folder, remote } = await bareRemote();
    const before = await readdir(app);
    const invoke = `const { handler } = await import('./handler.mjs');
      const { statusCode, body } = await handler({ body: JSON.stringify({ question: 'The weight?' }) });
      process.stdout.write(JSON.stringify({ statusCode, ...JSON.parse(body) }));`;
    const coldStart = async (/** @type {string} */ name) => {
      const TMPDIR = join(folder, name);
      await mkdir(TMPDIR);
      const { stdout, stderr } = await exec(
        process.execPath,
        ['--import', SCRIPTED_MODEL, '--input-type=module', '-e', invoke],
        { cwd: app, env: { ...process.env, TMPDIR, TOOLS_REPO: remote } },
      );
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    };

    expect(await coldStart('first')).toEqual({ statusCode: 200, text: FORGED });
    expect(git(remote, 'log', '--format=%s', 'main')).toBe('Forge: tools/shipping/dim_weight.ts');
    expect(await coldStart('second')).toEqual({ statusCode: 200, text: REUSED });
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('1');
    expect(await readdir(app), 'the code of the function is not written to').toEqual(before);
  },
  3 * MINUTES,
);
