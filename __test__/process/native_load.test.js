/** A native addon that exists but fails to load: the message has the system's reason and a remedy. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const BOOT = `
  const outcome = await new TGP({ config: { rootDir: './.tgp' } }).boot().then(() => 'booted', ({ code, message }) => ({ code, message }));
  console.log(JSON.stringify(outcome));`;

/** @param {string} reason of the system, where `<file>` is the addon */
async function failingLoad(reason) {
  const folder = await tempRoot();
  const preload = join(folder, 'preload.mjs');
  await writeFile(
    preload,
    `process.dlopen = (_, file) => {
      throw Object.assign(new Error(${JSON.stringify(reason)}.replaceAll('<file>', file)), { code: 'ERR_DLOPEN_FAILED' });
    };`,
  );
  return { folder, env: { NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` } };
}

describe('the message has the reason of the system for', () => {
  it.each([
    [
      'a noexec mount',
      '<file>: failed to map segment from shared object: Operation not permitted',
      /Reason: tgp\.[\w-]+\.node: failed to map segment .*Operation not permitted\. .*"noexec".*node_modules/,
    ],
    [
      'an old glibc',
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by <file>)",
      /Reason: libc\.so\.6: version `GLIBC_2\.34' not found \(required by tgp\.[\w-]+\.node\)\. .*glibc.* 2\.34/,
    ],
    ['another failure', '<file>: the moon is full', /Reason: tgp\.[\w-]+\.node: the moon is full\.$/],
  ])('%s', async (_, reason, expected) => {
    const { folder, env } = await failingLoad(reason);
    const failure = await runProgram(folder, BOOT, env);
    expect(failure).toMatchObject({ code: 'ERR_IO', message: expect.stringMatching(expected) });
    expect(failure.message).not.toMatch(/omit=optional|package-lock/);
    expect(failure.message).not.toContain(process.cwd());
  });

  it('a failure that tgp doctor reports', async () => {
    const { folder, env } = await failingLoad('<file>: failed to map segment from shared object');
    const { code, stdout, stderr } = await runCli(folder, ['doctor', '--json'], { env });
    expect(`${stdout}${stderr}`).toMatch(/failed to map segment from shared object\. .*noexec/);
    expect(stdout.match(/failed to map segment/g), 'once').toHaveLength(1);
    expect(code).toBe(1);
  });
});

it('the message about a missing file says how to install it', async () => {
  const { folder, env } = await failingLoad("Cannot find module '<file>'");
  const { message } = await runProgram(folder, BOOT, env);
  expect(message).toMatch(/could not be loaded on \w+-\w+\. Supported systems are .*--omit=optional/);
});
