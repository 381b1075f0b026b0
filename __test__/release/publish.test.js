/** The packages that are published, their order and their dist-tags, with the real `npm publish` and a local registry. */

import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distTag } from '../../scripts/publish_packages.mjs';
import { linkCore, packedManifest, publishingOrder } from '../../scripts/release_packages.mjs';
import { PLATFORM_NAMES, packageJson } from '../../tools/platform.mjs';
import { isOlder, readVersion } from '../../tools/versions.mjs';
import { publishingRegistry } from '../helpers/publishing_registry.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(ROOT, 'scripts', 'publish_packages.mjs');
const { version } = packageJson();
const MINUTES = 60_000;

/**
 * A folder of small tarballs with the names of ours.
 * @param {{ native?: string[], linked?: string[], without?: string[] }} [which]
 */
async function packedFolder({ native = ['linux-x64-gnu'], linked = native, without = [] } = {}) {
  const into = await tempRoot();
  const optionalDependencies = Object.fromEntries([
    ['@typescript/typescript-linux-x64', '7.0.2'],
    ...linked.map((name) => [`@tgp/core-${name}`, version]),
  ]);
  const manifests = [
    ...native.map((name) => ({ name: `@tgp/core-${name}` })),
    { name: '@tgp/memory' },
    { name: '@tgp/core', optionalDependencies },
    { name: 'tgp', dependencies: { '@tgp/core': version } },
  ];
  for (const manifest of manifests) {
    const file = manifest.name.replace('@', '').replace('/', '-');
    if (without.includes(file)) continue;
    await mkdir(join(into, 'package'));
    await writeFile(join(into, 'package', 'package.json'), JSON.stringify({ ...manifest, version }));
    await exec('tar', ['czf', `${file}-${version}.tgz`, 'package'], { cwd: into });
    await rm(join(into, 'package'), { recursive: true });
  }
  return into;
}

describe('the order of publishing', () => {
  const names = (/** @type {string} */ into) =>
    publishingOrder(into).map((path) => path.slice(into.length + 1, -`-${version}.tgz`.length));

  it('has native packages before their dependents', async () => {
    const order = names(await packedFolder({ native: PLATFORM_NAMES }));
    expect(order.slice(-3)).toEqual(['tgp-memory', 'tgp-core', 'tgp']);
    expect(order).toHaveLength(8);
  });

  it('continues without an optional platform, but not without a required one', async () => {
    expect(names(await packedFolder())).toEqual(['tgp-core-linux-x64-gnu', 'tgp-memory', 'tgp-core', 'tgp']);
    const others = PLATFORM_NAMES.filter((name) => name !== 'linux-x64-gnu');
    const without = await packedFolder({ native: others });
    expect(() => publishingOrder(without)).toThrow(`missing packages: tgp-core-linux-x64-gnu-${version}.tgz`);
    const headless = await packedFolder({ without: ['tgp-core'] });
    expect(() => publishingOrder(headless)).toThrow(`missing packages: tgp-core-${version}.tgz`);
  });

  it('refuses unknown packages', async () => {
    const into = await packedFolder();
    await writeFile(join(into, 'stranger-1.0.0.tgz'), '');
    expect(() => publishingOrder(into)).toThrow('stranger-1.0.0.tgz');
  });

  it('requires that the core depends on the packed native packages, and on no others', async () => {
    const into = await packedFolder({ native: ['linux-x64-gnu', 'darwin-arm64'], linked: PLATFORM_NAMES });
    expect(() => publishingOrder(into)).toThrow('Run "release_packages.mjs link" first');
    linkCore(into);
    const core = publishingOrder(into).find((file) => file.endsWith(`tgp-core-${version}.tgz`)) ?? '';
    expect(packedManifest(core).optionalDependencies).toEqual({
      '@typescript/typescript-linux-x64': '7.0.2',
      '@tgp/core-linux-x64-gnu': version,
      '@tgp/core-darwin-arm64': version,
    });
    expect(await readdir(into)).toHaveLength(5);
  });
});

describe('publishing', () => {
  /** @type {Awaited<ReturnType<typeof publishingRegistry>>} */
  let registry;
  beforeEach(async () => {
    registry = await publishingRegistry();
  });
  afterEach(() => registry.close());

  /** @param {string} into @param {string[]} more */
  async function publish(into, ...more) {
    const npmrc = join(await tempRoot(), 'npmrc');
    await writeFile(npmrc, `${registry.url.replace('http:', '')}:_authToken=token\n`);
    const env = { ...process.env, NPM_CONFIG_USERCONFIG: npmrc, npm_config_fetch_retries: '0' };
    const args = [SCRIPT, '--into', into, '--registry', registry.url, ...more];
    return exec(process.execPath, args, { env }).catch((error) => error);
  }
  const ids = () => [...registry.published.keys()];
  const all = ['@tgp/core-linux-x64-gnu', '@tgp/memory', '@tgp/core', 'tgp'].map((name) => `${name}@${version}`);

  it(
    'that failed half way is completed by a second run',
    async () => {
      const into = await packedFolder();
      registry.trouble.set('@tgp/core', 'refuse');
      const first = await publish(into);
      expect(first).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`could not publish @tgp/core ${version}`),
      });
      expect(ids()).toEqual(all.slice(0, 2));
      const second = await publish(into);
      expect(second.stderr).not.toContain('could not publish');
      expect(second.stdout).toContain(`@tgp/memory ${version} is there already\n`);
      expect(ids()).toEqual(all);
      expect([...registry.published.values()].map(({ tag }) => tag)).toEqual(all.map(() => 'latest'));
      const third = await publish(into);
      expect(third.code).toBe(undefined);
      expect(third.stdout).not.toContain('Publishing');
    },
    3 * MINUTES,
  );

  it(
    'continues if the registry accepted a package but its response was lost',
    async () => {
      registry.trouble.set('@tgp/memory', 'lose the response');
      const { code } = await publish(await packedFolder());
      expect(code).toBe(undefined);
      expect(ids()).toEqual(all);
    },
    2 * MINUTES,
  );

  it('publishes nothing if one of the packages is already published with other bytes', async () => {
    registry.published.set(`tgp@${version}`, { integrity: 'sha512-other', tag: 'latest' });
    const { code, stderr } = await publish(await packedFolder());
    expect(code).toBe(1);
    expect(stderr).toContain(`tgp ${version} is published already, with other bytes (sha512-other`);
    expect(ids()).toEqual([`tgp@${version}`]);
  });

  it('only prints its plan with --dry-run', async () => {
    const { stdout } = await publish(await packedFolder(), '--dry-run');
    expect(stdout).toContain(`Would publish @tgp/core ${version} as latest\n`);
    expect(ids()).toEqual([]);
  });

  it('does not tag an older version as latest', async () => {
    for (const id of all) registry.latest.set(id.slice(0, id.lastIndexOf('@')), '99.0.0');
    const { stdout } = await publish(await packedFolder(), '--dry-run');
    const [major, minor] = version.split('.');
    expect(stdout).toContain(`Would publish @tgp/core ${version} as release-${major}.${minor}\n`);
  });

  it('refuses an unknown option with exit code 2', async () => {
    expect(await publish(await packedFolder(), '--bogus')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Usage: node scripts/publish_packages.mjs'),
    });
  });

  it('is refused from the source tree, where the core lists no native packages', async () => {
    const failed = await exec('npm', ['publish', '--dry-run', '--tag', 'next'], { cwd: ROOT }).catch((error) => error);
    expect(failed.code).not.toBe(undefined);
    expect(failed.stdout + failed.stderr).toContain('.github/workflows/release.yml');
  });
});

describe('versions', () => {
  it.each([
    ['0.2.0-rc.1', '0.1.0', 'next'],
    ['0.2.0-rc.1', undefined, 'next'],
    ['0.2.0', '0.2.0-rc.1', 'latest'],
    ['0.1.0', undefined, 'latest'],
    ['0.10.0', '0.9.0', 'latest'],
    ['0.1.2', '0.2.0', 'release-0.1'],
  ])('%s, with %s as the newest, gets the tag %s', (one, latest, tag) => {
    expect(distTag(one, latest)).toBe(tag);
  });

  it('are ordered as https://semver.org orders them', () => {
    const ordered = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'];
    const rising = [...ordered, '1.0.0-rc.1', '1.0.0', '1.0.1', '1.1.0', '2.0.0', '10.0.0'];
    for (const [index, one] of rising.entries()) {
      for (const [place, other] of rising.entries()) expect(isOlder(one, other), `${one} ${other}`).toBe(index < place);
    }
  });

  it.each(['01.2.3', '1.0.0-..', '1.0.0-01', '1.0', '1.0.0+build', 'v1.0.0', '1.0.0-'])(
    '%s is not a version',
    (text) => {
      expect(readVersion(text)).toBe(undefined);
    },
  );
});
