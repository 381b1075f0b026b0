/** A bare machine is a PATH with only the programs of a test; the commands that setup starts are recorded. */

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const SETUP = new URL('../../scripts/setup.mjs', import.meta.url).href;
const FAILURE = 'exit 1';

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

/** Installs by creating programs with the names of the compiler and of Git. */
const APT =
  '[ "$1" = install ] && for made in cc git; do echo "#!/bin/sh" > $bin/$made; /bin/chmod +x $bin/$made; done; true';
const MACHINE = { 'apt-get': 'true', cc: 'true', git: 'true' };

test('CONTRIBUTING lists what is installed; it and the README name the required Rust version', async () => {
  const [page, readme, manifest, source, ci] = await Promise.all(
    ['CONTRIBUTING.md', 'README.md', 'Cargo.toml', 'scripts/setup.mjs', '.ci/run'].map((name) =>
      readFile(new URL(`../../${name}`, import.meta.url), 'utf8'),
    ),
  );
  const [, rust] = /^rust-version = "(.+)"$/m.exec(String(manifest)) ?? [];
  expect(page).toContain(`has Rust ${rust}, Node 20 and npm`);
  expect(readme).toContain(`with Rust ${rust}, Node 20 and npm`);
  for (const line of [/^npm run demo {3}# installs, builds, /m, /^npm test {7}# installs, builds, /m])
    for (const text of [page, readme]) expect(text).toMatch(line);
  expect(ci).toMatch(/^ {2}npm test /m);
  expect(source).toMatch(/'openssl'[\s\S]*'postgresql'[\s\S]*'mariadb-server'[\s\S]*cargo-nextest@/);
  for (const named of ['sudo apt-get', 'openssl', 'cargo-nextest', 'PyPI', 'PostgreSQL', 'MariaDB'])
    expect(page).toContain(named);
});

test('the jobs of a new clone start before packages are installed', async () => {
  const folder = await tempRoot();
  const root = new URL('../../', import.meta.url);
  for (const name of ['scripts', 'tools', 'js', 'package.json'])
    await cp(new URL(name, root), join(folder, name), { recursive: true });
  const { code, stderr } = await exec(process.execPath, [join(folder, 'scripts', 'run.mjs')]).catch((error) => error);
  expect(stderr).toContain('Usage: node scripts/run.mjs setup | build | build:js | demo | test');
  expect(code).toBe(2);
});

test('setup without a package manager names the missing programs', async () => {
  const { stderr, ran } = await setUp({}, { tests: false });
  expect(stderr).toContain('Missing: cc and git.');
  expect(ran).toEqual([]);
});

test('setup with a package manager installs a compiler and Git, and refers to rustup', async () => {
  const { stderr, ran } = await setUp({ 'apt-get': APT }, { tests: false });
  expect(ran).toEqual(['apt-get update', 'apt-get install -y --no-install-recommends gcc libc6-dev git']);
  expect(stderr).toContain('https://rustup.rs');
});

test('setup stops if the package manager fails', async () => {
  const { stderr } = await setUp({ 'apt-get': `[ "$1" = --version ] || ${FAILURE}` }, { tests: false });
  expect(stderr).toMatch(/apt-get update" ended with exit code 1/);
});

test('setup installs a missing test runner, and only for tests', async () => {
  const cargo = `[ "$1" = nextest ] && ${FAILURE}; true`;
  expect((await setUp({ ...MACHINE, cargo }, { tests: false })).ran).toEqual([]);
  const { ran } = await setUp({ ...MACHINE, cargo }, { tests: true });
  expect(ran).toContainEqual(expect.stringMatching(/^cargo install --locked cargo-nextest@\d+\.\d+\.\d+$/));
});
