/** A benchmark builds the addon of its peer itself, also if the tests were not run before. */

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The package as npm installs it without install scripts; with its addon it prints a line and ends the benchmark. */
const PEER = `const { existsSync } = require('node:fs');
module.exports = class {
  constructor() {
    if (!existsSync(__dirname + '/addon')) throw new Error('Could not locate the bindings file.');
    process.stdout.write('opened');
    process.exit(0);
  }
};`;

/** A clone after \`npm run demo\`, with an npm that only records its arguments and rebuilds the stand-in. */
async function freshClone() {
  const folder = await tempRoot();
  for (const name of ['benches', 'scripts', 'tools'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  // The build of the tree is used.
  await writeFile(join(folder, 'scripts', 'run.mjs'), '');
  await mkdir(join(folder, 'docs'));
  await cp(join(ROOT, 'docs', 'benchmarks.md'), join(folder, 'docs', 'benchmarks.md'));
  for (const name of ['index.js', 'package.json']) await symlink(join(ROOT, name), join(folder, name));
  const peer = join(folder, 'node_modules', 'better-sqlite3');
  await mkdir(peer, { recursive: true });
  await writeFile(join(peer, 'index.js'), PEER);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const npm = `#!/bin/sh\necho "npm $*" >> '${join(folder, 'log')}'\ntouch '${join(peer, 'addon')}'\n`;
  await writeFile(join(bin, 'npm'), npm, { mode: 0o755 });
  await writeFile(join(folder, 'log'), '');
  /** @param {string[]} args */
  const bench = (...args) =>
    exec(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    });
  return { bench, ran: async () => (await readFile(join(folder, 'log'), 'utf8')).split('\n').filter(Boolean) };
}

test('the SQL benchmark builds its peer once', async () => {
  const { bench, ran } = await freshClone();
  const { stdout } = await bench('benches/run.mjs', 'sql');
  expect(stdout).toContain('opened');
  expect(await ran()).toEqual(['npm rebuild better-sqlite3']);
  await bench('benches/run.mjs', 'sql');
  expect(await ran(), 'once').toHaveLength(1);
});

test.skipIf(process.getBuiltinModule?.('node:sqlite'))(
  'the registry benchmark builds SQLite if Node has none',
  async () => {
    const { bench, ran } = await freshClone();
    const { stdout } = await bench('benches/registry.bench.mjs', '5');
    expect(stdout).toContain('opened');
    expect(await ran()).toEqual(['npm rebuild better-sqlite3']);
  },
);
