import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareRemote, clone, git, SOUND, soundness } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { tempRoot } from '../helpers/temp_root.js';

const MOST_MB = 200;
const SOON_MS = 20_000;
const WRITE = `
  const { persisted, problem } = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
  return { persisted, problem };
`;

/** A remote with one commit. */
async function remoteWithCommit() {
  const { folder, remote } = await bareRemote();
  const work = clone(folder, remote);
  writeFileSync(join(work, 'f.txt'), 'content');
  git(work, 'add', '-A');
  git(work, 'commit', '-q', '-m', 'start');
  git(work, 'push', '-q', 'origin', 'HEAD:main');
  return { folder, remote, work };
}

/** @param {string} path */
const pipe = (path) => {
  rmSync(path, { force: true, recursive: true });
  execFileSync('mkfifo', [path]);
};

describe('a path remote that was tampered with', () => {
  it('is not followed to the objects of another repository', async () => {
    const { folder, remote } = await remoteWithCommit();
    const other = join(folder, 'other.git');
    renameSync(join(remote, 'objects'), join(folder, 'objects-of-other'));
    mkdirSync(other);
    renameSync(join(folder, 'objects-of-other'), join(other, 'objects'));
    mkdirSync(join(remote, 'objects/info'), { recursive: true });
    mkdirSync(join(remote, 'objects/pack'));
    writeFileSync(join(remote, 'objects/info/alternates'), `${other}/objects\n`);
    expect(git(remote, 'cat-file', '-t', 'main')).toBe('commit');
    const alternate = await probe({ rootDir: join(folder, 'a'), git: { repo: remote } });
    expect(alternate.error).toMatchObject({ code: 'ERR_GIT', message: /borrows objects.*git repack -a -d/ });
    rmSync(join(remote, 'objects'), { recursive: true });
    symlinkSync(join(other, 'objects'), join(remote, 'objects'));
    const linked = await probe({ rootDir: join(folder, 'b'), git: { repo: remote } });
    expect(linked.error).toMatchObject({ code: 'ERR_GIT', message: /'objects' or 'refs' is no folder/ });
  });

  it('has nothing written through its links, and runs nothing', async () => {
    const { folder, remote } = await remoteWithCommit();
    const secret = join(folder, 'secret.txt');
    writeFileSync(secret, 'untouched');
    for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction']) {
      writeFileSync(join(remote, 'hooks', hook), `#!/bin/sh\ntouch ${folder}/hook\n`, { mode: 0o755 });
    }
    git(remote, 'config', 'uploadpack.packObjectsHook', `touch ${folder}/hook;`);
    git(remote, 'config', 'core.fsmonitor', `touch ${folder}/hook`);
    for (const name of ['tgp-config', 'tgp-writer', 'tgp-queue']) {
      const copy = join(folder, `copy-${name}`);
      cpSync(remote, copy, { recursive: true });
      symlinkSync(secret, join(copy, name));
      const { error, value } = await probe({ rootDir: join(folder, name), git: { repo: copy } }, { work: WRITE });
      expect(error, name).toBeNull();
      expect(value, name).toMatchObject({ persisted: 'local' });
      expect(readFileSync(secret, 'utf8'), name).toBe('untouched');
    }
    for (const name of ['refs/heads', 'objects/pack', 'logs']) {
      const copy = join(folder, `copy-${name.replace('/', '-')}`);
      cpSync(remote, copy, { recursive: true });
      const outside = join(folder, `outside-${name.replace('/', '-')}`);
      if (existsSync(join(copy, name))) cpSync(join(copy, name), outside, { recursive: true });
      else mkdirSync(outside);
      rmSync(join(copy, name), { recursive: true, force: true });
      symlinkSync(outside, join(copy, name));
      const { value } = await probe(
        { rootDir: join(folder, `root-${name.replace('/', '-')}`), git: { repo: copy } },
        { work: WRITE },
      );
      expect(value, name).toMatchObject({ persisted: 'local', problem: /is a link/ });
    }
    expect(() => readFileSync(join(folder, 'hook'))).toThrow('ENOENT');
  });

  it('with pipes and floods in the place of its files keeps nobody waiting', async () => {
    const { folder, remote } = await remoteWithCommit();
    const id = git(remote, 'rev-parse', 'main');
    /** @type {Record<string, (copy: string) => void>} */
    const cases = {
      HEAD: (copy) => pipe(join(copy, 'HEAD')),
      config: (copy) => pipe(join(copy, 'config')),
      'packed-refs': (copy) => pipe(join(copy, 'packed-refs')),
      'a branch': (copy) => pipe(join(copy, 'refs/heads/other')),
      'an object': (copy) => pipe(join(copy, 'objects', id.slice(0, 2), id.slice(2))),
      alternates: (copy) => pipe(join(copy, 'objects/info/alternates')),
      'the log of a branch': (copy) => {
        mkdirSync(join(copy, 'logs/refs/heads'), { recursive: true });
        pipe(join(copy, 'logs/refs/heads/main'));
      },
      'the graph of commits': (copy) => pipe(join(copy, 'objects/info/commit-graph')),
      'the index of all packs': (copy) => pipe(join(copy, 'objects/pack/multi-pack-index')),
      'an included file': (copy) => {
        pipe(join(copy, 'pipe'));
        writeFileSync(join(copy, 'config'), `[core]\n\tbare = true\n[Include]\n\tpath = pipe\n`);
      },
      'packed-refs of 40 MB': (copy) => {
        writeFileSync(join(copy, 'packed-refs'), `${id} refs/heads/${'x'.repeat(1000)}\n`.repeat(40_000));
      },
      'a damaged index of a pack': (copy) => {
        writeFileSync(
          join(copy, 'objects/pack/pack-1.idx'),
          Buffer.concat([Buffer.from('ff744f6300000002', 'hex'), Buffer.alloc(2000, 255)]),
        );
        writeFileSync(join(copy, 'objects/pack/pack-1.pack'), 'PACK');
      },
    };
    for (const [name, plant] of Object.entries(cases)) {
      const copy = join(folder, `copy ${name}`);
      cpSync(remote, copy, { recursive: true });
      plant(copy);
      const told = await probe({ rootDir: join(folder, `root ${name}`), git: { repo: copy } }, { work: WRITE });
      expect([null, 'ERR_GIT'], name).toContain(told.error?.code ?? null);
      expect(told.ms, name).toBeLessThan(SOON_MS);
      expect(told.peakMb, name).toBeLessThan(MOST_MB);
      rmSync(copy, { recursive: true });
    }
  });
});

describe('a root in which somebody left something', () => {
  it('boots or says what is wrong, whatever stands in the place of its own files', async () => {
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
    const told = await probe(
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
    const outcomes = /** @type {Record<string, { boot: string, write: string, ms: number }>} */ (told.value);
    expect(Object.keys(outcomes)).toHaveLength(40);
    for (const [name, { boot, write, ms }] of Object.entries(outcomes)) {
      expect(['booted', 'ERR_GIT', 'ERR_IO'], name).toContain(boot);
      expect(['', 'written', 'ERR_GIT', 'ERR_IO'], name).toContain(write);
      expect(ms, name).toBeLessThan(SOON_MS);
    }
    expect(readFileSync(secret, 'utf8')).toBe('untouched');
    expect(told.peakMb).toBeLessThan(MOST_MB);
  });

  it('with objects that are damaged fetches them again', async () => {
    const { folder, remote, work } = await remoteWithCommit();
    const rootDir = join(folder, 'root');
    expect((await probe({ rootDir, git: { repo: remote } })).error).toBeNull();
    writeFileSync(join(work, 'g.txt'), 'second');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'second');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    // The commit is here, as a killed fetch of an older version could have left it, and its parts are not.
    const commit = execFileSync('git', ['-C', work, 'cat-file', 'commit', 'HEAD']);
    execFileSync('git', ['-C', rootDir, 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], {
      input: commit,
    });
    const told = await probe({ rootDir, git: { repo: remote } });
    expect(told.error).toBeNull();
    expect(told.files).toContain('g.txt');
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});
