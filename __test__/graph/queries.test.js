/** Thirty queries on a history of 1 000 tools and 5 000 commits: their rows follow from the generator's model. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TGP } from '../../index.js';
import { HISTORY_QUERIES } from '../helpers/graph_history_queries.js';
import { PATTERN_QUERIES } from '../helpers/graph_pattern_queries.js';
import { keptFolder } from '../helpers/kept_folder.js';
import { toolHistory } from '../helpers/tool_history.js';

const QUERIES = [...PATTERN_QUERIES, ...HISTORY_QUERIES];

const folder = keptFolder();
/** @type {import('../helpers/history_model.js').HistoryModel} */
let history;
/** @type {any} */
let kernel;
beforeAll(async () => {
  const rootDir = join(folder(), '.tgp');
  history = await toolHistory(rootDir, { tools: 1000, commits: 5000 });
  kernel = new TGP({ config: { rootDir } });
  await kernel.boot();
});
afterAll(() => kernel?.shutdown());

/**
 * What an expected row has of a row: nodes have more properties than the model.
 * @param {any} row
 * @param {any} expected
 * @returns {any}
 */
function shaped(row, expected) {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return row;
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, shaped(row?.[key], value)]));
}

/** @param {unknown[]} rows */
const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort();

/** Whether the only column is a node, whose properties are the row. @param {string} cypher */
const returnsNode = (cypher) => /RETURN \w+$/.test(cypher);

describe('query', () => {
  test('there are thirty', () => {
    expect(new Set(QUERIES.map(({ cypher, name }) => `${name} ${cypher}`)).size).toBe(30);
  });

  test.each(QUERIES)('$name', async ({ cypher, expected }) => {
    const { params, commit, rows, isEmpty = false } = expected(history);
    expect(rows.length === 0).toBe(isEmpty);
    const options = commit === undefined ? [] : [{ commit }];
    const { results } = await kernel.graph.query(cypher, params ?? {}, ...options);
    expect(results).toHaveLength(rows.length);
    const keys = Object.keys(rows[0] ?? {});
    if (!returnsNode(cypher)) for (const row of results) expect(Object.keys(row).sort()).toEqual(keys.slice().sort());
    const found = results.map((/** @type {any} */ row) => shaped(row, rows[0]));
    const isOrdered = cypher.lastIndexOf('ORDER BY') > cypher.lastIndexOf('RETURN');
    if (isOrdered) expect(found).toEqual(rows);
    else expect(sorted(found)).toEqual(sorted(rows));
  });

  test('parameters may be left out, and rows are plain values', async () => {
    const { results } = await kernel.graph.query(
      'RETURN 1 AS one, "two" AS two, [3, null] AS three, {four: 4} AS four',
    );
    expect(results).toEqual([{ one: 1, two: 'two', three: [3, null], four: { four: 4 } }]);
  });

  test('an unknown commit is ERR_NOT_FOUND, never an empty answer', async () => {
    for (const commit of ['0123456789abcdef0123456789abcdef01234567', 'fedcba987654'])
      await expect(kernel.graph.query('MATCH (f:File) RETURN f', {}, { commit })).rejects.toMatchObject({
        code: 'ERR_NOT_FOUND',
      });
  });
});
