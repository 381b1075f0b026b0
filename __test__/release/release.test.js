/** `npm run release` in a repository with the real files of this one. */

import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { nextVersion, releasedChangelog, releaseNotes } from '../../scripts/release.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAMING = ['CHANGELOG.md', 'package.json', 'package-lock.json', 'Cargo.toml', 'Cargo.lock', 'binding.cjs'];
const IDENTITY = ['-c', 'user.name=Releaser', '-c', 'user.email=releaser@example.com'];

/** A repository with all files that a release changes, and the release script. */
async function clone() {
  const root = await tempRoot();
  await mkdir(join(root, 'scripts'));
  for (const file of [...NAMING, 'scripts/release.mjs', 'tools/process.mjs', 'tools/versions.mjs'])
    await cp(join(ROOT, file), join(root, file));
  for (const name of await readdir(join(ROOT, 'npm'))) {
    await cp(join(ROOT, 'npm', name, 'package.json'), join(root, 'npm', name, 'package.json'));
  }
  const git = async (/** @type {string[]} */ ...args) =>
    (await exec('git', [...IDENTITY, ...args], { cwd: root })).stdout.trim();
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'Releaser');
  await git('config', 'user.email', 'releaser@example.com');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'all');
  const release = (/** @type {string[]} */ ...args) =>
    exec(process.execPath, ['scripts/release.mjs', ...args], { cwd: root });
  const json = async (/** @type {string} */ path) => JSON.parse(await readFile(join(root, path), 'utf8'));
  return { root, git, release, json };
}

describe('npm run release', () => {
  it('sets the version of every package, the crate and the lock files, and tags a clean tree', async () => {
    const { root, git, release, json } = await clone();
    const { version: before } = await json('package.json');
    const version = nextVersion(before, 'minor');
    await release('minor');

    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('describe', '--exact-match')).toBe(`v${version}`);
    expect(await git('log', '-1', '--format=%s')).toBe(`chore(release): ${version}`);
    for (const name of await readdir(join(root, 'npm'))) {
      expect((await json(`npm/${name}/package.json`)).version, name).toBe(version);
    }
    expect((await json('npm/tgp/package.json')).dependencies).toEqual({ '@tgp/core': version });
    expect((await json('package.json')).version).toBe(version);
    const lock = await json('package-lock.json');
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
    expect(await readFile(join(root, 'Cargo.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
    expect(await readFile(join(root, 'Cargo.lock'), 'utf8')).toContain(`name = "tgp-core"\nversion = "${version}"\n`);
    expect(await readFile(join(root, 'binding.cjs'), 'utf8')).not.toContain(`'${before}'`);

    const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(
      new RegExp(`^# Changelog\n\n## Unreleased\n\n## ${version} \\(\\d{4}-\\d\\d-\\d\\d\\)\n\n`),
    );
    const { stdout: notes } = await release('--notes', `v${version}`);
    expect(changelog).toContain(notes.trim());
  });

  it('changes nothing but versions and the changelog', async () => {
    const { root, git, release } = await clone();
    const crates = [...(await readFile(join(root, 'Cargo.lock'), 'utf8')).matchAll(/^name = "tgp-/gm)].length;
    await release('2.0.0-beta.1');
    const changed = await git('diff', '--numstat', 'HEAD~1');
    for (const line of changed.split('\n')) {
      const [added, removed, path] = line.split('\t');
      if (path === 'binding.cjs') continue;
      // Every crate of the workspace has a version in Cargo.lock.
      const most = path === 'Cargo.lock' ? 2 * crates : 4;
      expect(Number(added) + Number(removed), path).toBeLessThanOrEqual(most);
    }
  });

  it('only prints its plan with --dry-run', async () => {
    const { git, release } = await clone();
    const head = await git('rev-parse', 'HEAD');
    const { stdout } = await release('major', '--dry-run');
    expect(stdout).toMatch(/^Would release \d+\.0\.0 \(now /);
    expect(stdout).toContain('  npm/tgp/package.json\n');
    expect([await git('rev-parse', 'HEAD'), await git('tag'), await git('status', '--porcelain')]).toEqual([
      head,
      '',
      '',
    ]);
  });

  it('refuses a modified tree, an existing tag, and an invalid version', async () => {
    const { root, git, release } = await clone();
    await writeFile(join(root, 'scribble.txt'), 'mine');
    await expect(release('patch')).rejects.toMatchObject({ stderr: expect.stringContaining('scribble.txt') });
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'scribble');
    await git('tag', 'v3.0.0');
    await expect(release('3.0.0')).rejects.toMatchObject({ stderr: 'The tag v3.0.0 already exists.\n' });
    await expect(release('huge')).rejects.toMatchObject({ stderr: expect.stringContaining('patch, minor or major') });
    await expect(release()).rejects.toMatchObject({ stderr: expect.stringContaining('Usage:') });
    await release('3.0.1');
    await expect(release('patch')).rejects.toMatchObject({
      stderr: expect.stringContaining('nothing under "Unreleased"'),
    });
  });
});

describe('npm run release refuses', () => {
  it('another branch, and a branch that is behind the remote', async () => {
    const { root, git, release } = await clone();
    const head = await git('rev-parse', 'HEAD');
    await git('switch', '--quiet', '--create', 'feature');
    await expect(release('patch')).rejects.toMatchObject({
      stderr: 'Releases are created on the branch main; the current branch is feature.\n',
    });
    await git('switch', '--quiet', 'main');
    const remote = await tempRoot();
    await exec('git', ['clone', '--quiet', '--bare', root, remote]);
    await git('remote', 'add', 'origin', remote);
    await writeFile(join(root, 'more.txt'), 'more');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'more');
    await git('push', '--quiet', 'origin', 'main');
    await git('reset', '--quiet', '--hard', head);
    await expect(release('patch')).rejects.toMatchObject({
      stderr: 'origin has commits of main that are missing here. Pull them first.\n',
    });
    await git('pull', '--quiet', 'origin', 'main');
    const { stdout } = await release('patch');
    const tag = await git('describe', '--exact-match');
    expect(stdout).toContain(`"git push --atomic origin main ${tag}" publishes it.`);
  });

  it.each(['01.2.3', '1.0.0-..', '0.0.1'])('%s, which is not a version or is older', async (wanted) => {
    const { git, release } = await clone();
    await expect(release(wanted)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/neither|older/) });
    expect(await git('tag')).toBe('');
  });

  it('with the message of Git if Git fails, and restores the tree', async () => {
    const { root, git, release } = await clone();
    const hook = join(root, '.git', 'hooks', 'pre-commit');
    await mkdir(join(root, '.git', 'hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\necho "no releases on Fridays" >&2\nexit 1\n', { mode: 0o755 });
    await expect(release('patch')).rejects.toMatchObject({ stderr: '"git commit" failed: no releases on Fridays\n' });
    expect([await git('status', '--porcelain'), await git('tag')]).toEqual(['', '']);
    await rm(hook);
    const head = await git('rev-parse', 'HEAD');
    await git('config', 'tag.gpgSign', 'true');
    await git('config', 'gpg.program', '/bin/false');
    await expect(release('patch')).rejects.toMatchObject({ stderr: expect.stringMatching(/^"git tag" failed: /) });
    expect([await git('status', '--porcelain'), await git('rev-parse', 'HEAD')]).toEqual(['', head]);
  });

  it('a folder without Git, in one line', async () => {
    const { root, release } = await clone();
    await rm(join(root, '.git'), { recursive: true });
    // Otherwise Git prints a second line if the temporary folder is a mount point.
    vi.stubEnv('GIT_DISCOVERY_ACROSS_FILESYSTEM', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(release('patch')).rejects.toMatchObject({
      stderr: expect.stringMatching(/^"git rev-parse" failed: .*\n$/),
    });
  });
});

describe('the changelog', () => {
  it('includes the changes of its previews in a version', () => {
    const text =
      '# Changelog\n\n## Unreleased\n\n## 0.2.0-rc.1 (2026-01-02)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n';
    const nothingNew = releasedChangelog(text, '0.2.0', '2026-02-02');
    expect(releaseNotes(nothingNew, '0.2.0')).toBe('- New.\n');
    const more = text.replace('## Unreleased\n', '## Unreleased\n\n- Mended.\n');
    expect(releaseNotes(releasedChangelog(more, '0.2.0', '2026-02-02'), '0.2.0')).toBe('- Mended.\n- New.\n');
    expect(releaseNotes(nothingNew, '0.2.0-rc.1')).toBe('- New.\n');
  });

  it('keeps older versions below', () => {
    const text = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n';
    const released = releasedChangelog(text, '0.2.0', '2026-02-02');
    expect(released).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-02)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n',
    );
    expect(releaseNotes(released, '0.2.0')).toBe('- New.\n');
    expect(() => releaseNotes(released, '0.3.0')).toThrow('has no entry for version 0.3.0');
  });

  it.each([
    ['0.1.0', 'patch', '0.1.1'],
    ['0.1.9', 'minor', '0.2.0'],
    ['0.9.9', 'major', '1.0.0'],
    ['1.0.0-rc.1', '1.0.0', '1.0.0'],
    ['0.1.0', '0.1.0', '0.1.0'],
  ])('%s, %s: %s', (current, wanted, next) => {
    expect(nextVersion(current, wanted)).toBe(next);
  });

  it('requires an explicit version after a preview', () => {
    expect(() => nextVersion('1.0.0-rc.1', 'patch')).toThrow('Give the next version explicitly');
  });
});
