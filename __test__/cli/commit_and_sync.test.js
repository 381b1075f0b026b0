import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { cliWorkspace } from '../helpers/cli_workspace.js';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

describe('tgp commit', () => {
  const TOOL = '/** One. */\nexport default (): number => 1;\n';
  const FAULTY = 'export default (a: any) => a;\n';
  const SECRET = '{"key": "sk_live_4eC39HqLyjWDarjtT1zdp7dc"}';
  const subject = (/** @type {string} */ root) => git(root, 'log', '-1', '--format=%s', '--', 'tools', 'data');

  test('commits manual changes as one commit, pushes it, and updates meta.json', async () => {
    const { remote } = await bareRemote();
    const folder = await cliWorkspace({ 'tools/old.ts': TOOL, 'tools/gone.ts': TOOL }, { git: { repo: remote } });
    const root = join(folder, '.tgp');
    await mkdir(join(root, 'data'));
    await writeFile(join(root, 'tools/mine.ts'), TOOL);
    await writeFile(join(root, 'tools/old.ts'), TOOL.replace('One', 'Two'));
    await writeFile(join(root, 'data/rates.json'), '{}');
    await rm(join(root, 'tools/gone.ts'));
    const synced = await runCli(folder, ['sync', '--yes']);
    expect(synced.stdout).toMatch(/not committed {2}new {6}data\/rates\.json\n.*missing {2}tools\/gone\.ts\n/);
    expect(synced.stdout).toContain('Run "tgp commit"');
    const { code, ...printed } = await runCli(folder, ['commit', '--yes', '-m', 'By hand', '--json']);
    expect(code).toBe(0);
    const commit = git(remote, 'rev-parse', 'main^{/^By hand}');
    expect(printed.json()).toEqual({
      committed: [
        { path: 'data/rates.json', state: 'new', commit },
        { path: 'tools/gone.ts', state: 'missing', commit },
        { path: 'tools/mine.ts', state: 'new', commit },
        { path: 'tools/old.ts', state: 'changed', commit },
      ],
      left: [],
    });
    expect(git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual([
      'data/rates.json',
      'meta.json',
      'tools/mine.ts',
      'tools/old.ts',
    ]);
    const meta = git(remote, 'show', 'main:meta.json');
    expect(meta).toContain('tools/mine.ts');
    expect(meta).not.toContain('tools/gone.ts');
    expect(git(root, 'status', '--porcelain')).toBe('');
    expect((await runCli(folder, ['sync', '--yes', '--json'])).json().uncommitted).toEqual([]);
    expect(await runCli(folder, ['commit', '--yes'])).toMatchObject({ code: 0, stdout: 'Everything is committed.\n' });
  });

  test('with pull requests, creates one for each file', async () => {
    const { folder: base, remote, config, requests } = await forgeServer('github');
    const work = clone(base, remote);
    git(work, 'commit', '-q', '--allow-empty', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const folder = await cliWorkspace({}, { git: config });
    const root = join(folder, '.tgp');
    await mkdir(join(root, 'tools'), { recursive: true });
    for (const name of ['a', 'b']) await writeFile(join(root, `tools/${name}.ts`), TOOL);
    const { code, ...printed } = await runCli(folder, ['commit', '--yes', '--json']);
    expect(printed.json()).toMatchObject({ committed: [{ path: 'tools/a.ts' }, { path: 'tools/b.ts' }], left: [] });
    expect(code).toBe(0);
    expect(requests).toHaveLength(2);
    expect((await runCli(folder, ['sync', '--yes', '--json'])).json().uncommitted).toEqual([]);
  });

  test('commits named files, by short path or folder; an unknown name is an error', async () => {
    const folder = await cliWorkspace({ 'tools/known.ts': TOOL });
    const root = join(folder, '.tgp');
    await mkdir(join(root, 'tools/sums/deep'), { recursive: true });
    for (const name of ['a', 'sums/b', 'sums/deep/c', 'd']) await writeFile(join(root, `tools/${name}.ts`), TOOL);
    expect((await runCli(folder, ['commit', '--yes', 'none'])).code).toBe(1);
    expect(await runCli(folder, ['commit', '--yes', 'a', 'known'])).toMatchObject({ code: 0 });
    expect(subject(root)).toBe('Add: tools/a.ts');
    expect((await runCli(folder, ['commit', '--yes', 'sums/', '--json'])).json().committed).toHaveLength(2);
    expect(subject(root)).toBe('Commit: tools/sums/b.ts, tools/sums/deep/c.ts');
    expect(git(root, 'status', '--porcelain')).toBe('?? tools/d.ts');
  });

  test.each(['strict', 'off'])('commits other files if one cannot be committed (check: %s)', async (check) => {
    const folder = await cliWorkspace({ 'tools/known.ts': TOOL }, { check, fs: { fileBytes: 1000 } });
    const root = join(folder, '.tgp');
    await mkdir(join(root, 'data'));
    await writeFile(join(root, 'tools/good.ts'), TOOL);
    await writeFile(join(root, 'tools/latin.ts'), Buffer.concat([Buffer.from(TOOL), Buffer.from([0x2f, 0x2f, 0xe9])]));
    await writeFile(join(root, 'data/large.txt'), 'x'.repeat(1001));
    await writeFile(join(root, 'data/one.txt'), 'x');
    await link(join(root, 'data/one.txt'), join(root, 'data/twin.txt'));
    await writeFile(join(root, 'data/a.json'), 'x');
    await writeFile(join(root, 'data/key.json'), SECRET);
    const { code, ...printed } = await runCli(folder, ['commit', '--yes', '--json']);
    expect(code).toBe(1);
    const { committed, left } = printed.json();
    const paths = (/** @type {{ path: string }[]} */ files) => files.map(({ path }) => path).sort();
    const latin = check === 'strict' ? ['tools/latin.ts'] : [];
    expect(paths(left)).toEqual(['data/key.json', 'data/large.txt', 'data/one.txt', 'data/twin.txt', ...latin]);
    expect(paths(committed)).toEqual([
      'data/a.json',
      'tools/good.ts',
      ...(check === 'strict' ? [] : ['tools/latin.ts']),
    ]);
    expect(new Set(committed.map((/** @type {{ commit: string }} */ file) => file.commit)).size).toBe(1);
    expect(left.find((/** @type {{ path: string }} */ { path }) => path === 'data/large.txt').reason).toContain(
      'fs.fileBytes',
    );
  });

  test('leaves out files that a strict check refuses or that have a secret, with the reason', async () => {
    const folder = await cliWorkspace({ 'tools/known.ts': TOOL }, { check: 'strict' });
    const root = join(folder, '.tgp');
    await mkdir(join(root, 'data'));
    await writeFile(join(root, 'tools/good.ts'), TOOL);
    await writeFile(join(root, 'tools/faulty.ts'), FAULTY);
    await writeFile(join(root, 'data/key.json'), SECRET);
    const { code, ...printed } = await runCli(folder, ['commit', '--yes', '--json']);
    expect(code).toBe(1);
    expect(printed.json()).toMatchObject({
      committed: [{ path: 'tools/good.ts', state: 'new' }],
      left: [
        { path: 'tools/faulty.ts', state: 'new', reason: expect.stringContaining('tools/faulty.ts:1:') },
        { path: 'data/key.json', state: 'new', reason: expect.stringContaining('data/key.json:1:') },
      ],
    });
    expect(subject(root)).toBe('Add: tools/good.ts');
    expect(git(root, 'log', '--all', '-p')).not.toMatch(/sk_live|a: any/);
    const { stdout } = await runCli(folder, ['commit', '--yes']);
    expect(stdout).toContain('left out   new      tools/faulty.ts');
    expect(stdout).not.toContain('sk_live');
  });
});

describe('tgp sync', () => {
  test('reports a missing remote', async () => {
    const folder = await cliWorkspace({ 'tools/a.ts': 'return 1' });
    expect((await runCli(folder, ['sync', '--yes', '--json'])).json()).toMatchObject({ remote: false, changed: [] });
    expect(await runCli(folder, ['sync', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('git.repo'),
    });
  });

  test('pushes pending commits, and lists incoming changes', async () => {
    const { folder: elsewhere, remote } = await bareRemote();
    const folder = await cliWorkspace({ 'tools/a.ts': 'return 1' }, { git: { repo: remote } });
    const clone = join(elsewhere, 'rival');
    git(elsewhere, 'clone', '-q', remote, clone);
    await writeFile(join(clone, 'tools/b.ts'), 'return 2\n');
    git(clone, 'add', '.');
    git(clone, 'commit', '-q', '-m', 'Rival');
    git(clone, 'push', '-q');
    const { code, stdout } = await runCli(folder, ['sync', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('changed  tools/b.ts');
    expect(stdout).toMatch(/In sync with the remote at [0-9a-f]{7}\./);
    const again = (await runCli(folder, ['sync', '--yes', '--json'])).json();
    expect(again).toEqual({ remote: true, commit: git(remote, 'rev-parse', 'main'), changed: [], uncommitted: [] });
  });

  test('reports once per command a file with a secret that the remote changed; its removal restores the remote version', async () => {
    const { folder: elsewhere, remote } = await bareRemote();
    const folder = await cliWorkspace({ 'tools/a.ts': 'return 1' }, { git: { repo: remote } });
    const rival = join(elsewhere, 'rival');
    git(elsewhere, 'clone', '-q', remote, rival);
    await writeFile(join(rival, 'tools/a.ts'), 'return 2\n');
    git(rival, 'commit', '-q', '-a', '-m', 'Rival');
    git(rival, 'push', '-q');
    const place = join(folder, '.tgp/tools/a.ts');
    await writeFile(place, "return 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'\n");
    for (const command of ['sync', 'sync', 'list']) {
      const { stderr } = await runCli(folder, [command]);
      expect(stderr.split('neither committed nor overwritten: tools/a.ts')).toHaveLength(2);
    }
    await rm(place);
    expect((await runCli(folder, ['commit', '--yes', '--json'])).json()).toEqual({ committed: [], left: [] });
    expect(git(remote, 'show', 'main:tools/a.ts')).toBe('return 2');
    expect((await runCli(folder, ['sync', '--yes', '--json'])).json().uncommitted).toEqual([]);
  });

  test('clones on a cold start, and fails with ERR_GIT if the remote is missing', async () => {
    const { remote } = await bareRemote();
    await cliWorkspace({ 'tools/a.ts': 'return 1' }, { git: { repo: remote } });
    const fresh = await tempRoot();
    await writeFile(join(fresh, 'tgp.config.json'), JSON.stringify({ git: { repo: remote } }));
    expect((await runCli(fresh, ['sync', '--yes', '--json'])).json().changed).toEqual(['meta.json', 'tools/a.ts']);
    const lost = await tempRoot();
    await writeFile(join(lost, 'tgp.config.json'), JSON.stringify({ git: { repo: join(lost, 'none.git') } }));
    const { code, ...printed } = await runCli(lost, ['sync', '--yes', '--json']);
    expect(code).toBe(1);
    expect(printed.json().error.code).toBe('ERR_GIT');
  });
});
