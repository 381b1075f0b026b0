import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, lockFiles } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { serve, WAYS } from '../helpers/hostile_remote.js';
import { commitBytes, objectId, PackBytes, repeatDelta, treeBytes } from '../helpers/pack_bytes.js';
import { tempRoot } from '../helpers/temp_root.js';

const MAX_MB = 200;
/** Enough for several folders of 16 MB at a time, but not for all of them. */
const SOME_FOLDERS_MB = 130;
const GOOD = 'export default () => 7\n';
const UNKNOWN_ID = '1'.repeat(40);

/** A write and a run after a boot, which show that the kernel works. */
const WORK = `
  const { persisted, problem } = await tools.write_file.execute({ path: 'tools/mine.ts', content: 'return 5' });
  const { result } = await tools.exec_tool.execute({ path: 'tools/mine.ts' });
  return { persisted, problem, result };
`;

/**
 * A pack with one commit of one tree.
 * @param {(pack: PackBytes, blob: string) => [string, string | Buffer, string][]} entries
 */
function packOf(entries) {
  const pack = new PackBytes();
  const tools = pack.add('tree', treeBytes([['100644', 'good.ts', pack.add('blob', Buffer.from(GOOD))]]));
  const odd = entries(pack, pack.add('blob', Buffer.from('odd')));
  const tree = pack.add('tree', treeBytes([...odd, ['40000', 'tools', tools]]));
  return { pack: pack.toBuffer(), tip: pack.add('commit', commitBytes(tree)), whole: () => pack.toBuffer() };
}

/** @param {string} rootDir */
const heads = (rootDir) =>
  existsSync(join(rootDir, '.git')) ? git(rootDir, 'for-each-ref', '--format=%(refname) %(objectname)') : '';

const MODES = [
  '100600',
  '104755',
  '777',
  '140000',
  '60000',
  '0',
  '100000',
  '100664',
  '7777777777777',
  '20000',
  '10000',
];

describe.each(WAYS)('a tree that Git would not write, by %s', (way) => {
  it('with invalid modes, names and orders stays in the history, and one warning names the omitted files', async () => {
    const { tip, whole } = packOf((_, blob) => [
      ...MODES.map((mode) => /** @type {[string, string, string]} */ ([mode, `mode-${mode}`, blob])),
      ['100644', '', blob],
      ['100644', 'twice', blob],
      ['100755', 'twice', blob],
      ['100644', 'a', blob],
      ['100644', '..', blob],
      ['100644', '.', blob],
      ['100644', '.git', blob],
      ['100644', '.GIT', blob],
      ['100644', 'git~1', blob],
      ['100644', 'tools/good.ts', blob],
      ['100644', Buffer.from([0xff, 0xfe]), blob],
      ['100644', 'x'.repeat(5000), blob],
      ['120000', 'link', blob],
      ['160000', 'module', UNKNOWN_ID],
    ]);
    const remote = await serve(way, whole(), tip);
    const rootDir = join(await tempRoot(), 'root');
    const first = await probe({ rootDir, git: { repo: remote.repo } }, { env: remote.env, work: WORK });
    expect(first.error).toBeNull();
    expect(first.files).toEqual([
      'a',
      ...['mode-100000', 'mode-100600', 'mode-100664', 'mode-104755'],
      'tools/good.ts',
      'twice',
    ]);
    expect(readFileSync(join(rootDir, 'tools/good.ts'), 'utf8')).toBe(GOOD);
    expect(first.warnings).toHaveLength(1);
    expect(first.warnings[0]).toMatch(/^Kept in the history, but not checked out: .+ and \d+ more\.$/);
    expect(first.warnings[0]?.length).toBeLessThan(1000);
    expect(first.value).toMatchObject({ result: 5 });
    expect(first.peakMb).toBeLessThan(MAX_MB);
    // The commit on top still has every invalid entry, byte by byte.
    const [before, after] = [tip, 'HEAD'].map((commit) => git(rootDir, 'cat-file', '-s', `${commit}^{tree}`));
    expect(Number(after) - Number(before)).toBe('100644 meta.json'.length + 1 + 20);
    expect(lockFiles(join(rootDir, '.git'))).toEqual([]);

    const second = await probe({ rootDir, git: { repo: remote.repo } }, { env: remote.env, work: WORK });
    expect(second.error).toBeNull();
    expect(second.value).toMatchObject({ result: 5 });
  });

  it('that names missing objects is refused, and nothing of it is kept', async () => {
    const { tip, whole } = packOf(() => [
      ['100644', 'missing', UNKNOWN_ID],
      ['40000', 'nowhere', UNKNOWN_ID.replace(/^./, '2')],
    ]);
    const remote = await serve(way, whole(), tip);
    const rootDir = join(await tempRoot(), 'root');
    for (const _ of [1, 2]) {
      const { error } = await probe({ rootDir, git: { repo: remote.repo } }, { env: remote.env });
      expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/all that its commits need/) });
      expect(heads(rootDir)).toBe('');
      expect(git(rootDir, 'count-objects', '-v')).toMatch(/^count: 0\n.*\nin-pack: 0/s);
    }
  });
});

/** @type {[import('../helpers/hostile_remote.js').Way, number][]} */
const DEPTHS = [
  ['path', 20_000],
  ['http', 100_000],
  ['ssh', 20_000],
];

describe.each(DEPTHS)('a tree fetched by %s, %i folders deep', (way, depth) => {
  it('exceeds a limit at every boot, and the local copy keeps working', async () => {
    const good = packOf(() => []);
    const remote = await serve(way, good.whole(), good.tip);
    const rootDir = join(await tempRoot(), 'root');
    const config = { rootDir, git: { repo: remote.repo } };
    expect((await probe(config, { env: remote.env })).error).toBeNull();
    const before = heads(rootDir);

    const deep = new PackBytes();
    let tree = deep.add('tree', treeBytes([['100644', 'f', deep.add('blob', Buffer.from('deep'))]]));
    for (let level = 0; level < depth; level++) tree = deep.add('tree', treeBytes([['40000', 'd', tree]]));
    const tip = deep.add('commit', commitBytes(tree, { parents: [good.tip] }));
    remote.replace(deep.toBuffer(), tip);
    for (const attempt of [1, 2]) {
      const again = await probe(config, { env: remote.env, work: WORK });
      expect(again.error, `boot ${attempt}`).toBeNull();
      expect(again.warnings[0]).toMatch(/exceeds a limit: its folders are more than 512 deep.*Started from the local/);
      expect(again.value).toMatchObject({ persisted: 'local', problem: /512 deep/, result: 5 });
      expect(again.peakMb).toBeLessThan(MAX_MB);
    }
    expect(before).toContain(good.tip);
    expect(heads(rootDir)).not.toContain(tip);
    git(rootDir, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress');
  });
});

describe('folders that contain the same folder many times', () => {
  it.each(WAYS)('exceed a limit before a file is written, by %s', async (way) => {
    const pack = new PackBytes();
    let tree = pack.add('tree', treeBytes([['100644', 'f', pack.add('blob', Buffer.from('x'))]]));
    const names = Array.from({ length: 10 }, (_, index) => `d${index}`);
    for (let level = 0; level < 10; level++) {
      const inner = tree;
      tree = pack.add('tree', treeBytes(names.map((name) => ['40000', name, inner])));
    }
    const tip = pack.add('commit', commitBytes(tree));
    const remote = await serve(way, pack.toBuffer(), tip);
    const rootDir = join(await tempRoot(), 'root');
    const { error, peakMb } = await probe({ rootDir, git: { repo: remote.repo } }, { env: remote.env });
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/more than 100000 files/),
      details: { key: 'fs.rootFiles' },
    });
    expect(peakMb).toBeLessThan(MAX_MB);
    expect(existsSync(join(rootDir, 'd0'))).toBe(false);
  });
});

/**
 * The bytes of a tree of submodules whose names no file can have.
 * @param {number} count
 * @param {(index: number) => Buffer} name all of one length
 */
function unusableEntries(count, name) {
  const entry = treeBytes([['0', name(0), UNKNOWN_ID]]);
  const tree = Buffer.alloc(entry.length * count);
  for (let index = 0; index < count; index++) {
    entry.copy(tree, index * entry.length);
    name(index).copy(tree, index * entry.length + 2);
  }
  return tree;
}

/** A name that is not valid UTF-8. @param {number} index */
const invalidName = (index) =>
  Buffer.from([255, 128 + (index % 100), 128 + (Math.floor(index / 100) % 100), 128 + Math.floor(index / 10_000)]);

/** A name that is too long. @param {number} index */
const tooLong = (index) => Buffer.from(String(index).padStart(3300, 'x'));

/**
 * Nested folders named `a`, each with all entries of `ballast`; the innermost has the file `f`.
 * @param {Buffer} ballast
 * @param {number} levels
 */
function heavyFolders(ballast, levels) {
  const pack = new PackBytes();
  const base = pack.end;
  pack.add('tree', ballast);
  /** @type {[string, string, string]} */
  let inner = ['100644', 'f', pack.add('blob', Buffer.from('deep'))];
  for (let level = 0; level < levels; level++) {
    const entry = treeBytes([inner]);
    pack.addDelta(base, repeatDelta(ballast.length, 1, entry));
    inner = ['40000', 'a', objectId('tree', Buffer.concat([ballast, entry]))];
  }
  const tip = pack.add('commit', commitBytes(inner[2]));
  return { pack: pack.toBuffer(), tip };
}

describe('nested folders of sixteen megabytes each', () => {
  it('with names that no file can have count as files', async () => {
    const { pack, tip } = heavyFolders(unusableEntries(600_000, invalidName), 3);
    const remote = await serve('http', pack, tip);
    const rootDir = join(await tempRoot(), 'root');
    const { error, peakMb } = await probe({ rootDir, git: { repo: remote.repo } });
    expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/more than 100000 files/) });
    expect(peakMb).toBeLessThan(MAX_MB);
  });

  it('within the limits are read, written and committed one at a time', async () => {
    const levels = 6;
    const { pack, tip } = heavyFolders(unusableEntries(5000, tooLong), levels);
    const remote = await serve('http', pack, tip);
    const rootDir = join(await tempRoot(), 'root');
    const folder = 'a/'.repeat(levels - 1);
    const first = await probe({ rootDir, git: { repo: remote.repo } });
    expect(first.error).toBeNull();
    expect(first.files).toEqual([`${folder}f`]);
    expect(first.peakMb).toBeLessThan(SOME_FOLDERS_MB);
    // Without the remote: the cost of a push is not measured.
    const path = `${folder}mine.txt`;
    const second = await probe(
      { rootDir },
      { work: `return tools.write_file.execute({ path: ${JSON.stringify(path)}, content: 'mine' })` },
    );
    expect(second.value).toMatchObject({ persisted: true });
    expect(git(rootDir, 'cat-file', 'blob', `HEAD:${path}`)).toBe('mine');
    expect(second.peakMb).toBeLessThan(SOME_FOLDERS_MB);
  });

  it('in a long history are not read again for every commit', async () => {
    const ballast = unusableEntries(90_000, invalidName);
    const pack = new PackBytes();
    const base = pack.end;
    pack.add('tree', ballast);
    const trees = ['1', '2'].map((text) => {
      const entry = treeBytes([['100644', 'f', pack.add('blob', Buffer.from(text))]]);
      pack.addDelta(base, repeatDelta(ballast.length, 1, entry));
      return objectId('tree', Buffer.concat([ballast, entry]));
    });
    /** @type {string[]} */
    let parents = [];
    for (let index = 0; index < 3000; index++) {
      const bytes = commitBytes(trees[index % 2] ?? '', { parents, time: 1_700_000_000 + index });
      parents = [pack.add('commit', bytes)];
    }
    const remote = await serve('http', pack.toBuffer(), parents[0] ?? '');
    const { error, value } = await probe(
      { rootDir: join(await tempRoot(), 'root'), git: { repo: remote.repo } },
      {
        work: `
          const start = performance.now();
          const found = [await kernel.git.log('none'), await kernel.git.log('f', { limit: 50 })];
          return { found: found.map((log) => log.length), ms: performance.now() - start };
        `,
      },
    );
    expect(error).toBeNull();
    expect(value).toMatchObject({ found: [0, 50] });
    expect(/** @type {{ ms: number }} */ (value).ms).toBeLessThan(5000);
  });
});
