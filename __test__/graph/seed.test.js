/** The queries of the third seed (T2, base and stretch), literally, on repositories made with `git`. */

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { gitProject, lines } from '../helpers/git_project.js';

const RENAMES = 'MATCH (new)-[r:WAS_RENAMED_FROM]->(old) RETURN new.path AS new, old.path AS old, r.similarity AS kept';

describe('T2', () => {
  test('records File nodes and queries by commit', async () => {
    const { kernel } = await createKernel();
    const project = await gitProject({ 'src/a.ts': lines(0, 5), 'src/b.ts': lines(9, 14) });
    const c1 = project.git('rev-parse', 'HEAD');
    await kernel.graph.ingest({ projectPath: project.path, commitHash: c1 });
    const { results } = await kernel.graph.query('MATCH (f:File) RETURN f', {}, { commit: c1 });
    expect(results.length).toBeGreaterThan(0);
    expect(results[0]?.path).toBe('src/a.ts');
    expect(`${results[0]?.root}/${results[0]?.path}`).toContain(`${project.path}/src/`);
    expect(results).toHaveLength(2);
    expect(results[1]).toMatchObject({ name: 'b.ts', first_seen: c1, last_seen: c1 });
  });

  test('finds a file by a parameter', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: '/** A. */\nexport default () => 1;\n' });
    const query = 'MATCH (f:File {path: $path}) RETURN f';
    expect((await kernel.graph.query(query, { path: 'tools/a.ts' })).results).toMatchObject([
      { path: 'tools/a.ts', root: '.' },
    ]);
    expect((await kernel.graph.query(query, { path: 'tools/b.ts' })).results).toEqual([]);
    const named = await kernel.graph.query("MATCH (f:File {name: 'a.ts'}) RETURN f");
    expect(named.results).toHaveLength(1);
  });
});

describe('T2 stretch', () => {
  test('add, then remove: a file is found at the first commit and not at the second', async () => {
    const { kernel } = await createKernel();
    const project = await gitProject();
    const added = project.commit({ 'X.ts': lines(0, 5), 'other.ts': '1\n' });
    const removed = project.commit({ 'X.ts': null });
    await kernel.graph.ingest({ projectPath: project.path });
    const query = "MATCH (f:File {path: 'X.ts'}) RETURN f";
    expect((await kernel.graph.query(query, {}, { commit: added })).results).toHaveLength(1);
    expect((await kernel.graph.query(query, {}, { commit: removed })).results).toEqual([]);
    const changes = "MATCH (c:Commit)-[r:CHANGED]->(f:File {path: 'X.ts'}) RETURN c.hash AS hash, r.status AS status";
    const rows = (await kernel.graph.query(changes, {}, { commit: removed })).results;
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['added', 'deleted']));
  });

  test('a rename chain A, B, C, pure and with edits, links C to B and B to A', async () => {
    const { kernel } = await createKernel();
    const project = await gitProject({ 'A.ts': lines(0, 40) });
    renameSync(join(project.path, 'A.ts'), join(project.path, 'B.ts'));
    project.commit({}, 'pure');
    const last = project.commit({ 'B.ts': null, 'C.ts': lines(0, 28) + lines(900, 912) }, 'with 30 % changed');
    await kernel.graph.ingest({ projectPath: project.path });
    const renames = (await kernel.graph.query(RENAMES, {}, { commit: last })).results;
    expect(renames).toHaveLength(2);
    expect(renames).toContainEqual({ new: 'B.ts', old: 'A.ts', kept: 100 });
    const kept = Number(
      /R(\d+)/.exec(project.git('diff-tree', '-M', '-r', '--no-commit-id', '--name-status', last))?.[1],
    );
    expect(kept).toBeGreaterThan(60);
    expect(kept).toBeLessThan(80);
    expect(renames).toContainEqual({ new: 'C.ts', old: 'B.ts', kept });
    const chain = "MATCH (c:File {path: 'C.ts'})-[:WAS_RENAMED_FROM*]->(a:File) RETURN a.path AS path";
    const paths = (await kernel.graph.query(chain, {}, { commit: last })).results.map(({ path }) => path);
    expect(paths.sort()).toEqual(['A.ts', 'B.ts']);
    const history = await kernel.graph.history('C.ts', { commit: last });
    expect(history.map(({ status, path }) => [status, path])).toEqual([
      ['renamed', 'C.ts'],
      ['renamed', 'B.ts'],
      ['added', 'A.ts'],
    ]);
    const followed = project.git('log', '--follow', '-M', '--format=%H', '--', 'C.ts').split('\n');
    expect(history.map(({ commit }) => commit)).toEqual(followed);
  });

  test('move_file makes the same link', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/a.ts',
      content: `/** A. */\n${lines(0, 9)}export default () => 1;\n`,
    });
    await tools.move_file.execute({ from: 'tools/a.ts', to: 'tools/lib/b.ts' });
    expect((await kernel.graph.query(RENAMES)).results).toMatchObject([{ new: 'tools/lib/b.ts', old: 'tools/a.ts' }]);
  });

  test('ingesting a commit twice adds nothing', async () => {
    const { kernel } = await createKernel();
    const project = await gitProject({ 'a.ts': "import './b';\n", 'b.ts': '1;\n' });
    const head = project.commit({ 'b.ts': '2;\n' });
    const counts = async () => {
      const rows = [];
      for (const query of [
        'MATCH (n) RETURN count(n) AS n',
        'MATCH ()-[r]->() RETURN type(r) AS t, count(r) AS n ORDER BY t',
      ]) {
        rows.push((await kernel.graph.query(query, {}, { root: project.path })).results);
      }
      return rows;
    };
    const first = await kernel.graph.ingest({ projectPath: project.path, commitHash: head });
    expect(first).toMatchObject({ commit: head, commitsAdded: 2, files: 2 });
    const before = await counts();
    const second = await kernel.graph.ingest({ projectPath: project.path, commitHash: head });
    expect(second).toEqual({ ...first, commitsAdded: 0 });
    expect(await counts()).toEqual(before);
    expect(before[0]).toEqual([{ n: 4 }]);
  });
});
