/** `npm run fuzz` with a cargo that only records its arguments. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The exit code of cargo nextest if no test has the name. */
const NONE = 4;

/** @param {number} exitCode of cargo @param {string[]} args */
async function fuzz(exitCode, ...args) {
  const folder = await tempRoot();
  await mkdir(join(folder, 'bin'));
  const log = join(folder, 'log');
  await writeFile(log, '');
  const cargo = `#!/bin/sh\necho "$*" >> '${log}'\nexit ${exitCode}\n`;
  await writeFile(join(folder, 'bin', 'cargo'), cargo, { mode: 0o755 });
  const env = { ...process.env, PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) };
  const ran = await exec(process.execPath, [join(ROOT, 'scripts', 'fuzz.mjs'), ...args], { env }).catch(
    (error) => error,
  );
  return { code: ran.code ?? 0, stdout: ran.stdout, stderr: ran.stderr, recorded: await readFile(log, 'utf8') };
}

describe('npm run fuzz', () => {
  it('runs the properties that contain one of the names, in Rust and in JavaScript', { timeout: 180_000 }, async () => {
    const { code, stdout, recorded } = await fuzz(NONE, '--seconds', '1', 'text that has moved', 'tokens and caveats');
    expect(recorded).toContain('test(fuzz_tests) & (test(text that has moved) | test(tokens and caveats))');
    const count = (/** @type {string} */ word) => Number(new RegExp(`Tests .*?(\\d+) ${word}`).exec(stdout)?.[1] ?? 0);
    expect(count('passed') + count('failed')).toBe(2);
    // Its inputs are random: their findings set the exit code, and are not subject of this test.
    expect(code).toBe(count('failed') === 0 ? 0 : 1);
    expect(await fuzz(0, '--seconds', '1', 'of_rust_alone')).toMatchObject({ code: 0, stdout: '' });
    expect((await fuzz(0, '--seconds', '1', 'ledger')).recorded).toContain('(test(ledger) | package(tgp-ledger))');
  });

  it.each([
    [['nosuchproperty'], 'No property has "nosuchproperty" in its name.'],
    [['a)b'], 'No property has "a)b" in its name.'],
    [['--bogus'], "Unknown option '--bogus'"],
    [['--seconds', 'long'], '--seconds must be a number.'],
  ])('ends with exit code 2 for %j', async (args, why) => {
    const { code, stderr } = await fuzz(NONE, ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(why);
    expect(stderr).toMatch(/\nUsage: npm run fuzz -- .*\n$/);
  });

  it('ends with exit code 1 if a property fails', async () => {
    expect((await fuzz(100, '--seconds', '1', 'of_rust_alone')).code).toBe(1);
  });
});

describe('npm run bench', () => {
  it('ends with exit code 2 for a name that no benchmark has', async () => {
    const bench = exec(process.execPath, [join(ROOT, 'benches', 'run.mjs'), 'nosuchbench']);
    await expect(bench).rejects.toMatchObject({ code: 2, stderr: 'No benchmark has "nosuchbench" in its name.\n' });
  });
});
