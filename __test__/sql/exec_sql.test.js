import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, sqlite, toAnthropicTools } from '../../index.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @param {import('../../index.js').SqlToolOptions} [options] */
async function database(options) {
  const source = sqlite({ file: join(await tempRoot(), 'test.db') });
  onTestFinished(() => source.close?.());
  const admin = createSqlTools(source, { ddl: true }).exec_sql.execute;
  for (const sql of [
    'CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL, photo BLOB)',
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), total INTEGER)',
    'CREATE VIEW rich AS SELECT * FROM users WHERE score > 10',
    "INSERT INTO users (name, score) VALUES ('Ada', 20.5), ('Bob', 3), ('Cyd', NULL)",
  ]) {
    await admin({ sql });
  }
  return { source, admin, tools: createSqlTools(source, options) };
}

describe('exec_sql', () => {
  it('returns rows, or the number of affected rows', async () => {
    const { tools } = await database();
    const run = tools.exec_sql.execute;
    expect(await run({ sql: 'SELECT name, score FROM users ORDER BY id' })).toEqual([
      { name: 'Ada', score: 20.5 },
      { name: 'Bob', score: 3 },
      { name: 'Cyd', score: null },
    ]);
    expect(await run({ sql: 'SELECT * FROM users WHERE id = -1' })).toEqual([]);
    expect(await run({ sql: "UPDATE users SET name = 'X' WHERE id > 1" })).toEqual([{ affected: 2 }]);
    expect(await run({ sql: "INSERT INTO users (name) VALUES ('Y') RETURNING id" })).toEqual([{ id: 4 }]);
  });

  it('accepts positional and named parameters in all usual notations', async () => {
    const run = (await database()).tools.exec_sql.execute;
    for (const [sql, params] of /** @type {[string, any][]} */ ([
      ['SELECT name FROM users WHERE id = ? AND name = ?', [2, 'Bob']],
      ['SELECT name FROM users WHERE id = $1 AND name = $2', [2, 'Bob']],
      ['SELECT name FROM users WHERE name = $2 AND id = $1 AND id = $1', [2, 'Bob']],
      ['SELECT name FROM users WHERE id = :id AND name = :name AND :id > 0', { id: 2, name: 'Bob' }],
      ['SELECT name FROM users WHERE id = @id AND name = $name', { id: 2, name: 'Bob' }],
    ])) {
      expect(await run({ sql, params }), sql).toEqual([{ name: 'Bob' }]);
    }
    const hostile = "'; DROP TABLE users; --";
    expect(await run({ sql: 'SELECT ? AS text', params: [hostile] })).toEqual([{ text: hostile }]);
    await expect(run({ sql: 'SELECT ?', params: [] })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    await expect(run({ sql: 'SELECT :a', params: { b: 1 } })).rejects.toThrow(/no value for the parameter 'a'/);
    await expect(run({ sql: 'SELECT ?', params: [Number.NaN] })).rejects.toThrow(/params\[0\] is NaN/);
    await expect(run({ sql: '' })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  });

  it('values survive a round trip', async () => {
    const { tools, source } = await database();
    const run = async (/** @type {unknown} */ value) =>
      (await tools.exec_sql.execute({ sql: 'SELECT ? AS v', params: [value] }))[0].v;
    const big = 2n ** 62n;
    for (const [given, wanted] of /** @type {[unknown, unknown][]} */ ([
      [null, null],
      [undefined, null],
      [1.5, 1.5],
      [9007199254740991, 9007199254740991],
      [big, big.toString()],
      [42n, 42],
      ['é\u0000 "quoted" \n', 'é\u0000 "quoted" \n'],
      [true, 1],
      [new Date(0), '1970-01-01T00:00:00.000Z'],
      [new Uint8Array([0, 255, 7]), { $base64: 'AP8H' }],
      [{ $base64: 'AP8H' }, { $base64: 'AP8H' }],
      [{ a: [1, 'x'] }, '{"a":[1,"x"]}'],
      [[1, 2], '[1,2]'],
    ])) {
      expect(await run(given), String(given)).toEqual(wanted);
    }
    const sql = "SELECT 9223372036854775807 AS big, 9e999 AS inf, typeof(?) AS type, json('[1]') AS json";
    expect(await tools.exec_sql.execute({ sql, params: [5] })).toEqual([
      { big: '9223372036854775807', inf: 'Infinity', type: 'integer', json: '[1]' },
    ]);
    const { forge } = await sqlKernel(source);
    const tool = await forge(
      "const [row] = await tgp.exec_sql('SELECT :n AS n, :d AS d, :big AS big, :bytes AS bytes', { n: null, d: new Date(0), big: 2n ** 62n, bytes: { $base64: 'AP8H' } }); return row;",
    );
    expect((await tool()).result).toEqual({
      n: null,
      d: '1970-01-01T00:00:00.000Z',
      big: big.toString(),
      bytes: { $base64: 'AP8H' },
    });
  });

  it("reports the database's message without a host path", async () => {
    const { tools, source } = await database();
    await expect(tools.exec_sql.execute({ sql: 'SELECT nope FROM users' })).rejects.toMatchObject({
      code: 'ERR_SQL',
      message: expect.stringContaining('no such column: nope'),
    });
    const missing = createSqlTools(sqlite(join(await tempRoot(), 'no', 'such', 'folder.db')));
    const error = await missing.exec_sql.execute({ sql: 'SELECT 1' }).catch((/** @type {Error} */ caught) => caught);
    expect(error).toMatchObject({ code: 'ERR_SQL' });
    expect(error.message).not.toContain('folder.db');
    expect(source).toMatchObject({ dialect: 'sqlite' });
  });

  it('an abort rolls back and leaves the source usable', async () => {
    const { tools } = await database();
    const slow =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) INSERT INTO orders (user_id, total) SELECT 1, max(i) FROM n';
    const call = tools.exec_sql.execute({ sql: slow }, { abortSignal: AbortSignal.timeout(100) });
    await expect(call).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(await tools.exec_sql.execute({ sql: 'SELECT count(*) AS n FROM orders' })).toEqual([{ n: 0 }]);
  });
});

describe('options of the SQL tools', () => {
  it('readOnly refuses every write, even hidden ones', async () => {
    const { tools, source } = await database({ readOnly: true });
    expect(await tools.exec_sql.execute({ sql: 'SELECT count(*) AS n FROM users' })).toEqual([{ n: 3 }]);
    for (const sql of [
      'DELETE FROM users',
      'WITH a AS (SELECT 1) DELETE FROM users',
      'EXPLAIN DELETE FROM users',
      'CREATE TABLE x (a)',
      'DROP TABLE users',
      'PRAGMA user_version = 3',
    ]) {
      await expect(tools.exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    const { forge } = await sqlKernel({ source, readOnly: true });
    const run = await forge("return tgp.exec_sql('DELETE FROM users')");
    await expect(run()).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });

  it('dryRun reports the effect and changes nothing', async () => {
    const { tools, admin, source } = await database({ dryRun: true });
    const sql = 'UPDATE users SET name = upper(name) RETURNING name';
    expect(await tools.exec_sql.execute({ sql })).toEqual({
      dryRun: true,
      affected: 3,
      rows: [{ name: 'ADA' }, { name: 'BOB' }, { name: 'CYD' }],
    });
    expect(await tools.exec_sql.execute({ sql: 'DELETE FROM users' })).toMatchObject({ dryRun: true, affected: 3 });
    const { forge } = await sqlKernel({ source, dryRun: true });
    const run = await forge(
      "await tgp.exec_sql('DELETE FROM users WHERE id = 1'); return tgp.exec_sql('SELECT count(*) AS n FROM users');",
    );
    expect((await run()).result).toEqual([{ n: 2 }]);
    expect(await admin({ sql: "SELECT count(*) AS n FROM users WHERE name = 'Ada'" })).toEqual([{ n: 1 }]);
  });

  it('exceeding maxRows or maxBytes is an error with advice', async () => {
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n';
    const few = (await database({ maxRows: 999 })).tools.exec_sql.execute;
    await expect(few({ sql: many })).rejects.toThrow(/more than 999 rows \(maxRows\)/);
    const exact = (await database({ maxRows: 1_000 })).tools.exec_sql.execute;
    expect(await exact({ sql: many })).toHaveLength(1_000);
    const small = (await database({ maxBytes: 1_000 })).tools.exec_sql.execute;
    await expect(small({ sql: many })).rejects.toThrow(/more than 1000 bytes of JSON \(maxBytes\)/);
    await expect(small({ sql: "SELECT printf('%.*c', 100000, 'x') AS x" })).rejects.toThrow(/maxBytes/);
  });

  it('allow and deny apply to tables and verbs, also through views', async () => {
    const only = (await database({ allow: { tables: ['users'], verbs: ['select'] } })).tools;
    expect(await only.exec_sql.execute({ sql: 'SELECT count(*) AS n FROM users' })).toEqual([{ n: 3 }]);
    const not = (await database({ deny: { tables: ['users'], verbs: ['delete'] } })).tools;
    expect(await not.exec_sql.execute({ sql: 'SELECT count(*) AS n FROM orders' })).toEqual([{ n: 0 }]);
    for (const [tools, sql] of /** @type {const} */ ([
      [only, 'SELECT * FROM orders'],
      [only, 'SELECT (SELECT max(id) FROM orders) FROM users'],
      [only, 'SELECT * FROM sqlite_schema'],
      [only, "UPDATE users SET name = 'x'"],
      [not, 'SELECT * FROM users'],
      [not, 'SELECT * FROM [Users]'],
      [not, 'SELECT name FROM rich'],
      [not, 'DELETE FROM orders'],
    ])) {
      await expect(tools.exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    const shown = await only.describe_schema.execute({});
    expect(shown.tables.map(({ name }) => name)).toEqual(['users']);
  });

  it('an unknown or invalid option is refused by name', () => {
    const make = (/** @type {any} */ options) => () => createSqlTools(sqlite(':memory:'), options);
    expect(make({ readonly: true })).toThrow(/readonly/);
    expect(make({ maxRows: 0 })).toThrow(/maxRows/);
    expect(make({ deny: { verbs: ['commit'] } })).toThrow(/commit/);
    expect(() => createSqlTools(/** @type {any} */ (42))).toThrow(/SQL source/);
    expect(() => createSqlTools(/** @type {any} */ (undefined))).toThrow(/SQL source/);
  });
});

describe('describe_schema', () => {
  it('describes tables, columns, keys and estimated row counts', async () => {
    const { tools } = await database();
    expect(await tools.describe_schema.execute({})).toEqual({
      dialect: 'sqlite',
      tables: [
        {
          name: 'orders',
          kind: 'table',
          rows: 0,
          columns: [
            { name: 'id', type: 'INTEGER', nullable: false, primaryKey: true },
            { name: 'user_id', type: 'INTEGER', nullable: false },
            { name: 'total', type: 'INTEGER', nullable: true },
          ],
          foreignKeys: [{ column: 'user_id', references: 'users.id' }],
        },
        {
          name: 'rich',
          kind: 'view',
          columns: ['id', 'name', 'score', 'photo'].map((name) => expect.objectContaining({ name })),
          foreignKeys: [],
        },
        { name: 'users', kind: 'table', rows: 3, columns: expect.any(Array), foreignKeys: [] },
      ],
    });
    expect((await tools.describe_schema.execute({ table: 'users' })).tables).toHaveLength(1);
    const near = await tools.describe_schema.execute({ table: 'usres' });
    expect(near).toMatchObject({ tables: [], notice: "There is no table 'usres'. Did you mean 'users'?" });
    expect((await tools.describe_schema.execute({ table: 'weather' })).notice).toMatch(
      /describe_schema without a table/,
    );
    const misnamed = tools.exec_sql.execute({ sql: 'SELECT :id AS id', params: { i: 1 } });
    await expect(misnamed).rejects.toThrow(
      "no value for the parameter 'id'. Add it to params. Not used by any placeholder: 'i'.",
    );
  });

  it('lists the names of further tables without describing them', async () => {
    const { tools, admin } = await database();
    for (let index = 0; index < 120; index += 1) await admin({ sql: `CREATE TABLE t${index} (a)` });
    const { tables, notShown } = await tools.describe_schema.execute({});
    expect(tables).toHaveLength(100);
    expect(notShown).toHaveLength(23);
  });

  it('the tools can be converted for other clients like the kernel tools', async () => {
    const { tools } = await database();
    expect(toAnthropicTools(tools).map(({ name }) => name)).toEqual(['exec_sql', 'describe_schema']);
  });
});
