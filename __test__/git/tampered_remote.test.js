import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareRemote, git, SOUND, soundness } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { pipe, remoteWithCommit } from '../helpers/planted.js';

const MAX_MB = 200;
const SOON_MS = 20_000;
const WRITE = `
  const { persisted, problem } = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
  return { persisted, problem };
`;

/** Files of the remote, each replaced with a pipe, damage or excess. @type {Record<string, (copy: string, id: string) => void>} */
const REPLACEMENTS = {
  HEAD: (copy) => pipe(join(copy, 'HEAD')),
  config: (copy) => pipe(join(copy, 'config')),
  'packed-refs': (copy) => pipe(join(copy, 'packed-refs')),
  'a branch': (copy) => pipe(join(copy, 'refs/heads/other')),
  'an object': (copy, id) => pipe(join(copy, 'objects', id.slice(0, 2), id.slice(2))),
  alternates: (copy) => pipe(join(copy, 'objects/info/alternates')),
  'the log of a branch': (copy) => {
    mkdirSync(join(copy, 'logs/refs/heads'), { recursive: true });
    pipe(join(copy, 'logs/refs/heads/main'));
  },
  'the commit graph': (copy) => pipe(join(copy, 'objects/info/commit-graph')),
  'the multi-pack index': (copy) => pipe(join(copy, 'objects/pack/multi-pack-index')),
  'a pack index': (copy) => {
    writeFileSync(join(copy, 'objects/pack/pack-1.pack'), 'PACK');
    pipe(join(copy, 'objects/pack/pack-1.idx'));
  },
  'the configuration of a worktree': (copy) => {
    git(copy, 'config', 'core.repositoryFormatVersion', '1');
    git(copy, 'config', 'extensions.worktreeConfig', 'true');
    pipe(join(copy, 'config.worktree'));
  },
  'the log of HEAD': (copy) => {
    mkdirSync(join(copy, 'logs'), { recursive: true });
    pipe(join(copy, 'logs/HEAD'));
  },
  'the target of HEAD': (copy) => {
    writeFileSync(join(copy, 'HEAD'), 'ref: refs/heads/alias\n');
    writeFileSync(join(copy, 'refs/heads/alias'), 'ref: refs/other/pipe\n');
    mkdirSync(join(copy, 'refs/other'));
    pipe(join(copy, 'refs/other/pipe'));
  },
  'an included file': (copy) => {
    pipe(join(copy, 'pipe'));
    writeFileSync(join(copy, 'config'), `[core]\n\tbare = true\n[Include]\n\tpath = pipe\n`);
  },
  'packed-refs of 40 MB': (copy, id) => {
    writeFileSync(join(copy, 'packed-refs'), `${id} refs/heads/${'x'.repeat(1000)}\n`.repeat(40_000));
  },
  'a damaged pack index': (copy) => {
    writeFileSync(
      join(copy, 'objects/pack/pack-1.idx'),
      Buffer.concat([Buffer.from('ff744f6300000002', 'hex'), Buffer.alloc(2000, 255)]),
    );
    writeFileSync(join(copy, 'objects/pack/pack-1.pack'), 'PACK');
  },
};

describe('a path remote that was tampered with', () => {
  it('cannot refer to the objects of another repository', async () => {
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
    expect(alternate.error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/borrows objects.*git repack -a -d/),
    });
    rmSync(join(remote, 'objects'), { recursive: true });
    symlinkSync(join(other, 'objects'), join(remote, 'objects'));
    const linked = await probe({ rootDir: join(folder, 'b'), git: { repo: remote } });
    expect(linked.error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/'objects' or 'refs' is not a folder/),
    });
  });

  it('is not written through links, and its hooks are not run', async () => {
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

  it('is not written through links in subfolders', async () => {
    const { folder, remote } = await remoteWithCommit();
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    /** @type {Record<string, (copy: string) => void>} */
    const cases = {
      'folders of objects': (copy) => {
        for (let byte = 0; byte < 256; byte++) {
          const name = join(copy, 'objects', byte.toString(16).padStart(2, '0'));
          if (!existsSync(name)) symlinkSync(outside, name);
        }
      },
      'a folder of branches': (copy) => symlinkSync(outside, join(copy, 'refs/heads/tgp')),
      'a folder of logs': (copy) => {
        mkdirSync(join(copy, 'logs/refs/heads'), { recursive: true });
        symlinkSync(outside, join(copy, 'logs/refs/heads/tgp'));
      },
    };
    for (const [name, plant] of Object.entries(cases)) {
      const copy = join(folder, `copy ${name}`);
      cpSync(remote, copy, { recursive: true });
      plant(copy);
      const config = { rootDir: join(folder, `root ${name}`), git: { repo: copy, branch: 'tgp/x' } };
      const { value } = await probe(config, { work: WRITE });
      expect(value, name).toMatchObject({ persisted: 'local', problem: /is a link/ });
      expect(readdirSync(outside), name).toEqual([]);
    }
  });

  it.each(Object.keys(REPLACEMENTS))('boots or fails soon with a tampered file: %s', async (name) => {
    const { folder, remote } = await remoteWithCommit();
    REPLACEMENTS[name]?.(remote, git(remote, 'rev-parse', 'main'));
    const report = await probe({ rootDir: join(folder, 'root'), git: { repo: remote } }, { work: WRITE });
    expect([null, 'ERR_GIT']).toContain(report.error?.code ?? null);
    expect(report.ms).toBeLessThan(SOON_MS);
    expect(report.peakMb).toBeLessThan(MAX_MB);
  });
});

describe('a path remote with very many packs', () => {
  it('is read, although not all packs can be open at a time', async () => {
    const { folder, remote } = await bareRemote();
    const commits = Array.from({ length: 90 }, (_, index) => {
      const text = `content ${index}`;
      return `commit refs/heads/main\ncommitter P <p@example.org> ${index} +0000\ndata 1\nx\nM 644 inline f${index}\ndata ${text.length}\n${text}\n\ncheckpoint\n`;
    });
    execFileSync('git', ['-C', remote, '-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], {
      input: commits.join('\n'),
    });
    const packs = readdirSync(join(remote, 'objects/pack')).filter((name) => name.endsWith('.idx'));
    expect(packs.length).toBeGreaterThan(64);
    const rootDir = join(folder, 'root');
    const { error, files, ms } = await probe({ rootDir, git: { repo: remote } });
    expect(error).toBeNull();
    expect(files).toHaveLength(90);
    expect(ms).toBeLessThan(SOON_MS);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('with empty indexes of 8 MB is read within the memory limit', async () => {
    const { folder, remote } = await remoteWithCommit();
    git(remote, 'repack', '-q', '-a', '-d');
    const first = Number.parseInt(git(remote, 'rev-parse', 'main').slice(0, 2), 16);
    const count = Math.floor((8 << 20) / 20);
    const start = Buffer.alloc(8 + 256 * 4);
    start.write('ff744f6300000002', 'hex');
    for (let byte = first; byte < 256; byte++) start.writeUInt32BE(count, 8 + byte * 4);
    for (let index = 0; index < 100; index++) {
      const file = join(remote, `objects/pack/pack-${String(index).padStart(40, '0')}`);
      writeFileSync(`${file}.pack`, 'PACK');
      writeFileSync(`${file}.idx`, start);
      truncateSync(`${file}.idx`, start.length + count * 28);
    }
    const { error, files, peakMb, ms } = await probe({ rootDir: join(folder, 'root'), git: { repo: remote } });
    expect(error).toBeNull();
    expect(files).toEqual(['f.txt']);
    expect(peakMb).toBeLessThan(MAX_MB);
    expect(ms).toBeLessThan(SOON_MS);
  });
});
