import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** An endless series of numbers. */
const MANY = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
/** @param {number} length @param {(index: number) => string} part */
const list = (length, part) => Array.from({ length }, (_, index) => part(index)).join(',');

describe('time of the embedded SQLite', () => {
  it('a pattern of thousands of wildcards does not crash the process', async () => {
    const outcome = await runProgram(
      await tempRoot(),
      `const { exec_sql } = createSqlTools(sqlite('test.db'), { ddl: true });
      const rows = [];
      for (const sql of [
        "SELECT hex(zeroblob(20000)) LIKE '" + '%0'.repeat(24000) + "' AS x",
        "SELECT hex(zeroblob(20000)) LIKE '" + '%_0'.repeat(12000) + "' AS x",
        "SELECT hex(zeroblob(20000)) GLOB '" + '*[0]'.repeat(12000) + "' AS x",
      ]) rows.push((await exec_sql.execute({ sql }))[0].x);
      console.log(JSON.stringify(rows));`,
    );
    expect(outcome).toEqual([1, 1, 1]);
  });

  it('no function delays a statement far beyond its time limit', async () => {
    const source = sqlite(join(await tempRoot(), 'test.db'));
    onTestFinished(() => source.close?.());
    const { exec_sql } = createSqlTools(source, { statementTimeoutMs: 500 });
    const zeros = 'hex(zeroblob(2000000))';
    const object = (/** @type {string} */ key) =>
      `(SELECT json_group_object('${key}' || i, 1) FROM (${MANY} SELECT i FROM n LIMIT 100000))`;
    for (const call of [
      `instr(${zeros}, substr(${zeros}, 1, 2000000) || '1')`,
      `length(replace(${zeros}, substr(${zeros}, 1, 2000000) || '1', 'x'))`,
      `length(trim(${zeros}, replace(${zeros}, '0', '12') || '0'))`,
      `length(unhex(replace(${zeros}, '0', 'x'), replace(${zeros}, '0', 'y') || 'x'))`,
      `${zeros} LIKE '%' || substr(${zeros}, 1, 40000) || '1'`,
      `${zeros} GLOB '*[' || substr(${zeros}, 1, 40000) || ']1'`,
      `length(json_patch(${object('a')}, ${object('b')}))`,
      `length(json_remove(${object('a')}, ${list(120, (index) => `'$.a${index}'`)}))`,
      list(40, () => 'length(randomblob(8000000))'),
    ]) {
      const started = performance.now();
      await exec_sql.execute({ sql: `SELECT ${call} AS x` }).catch((/** @type {any} */ error) => {
        expect(error.code, call).toBe('ERR_SQL');
      });
      expect(performance.now() - started, call).toBeLessThan(20_000);
    }
    expect(await exec_sql.execute({ sql: 'SELECT 7 AS n' })).toEqual([{ n: 7 }]);
  });

  it('deeply nested statements do not overflow the stack', async () => {
    const outcome = await runProgram(
      await tempRoot(),
      `const { exec_sql } = createSqlTools(sqlite('test.db'), { ddl: true, statementTimeoutMs: 2_000 });
      const codes = new Set();
      for (const depth of [90, 320, 990, 20000]) {
        for (const [open, close] of [['(', ')'], ['- ', ''], ['NOT ', ''], ['abs(', ')'], ['1+(', ')'], ['(SELECT ', ')'], ['EXISTS(SELECT ', ')'],
          ['CASE WHEN 1 THEN ', ' END'], ['iif(1,', ',0)'], ['1 IN (', ')'], ['CAST(', ' AS int)'], ['', ' COLLATE nocase'], ['', ' IS NULL'], ['', '+1'],
          ['', ' AND 1'], ['', ' BETWEEN 1 AND 2'], ['', "->'a'"], ['(SELECT * FROM (SELECT ', '))'], ['(WITH a AS (SELECT ', ') SELECT * FROM a)']]) {
          const sql = 'SELECT ' + open.repeat(depth) + '1' + close.repeat(depth);
          await exec_sql.execute({ sql }).then(() => codes.add('rows'), ({ code }) => codes.add(code));
        }
        await exec_sql.execute({ sql: 'SELECT 1' + ' UNION SELECT 1'.repeat(depth) }).catch(({ code }) => codes.add(code));
      }
      console.log(JSON.stringify([...codes].sort()));`,
    );
    expect(outcome).toEqual(['ERR_SQL', 'rows']);
  });
});
