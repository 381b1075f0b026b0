import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, git, SOUND, soundness } from '../helpers/git_remote.js';

const LIB = '/** Doubles. */\nexport const double = (n: number) => n * 2;\n';

describe('THREAT: a file that was never committed is removed and lost', () => {
  const SECRET = "export default () => 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';\n";
  const subjects = (folder) => git(folder, 'log', '--format=%s', 'main').split('\n');
  /** A workspace with one commit. */
  async function workspace(config = {}) {
    const made = await createKernel(config);
    await made.tools.write_file.execute({ path: 'tools/first.ts', content: 'return 1' });
    return made;
  }

  it('an untracked file is committed before its removal, and can be restored', async () => {
    const { remote } = await bareRemote();
    const { tools, rootDir } = await createKernel({ git: { repo: remote } });
    await tools.write_file.execute({ path: 'tools/first.ts', content: 'return 1' });
    for (const [path, text] of [
      ['tools/mine.ts', LIB],
      ['data/mine.json', '{"by": "hand"}'],
    ]) {
      mkdirSync(join(rootDir, path, '..'), { recursive: true });
      writeFileSync(join(rootDir, path), text);
      const removed = await tools.delete_file.execute({ path });
      expect(removed).toMatchObject({ path, persisted: true, commit: git(remote, 'rev-parse', 'main') });
      expect(removed).not.toHaveProperty('problem');
      expect(existsSync(join(rootDir, path))).toBe(false);
      expect(subjects(remote).slice(0, 2)).toEqual([`Remove: ${path}`, `Keep: ${path}`]);
      expect(git(remote, 'show', `main~1:${path}`)).toBe(text.trim());
      expect(git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n')).not.toContain(path);
      const [, kept] = await tools.file_history.execute({ path });
      await tools.revert_file.execute({ path, commit: String(kept?.commit) });
      expect(readFileSync(join(rootDir, path), 'utf8')).toBe(text);
      expect(soundness(rootDir)).toEqual(SOUND);
    }
  });

  it('an edited text is committed before its removal, and a committed text is not committed again', async () => {
    const { tools, rootDir } = await workspace();
    const path = 'tools/a.ts';
    await tools.write_file.execute({ path, content: LIB });
    writeFileSync(join(rootDir, path), LIB.replace('* 2', '* 3'));
    await tools.delete_file.execute({ path });
    expect(subjects(rootDir).slice(0, 3)).toEqual([`Remove: ${path}`, `Keep: ${path}`, `Forge: ${path}`]);
    expect(git(rootDir, 'show', `main~1:${path}`)).toContain('* 3');
    await tools.write_file.execute({ path, content: LIB });
    await tools.delete_file.execute({ path });
    expect(subjects(rootDir).slice(0, 2)).toEqual([`Remove: ${path}`, `Forge: ${path}`]);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('a draft of a strict check is committed before its removal, also as the first file', async () => {
    const { tools, rootDir } = await createKernel({ check: 'strict' });
    const path = 'tools/draft.ts';
    const draft = await tools.write_file.execute({ path, content: 'export default (a: any) => a;\n' });
    expect(draft).toMatchObject({ persisted: false });
    const removed = await tools.delete_file.execute({ path });
    expect(removed).toMatchObject({ persisted: true, commit: git(rootDir, 'rev-parse', 'main') });
    expect(git(rootDir, 'show', `main~1:${path}`)).toBe('export default (a: any) => a;');
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('a file with a secret is removed without a commit, and the answer reports the loss', async () => {
    const { tools, rootDir } = await workspace();
    const head = git(rootDir, 'rev-parse', 'main');
    const path = 'tools/a.ts';
    await tools.write_file.execute({ path, content: SECRET });
    const removed = await tools.delete_file.execute({ path });
    expect(removed).toMatchObject({
      persisted: false,
      problem: expect.stringContaining('never committed, so it cannot be restored'),
    });
    expect(removed).not.toHaveProperty('commit');
    expect(existsSync(join(rootDir, path))).toBe(false);
    expect(git(rootDir, 'rev-parse', 'main')).toBe(head);
    expect(git(rootDir, 'log', '--all', '-p')).not.toContain('sk_live');
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('of a committed file with a later secret, only the text with the secret is lost', async () => {
    const { tools, rootDir } = await workspace();
    const path = 'tools/a.ts';
    await tools.write_file.execute({ path, content: LIB });
    await tools.write_file.execute({ path, content: SECRET });
    const removed = await tools.delete_file.execute({ path });
    expect(removed).toMatchObject({
      persisted: true,
      commit: git(rootDir, 'rev-parse', 'main'),
      problem: expect.stringContaining('only an older text can be restored'),
    });
    expect(subjects(rootDir).slice(0, 2)).toEqual([`Remove: ${path}`, `Forge: ${path}`]);
    expect(git(rootDir, 'log', '--all', '-p')).not.toContain('sk_live');
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('an untracked file is committed before its move', async () => {
    const { tools, rootDir } = await workspace();
    writeFileSync(join(rootDir, 'tools/mine.ts'), LIB);
    const moved = await tools.move_file.execute({ from: 'tools/mine.ts', to: 'tools/lib/mine.ts' });
    expect(moved).toMatchObject({ persisted: true, commit: git(rootDir, 'rev-parse', 'main') });
    expect(subjects(rootDir).slice(0, 2)).toEqual(['Move: tools/mine.ts -> tools/lib/mine.ts', 'Keep: tools/mine.ts']);
    expect(git(rootDir, 'show', 'main:tools/lib/mine.ts')).toBe(LIB.trim());
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('a file that cannot be committed first is not removed', async () => {
    const { tools, rootDir } = await workspace();
    git(rootDir, 'checkout', '-q', '--detach');
    writeFileSync(join(rootDir, 'tools/mine.ts'), LIB);
    await expect(tools.delete_file.execute({ path: 'tools/mine.ts' })).rejects.toMatchObject({
      message: expect.stringContaining('tools/mine.ts was not removed'),
    });
    expect(readFileSync(join(rootDir, 'tools/mine.ts'), 'utf8')).toBe(LIB);
  });

  it('with pull requests an untracked file is backed up on its own branch', async () => {
    const { folder, remote, config, requests } = await forgeServer('github');
    const work = clone(folder, remote);
    writeFileSync(join(work, 'README.md'), 'tools');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { tools, kernel, rootDir } = await createKernel({ git: config });
    const path = 'tools/mine.ts';
    await kernel.boot();
    mkdirSync(join(rootDir, 'tools'), { recursive: true });
    writeFileSync(join(rootDir, path), LIB);
    const removed = await tools.delete_file.execute({ path });
    expect(removed).toMatchObject({ persisted: true, problem: expect.stringContaining('tgp/kept-') });
    await kernel.sync();
    expect(requests).toEqual([]);
    const kept = git(rootDir, 'branch', '--list', 'tgp/kept-*', '--format=%(refname:short)');
    expect(removed.problem).toContain(kept);
    // The commit that the message names is one that revert_file takes.
    const commit = String(/kept in commit ([0-9a-f]{40}) /.exec(removed.problem)?.[1]);
    expect(commit).toBe(git(rootDir, 'rev-parse', kept));
    await tools.revert_file.execute({ path, commit });
    expect(readFileSync(join(rootDir, path), 'utf8')).toBe(LIB);
    expect(requests).toHaveLength(1);
  });
});
