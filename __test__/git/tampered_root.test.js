import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, SOUND, soundness } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { pipe, remoteWithCommit } from '../helpers/planted.js';
import { tempRoot } from '../helpers/temp_root.js';

const MAX_MB = 200;
const SOON_MS = 20_000;
const WRITE = `
  const { persisted, problem } = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
  return { persisted, problem };
`;

describe('a root with tampered Git files', () => {
  it.each([
    ...['HEAD', 'config', 'index', 'packed-refs', 'config.worktree'].flatMap((name) => [
      [name, 'pipe'],
      [name, 'folder'],
    ]),
    ...['refs/heads/main', 'objects/pack/pack-1.idx', 'objects/info/alternates'].map((name) => [name, 'pipe']),
  ])('and a remote: boot fails at once and discards no commit, with %s as a %s', async (name, what) => {
    const { folder, remote } = await remoteWithCommit();
    const rootDir = join(folder, 'root');
    git(folder, 'clone', '-q', remote, rootDir);
    git(rootDir, 'commit', '-q', '--allow-empty', '-m', 'not pushed');
    const file = join(rootDir, '.git', name);
    pipe(file);
    if (what === 'folder') {
      rmSync(file);
      mkdirSync(file);
    }
    const { error, ms } = await probe({ rootDir, git: { repo: remote } });
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/is not a regular file, or is too large/),
    });
    expect(ms).toBeLessThan(SOON_MS);
    expect(readdirSync(folder).filter((other) => other.includes('broken-git'))).toEqual([]);
  });

  it('boots or fails with a typed error, whatever replaces the files of the kernel', async () => {
    const folder = await tempRoot();
    const secret = join(folder, 'secret.txt');
    writeFileSync(secret, 'untouched');
    const made = join(folder, 'made');
    expect((await probe({ rootDir: made }, { work: WRITE })).error).toBeNull();
    const garbage = Buffer.alloc(2 << 20, 0xfe);
    for (const name of [
      'tgp-writer',
      'tgp-queue',
      'tgp-redo',
      'tgp-config',
      'tgp-config-logged',
      'info/exclude',
      'packed-refs',
      'index',
      'HEAD',
      'config',
    ]) {
      for (const what of ['pipe', 'link', 'garbage', 'folder']) {
        const rootDir = join(folder, `${name.replace('/', '-')} ${what}`);
        cpSync(made, rootDir, { recursive: true });
        const file = join(rootDir, '.git', name);
        rmSync(file, { force: true });
        if (what === 'pipe') pipe(file);
        else if (what === 'link') symlinkSync(secret, file);
        else if (what === 'folder') mkdirSync(file);
        else writeFileSync(file, garbage);
      }
    }
    const report = await probe(
      { rootDir: join(folder, 'last') },
      {
        work: `
          const { readdirSync } = await import('node:fs');
          const silent = { debug() {}, info() {}, warn() {}, error() {} };
          const outcomes = {};
          for (const name of readdirSync(${JSON.stringify(folder)}).filter((name) => / (pipe|link|garbage|folder)$/.test(name))) {
            const other = new TGP({ config: { rootDir: ${JSON.stringify(folder)} + '/' + name, sandbox: { warm: 0 } }, logger: silent });
            const start = performance.now();
            const boot = await other.boot().then(() => 'booted', ({ code }) => code);
            const write = boot === 'booted'
              ? await tgpTools(other).write_file.execute({ path: 'tools/b.ts', content: 'return 2' }).then(() => 'written', ({ code }) => code)
              : '';
            await other.shutdown();
            outcomes[name] = { boot, write, ms: performance.now() - start };
          }
          return outcomes;
        `,
      },
    );
    const outcomes = /** @type {Record<string, { boot: string, write: string, ms: number }>} */ (report.value);
    expect(Object.keys(outcomes)).toHaveLength(40);
    for (const [name, { boot, write, ms }] of Object.entries(outcomes)) {
      expect(['booted', 'ERR_GIT', 'ERR_IO'], name).toContain(boot);
      expect(['', 'written', 'ERR_GIT', 'ERR_IO'], name).toContain(write);
      expect(ms, name).toBeLessThan(SOON_MS);
    }
    expect(readFileSync(secret, 'utf8')).toBe('untouched');
    expect(report.peakMb).toBeLessThan(MAX_MB);
  });

  it('and missing objects fetches them again', async () => {
    const { folder, remote, work } = await remoteWithCommit();
    const rootDir = join(folder, 'root');
    expect((await probe({ rootDir, git: { repo: remote } })).error).toBeNull();
    writeFileSync(join(work, 'g.txt'), 'second');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'second');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    // Only the commit is here, without its tree, as after a killed fetch of an older version.
    const commit = execFileSync('git', ['-C', work, 'cat-file', 'commit', 'HEAD']);
    execFileSync('git', ['-C', rootDir, 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], {
      input: commit,
    });
    const report = await probe({ rootDir, git: { repo: remote } });
    expect(report.error).toBeNull();
    expect(report.files).toContain('g.txt');
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});
