/** The kernel tool `query_graph`, as models call it. */

import { describe, expect, test } from 'vitest';
import { QueryGraphParams, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

const LIB = '/** Doubles. */\nexport const double = (n: number) => n * 2;\n';
const USE =
  "import { double } from './double.ts';\n/** Uses. */\nexport default (args: { n: number }) => double(args.n);\n";

describe('query_graph', () => {
  test('answers what breaks if a tool is deleted', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/double.ts', content: LIB });
    await tools.write_file.execute({ path: 'tools/use.ts', content: USE });
    expect(await tools.query_graph.execute({ ask: 'impact', path: 'tools/double.ts' })).toMatchObject({
      exists: true,
      importers: [{ path: 'tools/use.ts', distance: 1 }],
    });
    expect(await tools.query_graph.execute({ ask: 'history', path: 'tools/use.ts' })).toMatchObject({
      history: [
        { status: 'added', path: 'tools/use.ts', subject: 'Forge: tools/use.ts', date: expect.stringMatching(/Z$/) },
      ],
    });
    const example = 'MATCH (f:File)-[:IMPORTS|CALLS*1..4]->(t:Tool {path: $path}) RETURN DISTINCT f.path';
    expect(tools.query_graph.description).toContain(example);
    const { results } = await tools.query_graph.execute({ query: example, params: { path: 'tools/use.ts' } });
    expect(results).toEqual([]);
    expect(QueryGraphParams.safeParse({ query: 'RETURN 1' }).success).toBe(true);
  });

  test('a long answer is cut, with advice', async () => {
    const { tools } = await createKernel({ agent: { resultChars: 2_000 } });
    const answer = await tools.query_graph.execute({ query: 'UNWIND range(1, 5000) AS n RETURN n, n * 2 AS twice' });
    expect(answer).toMatchObject({ notice: expect.stringMatching(/of 5000 rows are shown/) });
    expect(JSON.stringify(answer).length).toBeLessThan(2_100);
  });

  test('is recorded as a read of its caller', async () => {
    const { kernel } = await createKernel();
    const { query_graph } = tgpTools(kernel, { session: 's', agent: 'gpt' });
    await query_graph.execute({ query: 'RETURN 1 AS one' });
    const [call] = await kernel.ledger.tail({ tool: 'query_graph', type: 'CALL' });
    expect(call).toMatchObject({
      session: 's',
      actor: { id: 'gpt' },
      effect: 'read',
      args: { query: 'RETURN 1 AS one' },
    });
  });
});
