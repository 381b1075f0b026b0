import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { MEASURED } from '../helpers/memory_program.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** An endless series of numbers. */
const MANY = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
/** @param {number} length @param {(index: number) => string} part */
const list = (length, part) => Array.from({ length }, (_, index) => part(index)).join(',');

/** Statements that would take a gigabyte and more each. */
const GREEDY = {
  'one value': 'SELECT length(randomblob(900000000))',
  'two values': 'SELECT length(randomblob(900000000)), length(randomblob(900000000))',
  zeroblob: 'SELECT zeroblob(900000000) AS x',
  printf: "SELECT length(printf('%.*c', 900000000, 'x'))",
  'printf of a width': "SELECT length(printf('%900000000d', 1))",
  replace: "SELECT length(replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000))))",
  hex: 'SELECT length(hex(zeroblob(450000000)))',
  'columns of large values': `SELECT ${list(60, (index) => `randomblob(7500000) AS c${index}`)}`,
  'columns of middle values': `SELECT ${list(900, (index) => `randomblob(1000000) AS c${index}`)}`,
  'arguments of a function': `SELECT max(${list(120, () => 'randomblob(7500000)')})`,
  group_concat: `${MANY} SELECT length(group_concat(hex(randomblob(1000)))) FROM n`,
  json_group_array: `${MANY} SELECT length(json_group_array(hex(randomblob(1000)))) FROM n`,
  json_group_object: `${MANY} SELECT length(json_group_object(i, hex(randomblob(1000)))) FROM n`,
  'a sorter': `${MANY} SELECT hex(randomblob(1000)) AS x FROM n ORDER BY x LIMIT 1 OFFSET 99999999`,
  DISTINCT: `${MANY} SELECT count(*) FROM (SELECT DISTINCT hex(randomblob(500)) FROM n)`,
  'GROUP BY': `${MANY} SELECT count(*) FROM (SELECT randomblob(100) AS x FROM n GROUP BY x)`,
  'a recursive UNION':
    'WITH RECURSIVE n(i, x) AS (SELECT 1, randomblob(1000) UNION SELECT i + 1, randomblob(1000) FROM n) SELECT count(*) FROM n',
  'a materialised expression': `${MANY}, m AS MATERIALIZED (SELECT randomblob(1000) AS x FROM n) SELECT count(*) FROM m a, m b`,
  'a window': `${MANY} SELECT max(length(x)) FROM (SELECT group_concat('aaaaaaaaaa') OVER (ORDER BY i) AS x FROM n)`,
  'a list of half a million': `SELECT 1 WHERE 1 IN (${list(500_000, () => '1')})`,
  'escapes, six bytes for one': "SELECT replace(hex(zeroblob(1900000)), '00', char(1)) AS x",
  'a long name of a column': `SELECT 1 AS "${'x'.repeat(900_000)}" FROM (${MANY} SELECT i FROM n LIMIT 10000)`,
  'two thousand columns': `SELECT ${list(2_000, (index) => `i AS c${index}`)} FROM (${MANY} SELECT i FROM n LIMIT 9999)`,
};

const REASONS = ['length', 'memory', 'maxBytes', 'timeout'];

/**
 * Runs every greedy statement in a new process, and returns the outcome of each.
 * @param {{ parallel: number, options: object }} setting
 */
async function greedyStatements({ parallel, options }) {
  const root = await tempRoot();
  await writeFile(join(root, 'greedy.json'), JSON.stringify(GREEDY));
  // With readOnly a missing file is not created.
  await writeFile(join(root, 'test.db'), '');
  return runProgram(
    root,
    `${MEASURED}
      const { exec_sql } = createSqlTools(sqlite('test.db'), { ddl: true, statementTimeoutMs: 1_000, ...${JSON.stringify(options)} });
      const run = (sql) => exec_sql.execute({ sql }).then(() => 'rows', ({ code, details }) => code === 'ERR_SQL' ? details.reason : code);
      await Promise.all(Array.from({ length: 8 }, () => run('SELECT 1')));
      const outcomes = [];
      for (const [name, sql] of Object.entries(JSON.parse(readFileSync('greedy.json', 'utf8')))) {
        const { value, peak } = await measured(() => Promise.all(Array.from({ length: ${parallel} }, () => run(sql))));
        const [{ n }] = await exec_sql.execute({ sql: 'SELECT 7 AS n' });
        outcomes.push({ name, outcomes: [...new Set(value)], peak, next: n });
      }
      console.log(JSON.stringify(outcomes));`,
  );
}

describe.skipIf(process.platform !== 'linux')('memory of the embedded SQLite', () => {
  it('no statement costs the process more than 200 MB, and the next one works', async () => {
    const settings = {
      'one at a time': { parallel: 1, options: {} },
      'eight at once': { parallel: 8, options: {} },
      'eight at once, read-only': { parallel: 8, options: { readOnly: true } },
    };
    // Each in a process of its own, whose memory is measured.
    const measured = await Promise.all(
      Object.entries(settings).map(async ([name, setting]) => ({ name, outcomes: await greedyStatements(setting) })),
    );
    for (const { name, outcomes } of measured) {
      expect(outcomes).toHaveLength(Object.keys(GREEDY).length);
      for (const outcome of outcomes) {
        const shown = `${name}: ${JSON.stringify(outcome)}`;
        expect(outcome.peak, shown).toBeLessThan(200);
        expect(outcome.next, shown).toBe(7);
        // This statement has more tokens than the parser accepts.
        const reasons = outcome.name === 'a list of half a million' ? ['unreadable'] : REASONS;
        for (const reason of outcome.outcomes) expect(reasons, shown).toContain(reason);
      }
    }
  });

  it('large prepared statements are not cached', async () => {
    const { left } = await runProgram(
      await tempRoot(),
      `${MEASURED}
      const { exec_sql } = createSqlTools(sqlite('test.db'), { ddl: true });
      await exec_sql.execute({ sql: 'SELECT 1' });
      console.log(JSON.stringify(await measured(async () => {
        for (let round = 0; round < 12; round += 1) {
          await exec_sql.execute({ sql: 'SELECT ' + round + ' WHERE 1 IN (' + '1,'.repeat(40000) + '1)' });
        }
      })));`,
    );
    expect(left).toBeLessThan(100);
  });
});

describe('a temporary table, view or trigger', () => {
  it('is refused, because it would shadow tables for the next run on the connection', async () => {
    const source = sqlite(join(await tempRoot(), 'test.db'));
    onTestFinished(() => source.close?.());
    const { exec_sql } = createSqlTools(source, { ddl: true });
    await exec_sql.execute({ sql: 'CREATE TABLE users (name)' });
    for (const sql of [
      'CREATE TEMP TABLE users (name)',
      'CREATE TEMPORARY VIEW users AS SELECT 1 AS name',
      'CREATE TABLE temp.users (name)',
      'CREATE TABLE "temp".users AS SELECT 1 AS name',
      'CREATE TABLE [TEMP] . users (name)',
      'CREATE TEMP TRIGGER t AFTER INSERT ON users BEGIN SELECT 1; END',
    ]) {
      await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    expect(await exec_sql.execute({ sql: 'SELECT count(*) AS n FROM users' })).toEqual([{ n: 0 }]);
  });
});
