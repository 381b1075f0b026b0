/** The files that `npm publish` would upload: every exported file, and no private one. */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { packCommand, packCore, packed, packedManifest } from '../../scripts/release_packages.mjs';
import { PLATFORM_NAMES } from '../../tools/platform.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPOSITORY = 'git+https://example.com/tgp/core.git';
/** Paths that the package may contain. */
const KEPT =
  /^(?:index\.(?:js|d\.ts)|binding\.(?:cjs|d\.cts)|package\.json|(?:README|CHANGELOG|SECURITY)\.md|LICENSE|THIRD_PARTY_LICENSES\.txt|dist\/(?!types\/|[^/]*\.d\.ts$).*|(?:sandbox|bin|std|docs|examples)\/.*)$/;
const KINDS = /\.(?:m?js|cjs|d\.c?ts|tsx?|json|md|svg|txt|cedar)$|^LICENSE$/;
const PRIVATE =
  /(?:^|\/)(?:__test__|\.env|\.npmrc|\.git|\.github|\.ci|node_modules|target|coverage)(?:\/|$)|\.(?:test|spec|bench)\.|\.(?:rs|pem|key|node|tgz|log|db)$/;
const SECRET =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]{40}|\bnpm_[A-Za-z0-9]{36}\b|\bghp_[A-Za-z0-9]{36}\b|\bAKIA[0-9A-Z]{16}\b/;
/** Kilobytes of the tarball. */
const LARGEST = 1230;

/** @type {{ folder: string, size: number, files: string[], manifest: any }} */
let core;

beforeAll(async () => {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const folder = await mkdtemp(join(tmpdir(), 'tgp-contents-'));
  const tarball = packCore({ into: folder, repository: REPOSITORY });
  await exec('tar', ['xzf', tarball], { cwd: folder });
  const unpacked = join(folder, 'package');
  const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(unpacked, file)).isFile(),
  );
  const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
  core = { folder: unpacked, size: statSync(tarball).size, files, manifest };
  return async () => (await import('node:fs/promises')).rm(folder, { recursive: true, force: true });
}, 300_000);

/** @param {string} tarball */
async function shippedFiles(tarball) {
  const { stdout } = await exec('tar', ['tzf', tarball]);
  return stdout.trim().split('\n').sort();
}

describe('the other packages as they are published', () => {
  it('have a licence, and no scripts of the tree', async () => {
    const into = await tempRoot();
    const command = packCommand({ into });
    expect(await shippedFiles(command)).toEqual(
      ['LICENSE', 'README.md', 'package.json', 'tgp.js'].map((file) => `package/${file}`),
    );
    const folder = join(await tempRoot(), 'memory');
    await mkdir(folder);
    await cp(join(ROOT, 'npm', 'memory', 'package.json'), join(folder, 'package.json'));
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(scripts.prepack).toContain('memory_model.mjs');
    const memory = packed(folder, { into });
    expect(packedManifest(memory)).toMatchObject({ name: '@tgp/memory' });
    expect(packedManifest(memory).scripts).toBe(undefined);
  });
});

describe('@tgp/core as it is published', () => {
  it('contains no sources of the addon, no tests, no settings and no secrets', () => {
    expect(core.files.length).toBeGreaterThan(100);
    expect(core.files.filter((file) => !KEPT.test(file) || !KINDS.test(file) || PRIVATE.test(file))).toEqual([]);
    const secrets = core.files.filter((file) => SECRET.test(readFileSync(join(core.folder, file), 'utf8')));
    expect(secrets).toEqual([]);
  });

  it('contains no pages for contributors', () => {
    expect(core.files).toContain('docs/deploy.md');
    expect(core.files.filter((file) => /^docs\/(?:parts|decisions)\//.test(file))).toEqual([]);
  });

  it('contains no path of the build machine', () => {
    const withPath = core.files.filter((file) => readFileSync(join(core.folder, file), 'utf8').includes(ROOT));
    expect(withPath).toEqual([]);
  });

  it(`has a tarball below ${LARGEST} kB`, () => {
    expect(core.size).toBeLessThan(LARGEST * 1000);
  });

  it('lists its native packages and its repository, and no development dependencies or scripts', () => {
    const { version, optionalDependencies, repository, scripts, devDependencies } = core.manifest;
    for (const name of PLATFORM_NAMES) expect(optionalDependencies[`@tgp/core-${name}`]).toBe(version);
    expect(repository).toEqual({ type: 'git', url: REPOSITORY });
    expect(core.manifest.homepage).toBe('https://example.com/tgp/core#readme');
    expect(core.manifest.bugs).toEqual({ url: 'https://example.com/tgp/core/issues' });
    expect([scripts, devDependencies]).toEqual([undefined, undefined]);
    const own = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
    expect(Object.keys(own.optionalDependencies).filter((name) => name.startsWith('@tgp/'))).toEqual([]);
  });

  it('has every file that an export, a command or a type refers to', () => {
    const targets = (/** @type {any} */ value) =>
      typeof value === 'string' ? [value] : Object.values(value).flatMap(targets);
    const { exports, bin, main, module, types } = core.manifest;
    const named = [exports, bin, main, module, types].flatMap(targets).map((path) => path.replace(/^\.\//, ''));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !core.files.includes(path))).toEqual([]);
  });

  it('is resolved by Node under every name that it exports, by import and by require', async () => {
    const app = await tempRoot();
    await mkdir(join(app, 'node_modules', '@tgp'), { recursive: true });
    await symlink(core.folder, join(app, 'node_modules', '@tgp', 'core'));
    const names = Object.keys(core.manifest.exports).filter((name) => name !== './sandbox');
    await writeFile(
      join(app, 'resolve.mjs'),
      `import { createRequire } from 'node:module';
      import { existsSync } from 'node:fs';
      import { fileURLToPath } from 'node:url';
      const { resolve } = createRequire(import.meta.url);
      const names = ${JSON.stringify(names)}.map((name) => '@tgp/core' + name.slice(1));
      console.log(JSON.stringify(names.map((name) => existsSync(resolve(name)) && existsSync(fileURLToPath(import.meta.resolve(name))))));`,
    );
    const { stdout } = await exec(process.execPath, ['resolve.mjs'], { cwd: app });
    expect(JSON.parse(stdout)).toEqual(names.map(() => true));
  });

  it('has no links to missing pages', () => {
    const pages = core.files.filter((file) => file.endsWith('.md'));
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(core.folder, page), 'utf8').replace(/```[\s\S]*?```/g, '');
      const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) => String(match[1]));
      return links.filter((link) => !core.files.includes(join(page, '..', link))).map((link) => `${page}: ${link}`);
    });
    // These are in the repository only, as the text says.
    expect(
      broken.filter((link) => !/: (?:\.\.\/)*(?:CONTRIBUTING|ARCHITECTURE|docs\/start_here)\.md$/.test(link)),
    ).toEqual([]);
  });
});
