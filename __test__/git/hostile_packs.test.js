import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { git } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { serve, WAYS } from '../helpers/hostile_remote.js';
import { howOften } from '../helpers/how_often.js';
import { commitBytes, deltaNumber, objectId, PackBytes, repeatDelta, treeBytes } from '../helpers/pack_bytes.js';
import { tempRoot } from '../helpers/temp_root.js';

const MAX_MB = 200;
const MB = 1 << 20;
/** Versions of a file of 12 MB, each a delta on the one before. */
const VERSIONS = howOften({ usual: 16, long: 50 });
/** The object id of a file of 1 536 MB of zeros. */
const ZEROS = '27c2617287ce2ce733c5d690c6942c070c4280f5';

/**
 * A compressed stream of zeros: the same part repeated.
 * @param {number} megabytes
 */
function zeros(megabytes) {
  const part = deflateRawSync(Buffer.alloc(MB), { finishFlush: constants.Z_FULL_FLUSH });
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(((megabytes * MB) % 65_521) * 65_536 + 1);
  const end = Buffer.from([1, 0, 0, 0xff, 0xff]);
  return Buffer.concat([Buffer.from([0x78, 1]), ...Array(megabytes).fill(part), end, sum]);
}

/**
 * Adds a commit with one small file and the given entries.
 * @param {PackBytes} pack
 * @param {[string, string, string][]} entries
 */
function commitWith(pack, entries) {
  const good = pack.add('blob', Buffer.from('good'));
  const tree = pack.add('tree', treeBytes([...entries, ['100644', 'z.txt', good]]));
  return pack.add('commit', commitBytes(tree));
}

/**
 * Boots from a remote with this pack.
 * @param {import('../helpers/hostile_remote.js').Way} way
 * @param {PackBytes | Buffer} pack
 * @param {string} tip
 * @param {{ config?: object, work?: string }} [options]
 */
async function boot(way, pack, tip, { config = {}, work } = {}) {
  const remote = await serve(way, pack instanceof PackBytes ? pack.toBuffer() : pack, tip);
  const rootDir = join(await tempRoot(), 'root');
  const base = { rootDir, git: { repo: remote.repo } };
  const report = await probe(
    { ...base, ...config, git: { ...base.git, .../** @type {any} */ (config).git } },
    { env: remote.env, work },
  );
  return { ...report, rootDir, remote, again: () => probe(base, { env: remote.env }) };
}

/** Expects no object of a refused pack. @param {string} rootDir */
function expectNothingKept(rootDir) {
  expect(git(rootDir, 'for-each-ref')).toBe('');
  expect(git(rootDir, 'count-objects', '-v')).toMatch(/^count: 0\n.*\nin-pack: 0.*\ngarbage: 0/s);
}

describe.each(WAYS)('a file in a pack that is larger than fs.fileBytes, by %s', (way) => {
  it('stays in the history, and a warning names it', async () => {
    const pack = new PackBytes();
    const large = pack.add('blob', Buffer.alloc(3 * MB, 'a'));
    const tip = commitWith(pack, [['100644', 'large.txt', large]]);
    const { error, files, warnings, peakMb, rootDir, value, again } = await boot(way, pack, tip, {
      work: `
        const { persisted } = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
        const log = await kernel.git.log('large.txt');
        const diff = await kernel.git.diff('large.txt', { to: log[0].commit });
        const revert = await kernel.git.revert('large.txt', log[0].commit).catch(({ code, message }) => ({ code, message }));
        return { log: log.length, diff: diff.length, revert };
      `,
    });
    expect(error).toBeNull();
    expect(files).toEqual(['z.txt']);
    expect(warnings).toEqual([expect.stringContaining("'large.txt' (larger than fs.fileBytes)")]);
    expect(value).toMatchObject({
      log: 1,
      revert: { code: 'ERR_LIMIT', message: expect.stringMatching(/fs\.fileBytes/) },
    });
    expect(peakMb).toBeLessThan(MAX_MB);
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
    expect(git(rootDir, 'cat-file', '-s', 'HEAD:large.txt')).toBe(String(3 * MB));
    git(rootDir, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress');
    expect((await again()).error).toBeNull();
    const raised = await probe(
      { rootDir: join(await tempRoot(), 'raised'), git: { repo: rootDir }, fs: { fileBytes: 4 * MB } },
      {},
    );
    expect(raised.files).toContain('large.txt');
  });
});

describe.each(/** @type {const} */ (['http', 'ssh']))('a file of 1.5 GB in a pack, by %s', (way) => {
  it('exceeds the limit before it is unpacked', async () => {
    const pack = new PackBytes();
    pack.addRaw(3, 1536 * MB, zeros(1536));
    const tip = commitWith(pack, [['100644', 'bomb', ZEROS]]);
    const { error, peakMb, rootDir } = await boot(way, pack, tip);
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/a file or folder of more than 16777216 bytes; raise fs\.fileBytes/),
      details: { key: 'fs.fileBytes' },
    });
    expect(peakMb).toBeLessThan(MAX_MB);
    expectNothingKept(rootDir);
  });
});

describe('the limits of a pack', () => {
  it('refuse a loose and a packed file of 64 MB, by path', async () => {
    const folder = await tempRoot();
    const repo = join(folder, 'work');
    git(folder, 'init', '-q', '-b', 'main', repo);
    execFileSync('sh', ['-c', `head -c ${64 * MB} /dev/zero > ${repo}/zeros`]);
    git(repo, '-c', 'core.bigFileThreshold=1g', 'add', '-A');
    git(repo, 'commit', '-q', '-m', 'zeros');
    for (const packed of [false, true]) {
      if (packed) git(repo, 'repack', '-q', '-a', '-d');
      const rootDir = join(await tempRoot(), 'root');
      const { error, peakMb } = await probe({ rootDir, git: { repo } });
      expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/fs\.fileBytes/) });
      expect(peakMb).toBeLessThan(MAX_MB);
    }
  });

  it.each(/** @type {const} */ (['http', 'ssh']))(
    'refuse a small delta on a huge base, and a delta that claims a huge result, by %s',
    async (way) => {
      for (const make of ['huge base', 'huge claim']) {
        const pack = new PackBytes();
        const data = Buffer.alloc(15 * MB);
        const base = pack.end;
        pack.add('blob', data);
        // 15 MB, then 225 MB, then one byte of them.
        const grown = pack.addDelta(base, repeatDelta(data.length, make === 'huge base' ? 15 : 1));
        const claim = Buffer.concat([deltaNumber(data.length * 15), deltaNumber(2 ** 40), Buffer.from([0x90, 1])]);
        const shrunk = Buffer.concat([deltaNumber(data.length * 15), deltaNumber(1), Buffer.from([0x90, 1])]);
        pack.addDelta(grown, make === 'huge base' ? shrunk : claim);
        const tip = commitWith(pack, [['100644', 'b', objectId('blob', Buffer.alloc(1))]]);
        const { error, peakMb } = await boot(way, pack, tip);
        expect(error, make).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/fs\.fileBytes/) });
        expect(peakMb, make).toBeLessThan(MAX_MB);
      }
    },
  );

  it('refuse a small file that is a delta on a huge unreachable object, by path', async () => {
    const folder = await tempRoot();
    const repo = join(folder, 'remote.git');
    git(folder, 'init', '-q', '--bare', '-b', 'main', repo);
    const pack = new PackBytes();
    const huge = Buffer.alloc(64 * MB);
    const base = pack.end;
    pack.add('blob', huge);
    pack.addDelta(base, Buffer.concat([deltaNumber(huge.length), deltaNumber(1), Buffer.from([0x90, 1])]));
    const tip = commitWith(pack, [['100644', 'b', objectId('blob', Buffer.alloc(1))]]);
    execFileSync('git', ['-C', repo, 'index-pack', '--stdin'], {
      input: pack.toBuffer(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    git(repo, 'update-ref', 'refs/heads/main', tip);
    const { error, peakMb } = await probe({ rootDir: join(folder, 'root'), git: { repo } });
    expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/fs\.fileBytes/) });
    expect(peakMb).toBeLessThan(MAX_MB);
  });

  it('refuse very long chains of deltas, and long chains of large ones', async () => {
    const long = new PackBytes();
    let at = long.end;
    let content = Buffer.from('x');
    long.add('blob', content);
    for (let link = 0; link < 5000; link++) {
      at = long.addDelta(at, repeatDelta(content.length, 1, Buffer.from('y')));
      content = Buffer.concat([content, Buffer.from('y')]);
    }
    const longTip = commitWith(long, [['100644', 'b', objectId('blob', content)]]);
    const wide = new PackBytes();
    const large = Buffer.alloc(15 * MB);
    at = wide.end;
    wide.add('blob', large);
    for (let link = 0; link < 75; link++) at = wide.addDelta(at, repeatDelta(large.length, 1));
    const wideTip = commitWith(wide, []);
    for (const [pack, tip] of /** @type {[PackBytes, string][]} */ ([
      [long, longTip],
      [wide, wideTip],
    ])) {
      const { error, peakMb, rootDir } = await boot('http', pack, tip);
      expect(error).toMatchObject({
        code: 'ERR_GIT',
        message: expect.stringMatching(/deltas or \d+ bytes away from its base/),
      });
      expect(peakMb).toBeLessThan(MAX_MB);
      expectNothingKept(rootDir);
    }
  });

  it('refuse a pack that is small packed and too large unpacked', async () => {
    const pack = new PackBytes();
    for (let index = 0; index < 10; index++) pack.addRaw(3, 15 * MB, zeros(15));
    const tip = commitWith(pack, []);
    const { error, peakMb } = await boot('http', pack, tip, { config: { git: { fetchBytes: 4 * MB } } });
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/more than 134217728 bytes unpacked; raise git\.fetchBytes/),
    });
    expect(peakMb).toBeLessThan(MAX_MB);
  });

  it('refuse a pack with too many objects', async () => {
    const pack = new PackBytes();
    const tip = commitWith(pack, []);
    for (let index = 0; index < 1000; index++) pack.add('blob', Buffer.from(String(index)));
    for (const [bytes, fetchBytes, most] of /** @type {const} */ ([
      [pack.toBuffer({ count: 4_000_000_000 }), 128 * MB, 262_144],
      [pack.toBuffer(), MB / 4, 512],
    ])) {
      const { error, peakMb, rootDir } = await boot('http', bytes, tip, { config: { git: { fetchBytes } } });
      expect(error).toMatchObject({
        code: 'ERR_GIT',
        message: expect.stringContaining(`more than ${most} objects; raise git.fetchBytes`),
      });
      expect(peakMb).toBeLessThan(MAX_MB);
      expectNothingKept(rootDir);
    }
  });

  it('allow twenty thousand files, within the memory limit', async () => {
    const pack = new PackBytes();
    const ids = Array.from({ length: 20_000 }, (_, index) => pack.add('blob', Buffer.from(String(index))));
    const folders = [];
    for (let at = 0; at < ids.length; at += 1000) {
      const entries = ids
        .slice(at, at + 1000)
        .map((id, index) => /** @type {[string, string, string]} */ (['100644', `f${index}`, id]));
      folders.push(pack.add('tree', treeBytes(entries)));
    }
    const tip = commitWith(
      pack,
      folders.map((id, index) => ['40000', `d${index}`, id]),
    );
    const { error, files, peakMb, rootDir } = await boot('http', pack, tip);
    expect(error).toBeNull();
    expect(files).toHaveLength(20_001);
    expect(peakMb).toBeLessThan(MAX_MB);
    expect(readFileSync(join(rootDir, 'd19/f999'), 'utf8')).toBe('19999');
  });

  it('refuse a folder with a million names', async () => {
    const pack = new PackBytes();
    const blob = pack.add('blob', Buffer.from('x'));
    const name = (index) => `f${String(index).padStart(7, '0')}`;
    for (const [count, message] of /** @type {const} */ ([
      [1_000_000, /a file or folder of more than 16777216 bytes/],
      [300_000, /more than 100000 files at once/],
    ])) {
      const entry = treeBytes([['100644', name(0), blob]]);
      const tree = Buffer.alloc(entry.length * count);
      for (let index = 0; index < count; index++) {
        entry.copy(tree, index * entry.length);
        tree.write(name(index), index * entry.length + 7, 'latin1');
      }
      const bytes = new PackBytes();
      bytes.add('blob', Buffer.from('x'));
      const tip = bytes.add('commit', commitBytes(bytes.add('tree', tree)));
      const { error, peakMb, rootDir } = await boot('http', bytes, tip);
      expect(error).toMatchObject({ code: 'ERR_GIT', message });
      expect(peakMb).toBeLessThan(MAX_MB);
      expect(existsSync(join(rootDir, name(0)))).toBe(false);
    }
  });

  it('refuse a commit message or tag of many megabytes, and a commit with too many parents', async () => {
    const cases = {
      message: (pack, tree) => pack.add('commit', commitBytes(tree, { message: 'm'.repeat(3 * MB) })),
      tag: (pack, tree) => {
        const tip = pack.add('commit', commitBytes(tree));
        pack.add('tag', Buffer.from(`object ${tip}\ntype commit\ntag v1\n\n${'t'.repeat(3 * MB)}`));
        return tip;
      },
      parents: (pack, tree) => {
        const parent = pack.add('commit', commitBytes(tree));
        return pack.add('commit', commitBytes(tree, { parents: Array(5000).fill(parent) }));
      },
    };
    for (const [name, make] of Object.entries(cases)) {
      const pack = new PackBytes();
      const tip = make(pack, pack.add('tree', treeBytes([['100644', 'f', pack.add('blob', Buffer.from('x'))]])));
      const { error, peakMb } = await boot('http', pack, tip);
      expect(error, name).toMatchObject({
        code: 'ERR_GIT',
        message: expect.stringMatching(/commit or tag of more than|more than 1024 parents/),
      });
      expect(peakMb, name).toBeLessThan(MAX_MB);
    }
  });

  it('refuse files that together exceed fs.rootBytes, before one is written', async () => {
    const pack = new PackBytes();
    const blob = pack.add('blob', Buffer.alloc(MB, 'a'));
    const tip = commitWith(
      pack,
      Array.from({ length: 40 }, (_, index) => ['100644', `copy${index}`, blob]),
    );
    const { error, rootDir } = await boot('http', pack, tip, { config: { fs: { rootBytes: 32 * MB } } });
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/more than 33554432 bytes; raise fs\.rootBytes/),
    });
    expect(existsSync(join(rootDir, 'copy0'))).toBe(false);
  });
});

describe('a pack with valid deltas', () => {
  it('by object id or by offset, in any order, is resolved to the same objects', async () => {
    const pack = new PackBytes();
    const base = Buffer.from('base content that is long enough\n'.repeat(20));
    const next = Buffer.concat([base, Buffer.from('next')]);
    const last = Buffer.concat([next, Buffer.from('last')]);
    // The last comes first: its base has only an object id, and is itself a delta.
    pack.addNamedDelta(objectId('blob', next), repeatDelta(next.length, 1, Buffer.from('last')));
    pack.addNamedDelta(objectId('blob', base), repeatDelta(base.length, 1, Buffer.from('next')));
    pack.add('blob', base);
    const tip = commitWith(pack, [
      ['100644', 'last', objectId('blob', last)],
      ['100644', 'next', objectId('blob', next)],
    ]);
    for (const filler of [0, 200]) {
      for (let index = 0; index < filler; index++) pack.add('blob', Buffer.from(`filler ${index}`));
      const { error, rootDir } = await boot('http', pack, tip);
      expect(error).toBeNull();
      expect(readFileSync(join(rootDir, 'last'))).toEqual(last);
      expect(readFileSync(join(rootDir, 'next'))).toEqual(next);
      expect(git(rootDir, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress')).toBe('');
    }
  });

  it(`of a large file with ${VERSIONS} versions, each on the one before, is accepted`, async () => {
    const pack = new PackBytes();
    const start = Buffer.alloc(12 * MB);
    let at = pack.end;
    pack.add('blob', start);
    for (let link = 0; link < VERSIONS; link++) {
      at = pack.addDelta(at, repeatDelta(start.length + link, 1, Buffer.from('y')));
    }
    const last = objectId('blob', Buffer.concat([start, Buffer.alloc(VERSIONS, 'y')]));
    const tip = commitWith(pack, [['100644', 'large', last]]);
    const { error, files, warnings, peakMb } = await boot('http', pack, tip);
    expect(error).toBeNull();
    expect(files).toEqual(['z.txt']);
    expect(warnings).toEqual([expect.stringContaining("'large' (larger than fs.fileBytes)")]);
    expect(peakMb).toBeLessThan(MAX_MB);
  });

  it.each(WAYS)('of a long history is complete, and stored compactly, by %s', async (way) => {
    const folder = await tempRoot();
    const source = join(folder, 'source.git');
    git(folder, 'init', '-q', '--bare', '-b', 'main', source);
    const commits = Array.from({ length: 300 }, (_, index) => {
      const content = `line ${index % 7}\n`.repeat(50) + index;
      return `commit refs/heads/main\ncommitter P <p@example.org> ${index} +0000\ndata 1\nx\nM 644 inline d/f${index % 40}.txt\ndata ${content.length}\n${content}\n`;
    });
    execFileSync('git', ['-C', source, 'fast-import', '--quiet'], { input: commits.join('') });
    git(source, 'repack', '-q', '-a', '-d', '-f', '--depth=50');
    const tip = git(source, 'rev-parse', 'main');
    const pack = execFileSync(
      'git',
      ['-C', source, 'pack-objects', '--stdout', '--revs', '--delta-base-offset', '-q'],
      {
        input: 'main\n',
        maxBuffer: 64 * MB,
      },
    );
    const { error, rootDir } = await boot(way, pack, tip);
    expect(error).toBeNull();
    expect(git(rootDir, 'rev-list', '--objects', '--all', '--count')).toBe(
      git(source, 'rev-list', '--objects', '--all', '--count'),
    );
    expect(git(rootDir, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress')).toBe('');
    const [, kilobytes] = /size-pack: (\d+)/.exec(git(rootDir, 'count-objects', '-v')) ?? [];
    expect(Number(kilobytes) * 1024).toBeLessThan(pack.length * 2 + 65_536);
  });
});
