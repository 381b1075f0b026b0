import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { gitProject } from '../helpers/git_project.js';
import { git } from '../helpers/git_remote.js';

const FILES = 'MATCH (f:File) RETURN f.path AS path';
const paths = (/** @type {{ results: Record<string, unknown>[] }} */ { results }) => results.map(({ path }) => path);
const tool = (/** @type {string} */ name) => `/** ${name}. */\nexport default () => ${name.length};\n`;

describe('commits', () => {
  test('an unknown or ambiguous one is ERR_NOT_FOUND, never an empty answer', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: tool('a') });
    for (const commit of ['0000000', 'f'.repeat(40), 'HEAD', 'main', 'abc', '../../x', 'HEAD~1']) {
      for (const ask of [
        () => kernel.graph.query(FILES, {}, { commit }),
        () => kernel.graph.impact('tools/a.ts', { commit }),
        () => kernel.graph.history('tools/a.ts', { commit }),
        () => kernel.graph.picture({ commit }),
        () => kernel.graph.ingest({ commitHash: commit }),
      ]) {
        await expect(ask(), commit).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
      }
    }
  });

  test('are named by full and short hashes, and answers are as of them', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: tool('a') });
    const first = git(rootDir, 'rev-parse', 'HEAD');
    await tools.write_file.execute({ path: 'tools/b.ts', content: `import a from './a.ts';\n${tool('b')}a();\n` });
    await tools.delete_file.execute({ path: 'tools/b.ts' });
    const middle = git(rootDir, 'rev-parse', 'HEAD~1');
    expect(paths(await kernel.graph.query(FILES))).toEqual(['meta.json', 'tools/a.ts']);
    for (const hash of [middle, middle.slice(0, 10), middle.slice(0, 7)]) {
      expect(paths(await kernel.graph.query(FILES, {}, { commit: hash }))).toContain('tools/b.ts');
    }
    expect(paths(await kernel.graph.query(FILES, {}, { commit: first }))).not.toContain('tools/b.ts');
    expect((await kernel.graph.impact('tools/a.ts')).importers).toEqual([]);
    expect((await kernel.graph.impact('tools/a.ts', { commit: middle })).importers).toEqual([
      { path: 'tools/b.ts', distance: 1 },
    ]);
  });

  test('a workspace without commits has an empty graph', async () => {
    const { kernel, tools } = await createKernel();
    expect(paths(await kernel.graph.query(FILES))).toEqual([]);
    await tools.write_file.execute({ path: 'tools/a.ts', content: tool('a') });
    expect(paths(await kernel.graph.query(FILES))).toContain('tools/a.ts');
  });

  test('of other branches can be asked about', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: tool('a') });
    const tree = git(rootDir, 'rev-parse', 'HEAD^{tree}');
    const other = git(rootDir, 'commit-tree', '-m', 'other', tree);
    expect(paths(await kernel.graph.query('MATCH (c:Commit) RETURN c.hash AS path', {}, { commit: other }))).toEqual([
      other,
    ]);
  });
});

describe('another repository', () => {
  test('is found by its folder or by its commit, and is separate', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: tool('a') });
    const project = await gitProject({ 'src/app.ts': "import './util.js';\n", 'src/util.ts': '1;\n' });
    await expect(kernel.graph.query(FILES, {}, { root: project.path })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    });
    const { root, commit } = await kernel.graph.ingest({ projectPath: project.path });
    expect(root).toBe(project.path);
    for (const scope of [{ root }, { commit }, { root, commit: commit.slice(0, 8) }]) {
      expect(paths(await kernel.graph.query(FILES, {}, scope))).toEqual(['src/app.ts', 'src/util.ts']);
    }
    expect((await kernel.graph.impact('src/util.ts', { root })).importers).toEqual([
      { path: 'src/app.ts', distance: 1 },
    ]);
    expect(paths(await kernel.graph.query(FILES))).not.toContain('src/app.ts');
    const later = project.commit({ 'src/more.ts': '2;\n' });
    expect(paths(await kernel.graph.query(FILES, {}, { root }))).toContain('src/more.ts');
    expect(await kernel.graph.ingest({ projectPath: project.path })).toMatchObject({ commit: later, commitsAdded: 0 });
  });

  test('that does not exist, or has no commits, is ERR_NOT_FOUND', async () => {
    const { kernel } = await createKernel();
    const empty = await gitProject();
    for (const projectPath of [empty.path, `${empty.path}/none`, '/', '/proc/self']) {
      await expect(kernel.graph.ingest({ projectPath }), projectPath).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    }
  });
});
