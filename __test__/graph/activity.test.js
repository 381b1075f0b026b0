/** Sessions and runs of the ledger in the graph. */

import { describe, expect, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

const INNER =
  '/** Inner. */\nexport default (args: { n: number }) => {\n  if (args.n < 0) throw new Error("negative");\n  return args.n;\n};\n';
const OUTER =
  "/** Outer. */\nexport default async (args: { n: number }) => await tgp.exec_tool('tools/inner.ts', { n: args.n });\n";

async function forged() {
  const { kernel } = await createKernel();
  const tools = tgpTools(kernel, { session: 'order-77', agent: 'gpt' });
  await tools.write_file.execute({ path: 'tools/inner.ts', content: INNER });
  await tools.write_file.execute({ path: 'tools/outer.ts', content: OUTER });
  await tools.exec_tool.execute({ path: 'tools/outer.ts', args: { n: 1 } });
  await tools.exec_tool.execute({ path: 'tools/inner.ts', args: { n: -1 } });
  return { kernel, tools };
}

describe('with a ledger', () => {
  test('runs are linked with their tools, their caller and their session', async () => {
    const { kernel } = await forged();
    const rows = async (/** @type {string} */ query) => (await kernel.graph.query(query)).results;
    expect(
      await rows(
        'MATCH (r:Run)-[:CALLS]->(t:Tool) RETURN t.path AS path, r.ok AS ok, r.code AS code ORDER BY path, ok',
      ),
    ).toEqual([
      { path: 'tools/inner.ts', ok: false, code: 'ERR_TOOL_THROWN' },
      { path: 'tools/inner.ts', ok: true, code: null },
      { path: 'tools/outer.ts', ok: true, code: null },
    ]);
    expect(await rows('MATCH (a:Run)-[:CALLS]->(b:Run) RETURN a.path AS a, b.path AS b')).toEqual([
      { a: 'tools/outer.ts', b: 'tools/inner.ts' },
    ]);
    expect(
      await rows("MATCH (s:Session {id: 'order-77'})-[:CALLS]->(r:Run) RETURN count(r) AS n, s.agent AS agent"),
    ).toMatchObject([{ agent: 'gpt' }]);
    expect(
      await rows("MATCH (s:Session {id: 'order-77'})-[:CHANGED]->(f:File) RETURN f.path AS path ORDER BY path"),
    ).toEqual(expect.arrayContaining([{ path: 'tools/inner.ts' }, { path: 'tools/outer.ts' }]));
    expect(await rows("MATCH (t:Tool {path: 'tools/inner.ts'})-[:FORGED_BY]->(s:Session) RETURN s.id AS id")).toEqual([
      { id: 'order-77' },
    ]);
  });

  test('a run is in the answer as soon as its call has returned', async () => {
    const { kernel, tools } = await forged();
    const count = async () => (await kernel.graph.query('MATCH (r:Run) RETURN count(r) AS n')).results[0]?.n;
    const before = Number(await count());
    for (let more = 1; more <= 5; more++) {
      await tools.exec_tool.execute({ path: 'tools/inner.ts', args: { n: more } });
      expect(await count()).toBe(before + more);
    }
  });

  test('impact has importers, callers, tests and runs', async () => {
    const { kernel, tools } = await forged();
    await tools.write_file.execute({
      path: 'tools/inner.test.ts',
      content:
        "import { expect, test } from '@tgp/std/test';\nimport inner from './inner.ts';\ntest('n', () => expect(inner({ n: 1 })).toBe(1));\n",
    });
    const impact = await kernel.graph.impact('tools/inner.ts');
    expect(impact).toMatchObject({
      path: 'tools/inner.ts',
      exists: true,
      callers: [{ path: 'tools/outer.ts', distance: 1 }],
      tests: ['tools/inner.test.ts'],
      truncated: false,
    });
    expect(impact.runs[0]).toMatchObject({ path: 'tools/inner.ts', ok: false, code: 'ERR_TOOL_THROWN' });
    expect(Date.now() - Date.parse(impact.runs[0]?.date ?? '')).toBeLessThan(60_000);
    await expect(kernel.graph.impact('tools/none.ts')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  });
});

describe('without a ledger', () => {
  test('queries that name sessions or runs are ERR_LEDGER, others work', async () => {
    const { kernel, tools } = await createKernel({ ledger: false });
    await tools.write_file.execute({ path: 'tools/inner.ts', content: INNER });
    for (const query of [
      'MATCH (s:Session) RETURN s',
      'MATCH (r:Run) RETURN r',
      'MATCH (t:Tool) OPTIONAL MATCH (r:Run)-[:CALLS]->(t) RETURN t, r',
      'MATCH (t:Tool)-[:FORGED_BY]->(s:Session) RETURN s.id AS id',
    ]) {
      await expect(kernel.graph.query(query), query).rejects.toMatchObject({ code: 'ERR_LEDGER' });
    }
    expect((await kernel.graph.query('MATCH (t:Tool)-[:FORGED_BY]->(c:Commit) RETURN t.path AS path')).results).toEqual(
      [{ path: 'tools/inner.ts' }],
    );
    expect(await kernel.graph.impact('tools/inner.ts')).toMatchObject({ exists: true, runs: [] });
  });
});
