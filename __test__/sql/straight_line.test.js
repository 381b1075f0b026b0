import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedDatabase } from '../../dist/sql/sqlite/embedded_sqlite.js';
import { createSqlTools, sqlite } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @param {object} [options] */
async function bench(options) {
  const file = join(await tempRoot(), 'test.db');
  const source = sqlite(file);
  onTestFinished(() => source.close?.());
  const { exec_sql } = createSqlTools(source, { ddl: true, resultChars: 10_000_000, ...options });
  return { file, run: (/** @type {string} */ sql, params = []) => exec_sql.execute({ sql, params }) };
}

/** @param {number} count @param {string} term @param {string} sign */
const repeated = (count, term, sign) => Array.from({ length: count }, () => term).join(sign);

/** Takes tens of milliseconds without a check of the timeout. */
const LONG = 'length(hex(zeroblob(4000000)))';

describe('a statement without a loop', () => {
  it('ends within seconds, even with long values', async () => {
    const { run } = await bench({ statementTimeoutMs: 500 });
    await run('CREATE TABLE t (a, b AS (hex(a)))');
    await run('CREATE TABLE checked (a, CHECK (a > 0))');
    await run(`CREATE VIEW v AS SELECT ${LONG} AS x FROM t`);
    await run('INSERT INTO t (a) VALUES (zeroblob(3900000))');
    await run(`CREATE TABLE many (a, ${Array.from({ length: 900 }, (_, index) => `c${index} AS (hex(a))`)})`);
    const j = '(SELECT hex(a) FROM t)';
    for (const sql of [
      `SELECT ${repeated(900, LONG, '+')} AS x`,
      `SELECT ${repeated(90, `(${repeated(100, LONG, '+')})`, ',')}`,
      `SELECT ${repeated(900, 'x', '+')} AS y FROM (SELECT ${LONG} AS x FROM t)`,
      `SELECT ${repeated(900, 'x', '+')} AS y FROM v`,
      `SELECT ${repeated(900, 'length(b)', '+')} AS y FROM t`,
      `SELECT ${repeated(300, '(j||1)>(j||2)', '+')} AS y FROM (SELECT ${j} AS j)`,
      `SELECT ${repeated(900, 'j', '+')} AS y FROM (SELECT ${j} AS j)`,
      `SELECT ${Array.from({ length: 900 }, (_, index) => `length(c${index})`)} FROM (SELECT many.* FROM many)`,
      `SELECT ${repeated(100, `json_extract(j, ${repeated(100, "'$[9]'", ',')})`, ',')} FROM (SELECT '[' || replace(${j}, '0', '1,') || '1]' AS j)`,
      `INSERT INTO checked VALUES (${repeated(900, LONG, '+')})`,
    ]) {
      const begun = performance.now();
      const error = await run(sql).catch((reason) => reason);
      expect(performance.now() - begun, sql.slice(0, 90)).toBeLessThan(10_000);
      if (error.code)
        expect(['length', 'timeout', 'memory'], `${sql.slice(0, 90)} ${error.message}`).toContain(error.details.reason);
    }
    expect(await run('SELECT 7 AS n')).toEqual([{ n: 7 }]);
  });

  it('of an ordinary kind may use long values', async () => {
    const { run } = await bench();
    const columns = Array.from({ length: 100 }, (_, index) => `c${index}`);
    await run(`CREATE TABLE wide (${columns})`);
    const long = 'x'.repeat(2_000_000);
    await run(`INSERT INTO wide (c0, c99) VALUES (?, ?)`, [long, 'end']);
    expect(await run('SELECT * FROM wide WHERE length(c0) > 5 ORDER BY c99')).toMatchObject([{ c99: 'end' }]);
    await run('CREATE TABLE docs (id INTEGER PRIMARY KEY, doc, at)');
    const doc = JSON.stringify({ a: 1, b: 'y'.repeat(3_000_000), c: [1, 2] });
    await run("INSERT INTO docs (doc, at) VALUES (json(?), datetime('now'))", [doc]);
    const extracts = repeated(10, "json_extract(doc, '$.a')", '+');
    expect(await run(`SELECT ${extracts} AS n FROM docs`)).toEqual([{ n: 10 }]);
    // Several hundred rows at once, each with functions and a value of some size.
    const rows = repeated(300, "(lower(?), datetime('now'))", ',');
    const values = Array.from({ length: 300 }, () => 'Z'.repeat(10_000));
    await run(`INSERT INTO docs (doc, at) VALUES ${rows}`, values);
    expect(await run("SELECT count(*) AS n FROM docs WHERE doc LIKE 'zzz%'")).toEqual([{ n: 300 }]);
    // The limit of one statement does not apply to the next one.
    await expect(run(`SELECT ${repeated(900, LONG, '+')}`)).rejects.toMatchObject({ details: { reason: 'length' } });
    expect(await run(`SELECT ${LONG} AS n`)).toEqual([{ n: 8_000_000 }]);
  });
});

describe('a value above the size limit of tools', () => {
  it('does not make its row unchangeable in a file of the application', async () => {
    const db = new BetterSqlite3(join(await tempRoot(), 'own.db'));
    onTestFinished(() => void db.close());
    db.exec("CREATE TABLE b (x, y); INSERT INTO b VALUES (zeroblob(9000000), 'old')");
    const { exec_sql } = createSqlTools(db);
    await exec_sql.execute({ sql: "UPDATE b SET y = 'k'" });
    expect(await exec_sql.execute({ sql: 'SELECT y, length(x) AS n FROM b' })).toEqual([{ y: 'k', n: 9_000_000 }]);
  });

  it('is refused with the setting that allows it', async () => {
    const { run } = await bench();
    await expect(run('SELECT zeroblob(9000000) AS x')).rejects.toThrow('maxBytes');
    const { run: more } = await bench({ maxBytes: 64 << 20 });
    expect(await more('SELECT length(zeroblob(9000000)) AS n')).toEqual([{ n: 9_000_000 }]);
  });
});

it('an abandoned connection is not reused before its statement has ended', async () => {
  const database = new EmbeddedDatabase(join(await tempRoot(), 'test.db'));
  onTestFinished(() => database.close());
  const limits = { maxRows: 10, maxBytes: 1_000, statementTimeoutMs: 60_000, readOnly: false };
  const { signal } = new AbortController();
  /** @type {import('../../dist/sql/adapter.js').SqlNeed} */
  const need = { access: 'write', limits, firstSql: '', signal };
  const first = await database.connect(need);
  await first.begin(need);
  /** @type {string[]} */
  const order = [];
  const sql = `SELECT ${repeated(12, LONG, '+')} AS x`;
  const slow = first.query({ sql, values: [], access: 'read', returns: 'rows' }, limits).then(
    () => order.push('ended'),
    () => order.push('ended'),
  );
  first.release('broken');
  const second = await database.connect(need);
  await second.begin(need);
  order.push('next');
  await slow;
  expect(order).toEqual(['ended', 'next']);
  await second.rollback();
  second.release('clean');
});
