import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';

describe('the history of a file', () => {
  it('can be read, compared and restored', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    const first = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1\n' });
    await tools.write_file.execute({ path: 'tools/b.ts', content: 'return 0\n' });
    await tools.patch_file.execute({ path: 'tools/a.ts', search: '1', replace: '2' });

    const history = await tools.file_history.execute({ path: 'tools/a.ts' });
    expect(history.map(({ message }) => message)).toEqual(['Refactor: tools/a.ts', 'Forge: tools/a.ts']);
    expect(history[1]).toMatchObject({
      commit: first.commit,
      author: 'tgp-bot[bot]',
      date: expect.stringMatching(/^2.*Z$/),
    });
    expect(await tools.file_history.execute({ path: 'tools/a.ts', limit: 1 })).toHaveLength(1);
    expect(await tools.file_history.execute({ path: 'tools/none.ts' })).toEqual([]);
    expect((await kernel.git.log()).map(({ commit }) => commit)).toEqual(
      git(rootDir, 'log', '--format=%H').split('\n'),
    );

    expect(await kernel.git.diff('tools/a.ts')).toContain('-return 1\n+return 2\n');
    expect(await kernel.git.diff(undefined, { from: first.commit })).toContain('tools/b.ts');
    expect(await kernel.git.diff('tools/b.ts', { from: first.commit.slice(0, 8), to: first.commit })).toBe('');

    const reverted = await kernel.git.revert('tools/a.ts', first.commit);
    expect(reverted).toMatchObject({ path: 'tools/a.ts', persisted: true });
    expect(await tools.read_file.execute({ path: 'tools/a.ts' })).toBe('return 1\n');
    expect(git(rootDir, 'log', '-1', '--format=%s')).toBe(`Revert: tools/a.ts to ${first.commit.slice(0, 10)}`);
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
  });

  it('refuses unknown files and commits', async () => {
    const { kernel, tools } = await createKernel();
    const { commit } = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    for (const [path, id] of [
      ['tools/a.ts', 'f'.repeat(40)],
      ['tools/a.ts', 'HEAD'],
      ['tools/a.ts', '--all'],
      ['tools/b.ts', commit],
    ]) {
      await expect(kernel.git.revert(path, id), `${path} ${id}`).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    }
    await expect(kernel.git.revert('../x', commit)).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    await expect(kernel.git.persist('x', ['.git/config'])).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });
});
