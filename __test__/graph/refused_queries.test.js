import { describe, expect, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

const WRITES = [
  "CREATE (f:File {path: 'x'})",
  "MERGE (f:File {path: 'x'}) RETURN f",
  "MATCH (f:File) SET f.path = 'x'",
  'MATCH (f:File) DELETE f',
  'MATCH (f:File) DETACH DELETE f RETURN 1 AS one',
  'MATCH (f:File) REMOVE f.path',
  'CALL db.labels()',
  "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
  'MATCH (f:File) FOREACH (x IN [1] | SET f.n = x)',
  'DROP INDEX x',
];

describe('refused queries', () => {
  test('every writing clause, CALL and LOAD CSV is ERR_VALIDATION with a position', async () => {
    const { kernel, tools } = await createKernel();
    for (const query of WRITES) {
      await expect(kernel.graph.query(query), query).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
        details: { line: 1, column: expect.any(Number) },
      });
      await expect(tools.query_graph.execute({ query }), query).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    }
  });

  test('a missing parameter, an unknown label and wrong arguments name what is wrong', async () => {
    const { kernel } = await createKernel();
    const { graph } = kernel;
    const refused = async (/** @type {Promise<unknown>} */ asked, /** @type {RegExp} */ message) =>
      expect(asked).rejects.toMatchObject({ code: 'ERR_VALIDATION', message: expect.stringMatching(message) });
    await refused(graph.query('MATCH (f:File {path: $path}) RETURN f'), /path/);
    await refused(graph.query('MATCH (f:Fil) RETURN f'), /File/);
    await refused(graph.query('MATCH (f:File)-[:IMPORT]->(g) RETURN f'), /IMPORTS/);
    await refused(graph.query(''), /Line 1/);
    await refused(graph.query('RETURN 1 AS one', /** @type {any} */ ([1])), /params/);
    await refused(graph.query('RETURN 1 AS one', {}, /** @type {any} */ ({ comit: 'abc' })), /commit/);
    await refused(graph.picture(/** @type {any} */ ({ format: 'png' })), /format/);
    await refused(graph.impact(/** @type {any} */ (undefined)), /path/);
    await expect(graph.impact('../outside')).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    const { query_graph } = tgpTools(kernel);
    await refused(query_graph.execute({}), /query/);
    await refused(query_graph.execute({ ask: 'impact' }), /path/);
    await refused(query_graph.execute({ query: 'RETURN 1 AS one', ask: 'history', path: 'a' }), /exclude/);
    await refused(query_graph.execute(/** @type {any} */ ({ ask: 'everything', path: 'a' })), /ask/);
  });

  test('a query that takes too long or returns too much is ERR_LIMIT', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: '/** A. */\nexport default () => 1;\n' });
    for (const query of [
      'UNWIND range(1, 20000) AS n RETURN n',
      'UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN count(*) AS n',
    ]) {
      await expect(kernel.graph.query(query), query).rejects.toMatchObject({ code: 'ERR_LIMIT' });
    }
    expect((await kernel.graph.query('RETURN 1 AS one')).results).toEqual([{ one: 1 }]);
  });
});
