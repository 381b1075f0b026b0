import { describe, expect, it } from 'vitest';
import { checkReach, forgetChecked, mayWrite } from '../../dist/sql/reach/checked_reach.js';

const LIMITS = { maxRows: 10, maxBytes: 1_000, statementTimeoutMs: 1_000, readOnly: false };
/** @type {import('../../dist/boundary/crossing.js').Reach} */
const REACH = { tables: null, planned: false, names: ['f'], calls: ['f'], written: [] };

/** @param {any[]} rows of the catalogue */
function database(rows) {
  /** @type {string[]} */
  const queries = [];
  const query = async (/** @type {{ sql: string }} */ { sql }) => {
    queries.push(sql);
    return { rows: JSON.stringify(rows), affected: 0 };
  };
  /** @type {any} */
  const adapter = { dialect: 'postgres' };
  const check = (/** @type {string} */ sql, /** @type {any} */ detail, isFenced = false) =>
    checkReach(
      { query },
      { sql, values: [], access: 'write', returns: 'count', detail, reach: REACH },
      LIMITS,
      adapter,
      isFenced,
    );
  return { queries, adapter, query, check };
}

describe('catalogue queries about a statement', () => {
  it('are only those that the rules need', async () => {
    const { queries, check } = database([]);
    await check('UPDATE a', 'nothing');
    await check('UPDATE b', 'verbs', true);
    expect(queries).toHaveLength(0);
    await check('UPDATE c', 'verbs');
    await check('UPDATE d', 'tables', true);
    const functions = queries.filter((sql) => !sql.includes('pg_operator'));
    expect(functions).toHaveLength(2);
  });

  it('about operators, casts and types are cached for all statements', async () => {
    const { queries, adapter, check } = database([]);
    const hidden = () => queries.filter((sql) => sql.includes('pg_operator')).length;
    for (let number = 0; number < 20; number += 1) await check(`UPDATE t${number}`, 'verbs');
    expect([hidden(), queries.length]).toEqual([1, 21]);
    forgetChecked(adapter);
    await check('UPDATE t', 'verbs');
    expect(hidden()).toBe(2);
  });

  it('are cached, for a bounded number of statements of bounded length', async () => {
    const { queries, adapter, check } = database([]);
    await check('UPDATE first', 'verbs');
    const count = async (/** @type {string} */ sql) => {
      const before = queries.length;
      await check(sql, 'verbs');
      return queries.length - before;
    };
    expect([await count('UPDATE a'), await count('UPDATE a')]).toEqual([1, 0]);
    const long = `UPDATE ${'a'.repeat(3_000)}`;
    expect([await count(long), await count(long)]).toEqual([1, 1]);
    for (let number = 0; number < 500; number += 1) await count(`UPDATE t${number}`);
    expect([await count('UPDATE t499'), await count('UPDATE a')]).toEqual([0, 1]);
    forgetChecked(adapter);
    expect(await count('UPDATE t499')).toBe(2);
  });

  it('are not cached if something was found', async () => {
    const { queries, adapter, query, check } = database([{ name: 'f' }]);
    for (let time = 0; time < 2; time += 1) {
      await expect(check('UPDATE a', 'verbs')).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
      const statement = { sql: 'SELECT f()', reach: REACH };
      expect(await mayWrite({ query }, /** @type {any} */ (statement), LIMITS, adapter)).toBe(true);
    }
    expect(queries).toHaveLength(4);
  });

  it('about related tables are evaluated per caller, and fail for too many tables', async () => {
    for (const [rows, restricted, calls, text] of [
      [[{ schema: 'public', name: 'whole' }], undefined, 2, undefined],
      [[{ schema: 'public', name: 'whole' }], { schema: 'public', name: 'whole' }, 2, /'whole'/],
      [
        Array.from({ length: 2_000 }, (_, number) => ({ schema: 'public', name: `p${number}` })),
        undefined,
        0,
        /too many/,
      ],
    ]) {
      let judged = 0;
      /** @type {any} */
      const visibility = {
        restricted: async () => {
          judged += 1;
          return restricted ? [restricted] : [];
        },
      };
      const query = async (/** @type {{ sql: string }} */ { sql }) => ({
        rows: JSON.stringify(sql.includes('pg_inherits') ? rows : []),
        affected: 0,
      });
      /** @type {any} */
      const adapter = { dialect: 'postgres' };
      /** @type {any} */
      const statement = {
        sql: 'SELECT f',
        values: [],
        access: 'read',
        verbs: ['select'],
        detail: 'tables',
        reach: REACH,
      };
      for (let time = 0; time < 2; time += 1) {
        const checking = checkReach({ query }, statement, LIMITS, adapter, true, visibility);
        if (text) await expect(checking).rejects.toThrow(/** @type {RegExp} */ (text));
        else await checking;
      }
      expect(judged).toBe(calls);
    }
  });
});
