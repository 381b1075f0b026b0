/** A bare machine is a PATH with nothing but what a test puts there; what setup starts is written down. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const SETUP = new URL('../../scripts/setup.mjs', import.meta.url).href;
const NEVER = 'exit 1';

/**
 * Runs setup on a machine with these programs, each a line of shell.
 * @param {Record<string, string>} programs
 * @param {{ tests: boolean }} need
 */
async function setUp(programs, need) {
  const folder = await tempRoot();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink('/usr/bin/env', join(bin, 'env'));
  await symlink(process.execPath, join(bin, 'node'));
  const log = join(folder, 'log');
  await writeFile(log, '');
  for (const [name, line] of Object.entries({ sudo: 'exec "$@"', ...programs })) {
    const script = `#!/bin/sh\n[ "$1" = --version ] || echo "${name} $*" >> '${log}'\nbin='${bin}'\n${line}\n`;
    await writeFile(join(bin, name), script, { mode: 0o755 });
  }
  const code = `import { setup } from '${SETUP}';
    try { setup(${JSON.stringify(need)}); } catch (error) { process.stderr.write(error.message); process.exitCode = 1; }`;
  const env = { PATH: bin, HOME: folder };
  const { stderr } = await exec(process.execPath, ['--input-type=module', '-e', code], { env }).catch((error) => error);
  const ran = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('sudo '));
  return { stderr, ran };
}

/** Installs by making programs of the names that the compiler and Git have. */
const APT =
  '[ "$1" = install ] && for made in cc git; do echo "#!/bin/sh" > $bin/$made; /bin/chmod +x $bin/$made; done; true';
const MACHINE = { 'apt-get': 'true', cc: 'true', git: 'true' };

test('the README says what is installed, and which Rust is needed', async () => {
  const [readme, manifest, source] = await Promise.all(
    ['README.md', 'Cargo.toml', 'scripts/setup.mjs'].map((name) =>
      readFile(new URL(`../../${name}`, import.meta.url), 'utf8'),
    ),
  );
  const [, rust] = /^rust-version = "(.+)"$/m.exec(String(manifest)) ?? [];
  expect(readme).toContain(`has Rust ${rust}, Node 20 and npm`);
  expect(source).toMatch(/'openssl'[\s\S]*'postgresql'[\s\S]*'mariadb-server'[\s\S]*cargo-nextest@/);
  for (const named of ['sudo apt-get', 'openssl', 'cargo-nextest', 'PyPI', 'PostgreSQL', 'MariaDB'])
    expect(readme).toContain(named);
});

test('without a package manager it names what is missing', async () => {
  const { stderr, ran } = await setUp({}, { tests: false });
  expect(stderr).toContain('Missing: cc and git.');
  expect(ran).toEqual([]);
});

test('with one it installs a compiler and Git, and asks for Rust', async () => {
  const { stderr, ran } = await setUp({ 'apt-get': APT }, { tests: false });
  expect(ran).toEqual(['apt-get update', 'apt-get install -y --no-install-recommends gcc libc6-dev git']);
  expect(stderr).toContain('https://rustup.rs');
});

test('a package manager that fails stops it', async () => {
  const { stderr } = await setUp({ 'apt-get': `[ "$1" = --version ] || ${NEVER}` }, { tests: false });
  expect(stderr).toMatch(/apt-get update" ended with exit code 1/);
});

test('it installs the test runner when that is missing, and only for tests', async () => {
  const cargo = `[ "$1" = nextest ] && ${NEVER}; true`;
  expect((await setUp({ ...MACHINE, cargo }, { tests: false })).ran).toEqual([]);
  const { ran } = await setUp({ ...MACHINE, cargo }, { tests: true });
  expect(ran).toContainEqual(expect.stringMatching(/^cargo install --locked cargo-nextest@\d+\.\d+\.\d+$/));
});
