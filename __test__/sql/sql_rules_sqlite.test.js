import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, executor, sqlite } from '../../index.js';
import { refusedOrdinary, SECRET, violations } from '../helpers/rule_bench.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Attempts to bypass the rules: by spelling, by hiding, and by side effects of SQLite. */
const ATTEMPTS = [
  // Parameters with arbitrary text, in Tcl's syntax.
  "WITH c AS (SELECT $::a(')) DELETE FROM t -- '))",
  "WITH c AS (SELECT $a(')) DELETE FROM t -- '))",
  "WITH c AS (SELECT @a(')) DELETE FROM t -- '))",
  "WITH c AS (SELECT :a(')) DELETE FROM t -- '))",
  "WITH c AS (SELECT $a::b(')) DELETE FROM t -- '))",
  "WITH c AS (SELECT :::a(')) DELETE FROM t -- '))",
  "WITH c AS (SELECT #a(')) DELETE FROM t -- '))",
  "WITH c AS (SELECT #p [ ' ]) DELETE FROM t -- '",
  'SELECT $::a(") FROM secrets --")',
  "SELECT $a('),(SELECT s FROM secrets)--')",
  'WITH c AS (SELECT $a(/*)) DELETE FROM t -- */))',
  // Characters that only look like blanks, and control characters that are blanks.
  'WITH c AS (SELECT 1) DELETE\u{feff}FROM t',
  'WITH c AS (SELECT 1)\u{feff}DELETE FROM t',
  'SELECT * FROM\u{feff}secrets',
  '\u{feff}DELETE FROM t',
  'DELETE\u{b}FROM t',
  'WITH c AS (SELECT 1) DELETE \u{b}FROM t',
  'WITH c AS (SELECT 1) DELETE\u{a0}FROM t',
  'WITH c AS (SELECT 1) DELETE\fFROM t',
  'WITH c AS (SELECT 1)/**/DELETE/**/FROM/**/t',
  'WITH c AS (SELECT 1)--\rSELECT 1\nDELETE FROM t',
  'WITH c AS (SELECT 1) /*/ SELECT 1 /*/ DELETE FROM t',
  // Quotations.
  "SELECT x'00'')) DELETE FROM t -- '",
  "WITH c AS (SELECT 'a\\') DELETE FROM t -- ')",
  "WITH c AS (SELECT e'\\') DELETE FROM t -- ')",
  'WITH c AS (SELECT [a"]) DELETE FROM t -- ")',
  'WITH c AS (SELECT `a"`) DELETE FROM t -- ")',
  'WITH c AS (SELECT "a`") DELETE FROM t -- `)',
  'WITH c AS (SELECT [a)) DELETE FROM t]',
  'SELECT 1 /* unterminated DELETE FROM t',
  "SELECT 'a' FROM t; DELETE FROM t; --'",
  'SELECT 1; DELETE FROM t',
  'SELECT $$a$$; DELETE FROM t; --',
  'SELECT 1 -- \\\n; DELETE FROM t',
  "SELECT * FROM 'secrets'",
  "SELECT * FROM t, 'secrets'",
  'SELECT * FROM "secrets"',
  'SELECT * FROM `SECRETS`',
  'SELECT * FROM [secrets]',
  "SELECT * FROM main.'secrets'",
  'SELECT * FROM main . secrets',
  'SELECT s FROM (SELECT * FROM t JOIN secrets)',
  'SELECT (SELECT max(s) FROM secrets) FROM t',
  `SELECT '${SECRET}' IN 'secrets' AS found`,
  "UPDATE OR IGNORE 'secrets' SET s = 'z'",
  "INSERT INTO t SELECT s FROM 'secrets'",
  "UPDATE t SET a = (SELECT s FROM 'secrets')",
  'CREATE TABLE x AS SELECT * FROM secrets',
  "CREATE TABLE x AS SELECT * FROM 'secrets'",
  "CREATE VIEW t2 AS SELECT * FROM 'secrets'",
  // Common table expressions with the name of a table.
  'WITH secrets AS (SELECT 1) SELECT * FROM main.secrets',
  'WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets',
  'WITH secrets AS (SELECT 1 AS s) DELETE FROM secrets',
  'WITH secrets AS (SELECT 1 AS s) INSERT INTO secrets (s) VALUES (1)',
  'WITH t AS (SELECT 1 AS s) UPDATE secrets SET s = 1',
  "WITH t AS (SELECT s FROM 'secrets') SELECT * FROM t",
  // Verbs that do more than they say.
  "INSERT OR REPLACE INTO t (id, a) VALUES (1, 'gone')",
  "INSERT INTO t (id, a) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET a = 'gone'",
  "UPDATE OR REPLACE t SET id = 1, a = 'gone' WHERE id = 2",
  "REPLACE INTO t (id, a) VALUES (1, 'gone')",
  "WITH c AS (SELECT 1) REPLACE INTO t (id, a) VALUES (1, 'gone')",
  'DELETE FROM t RETURNING a',
  'EXPLAIN DELETE FROM t',
  'SELECT 1 UNION DELETE FROM t',
  'VALUES (1) UNION ALL SELECT s FROM secrets',
  // Statements that reach beyond the tables.
  "ATTACH 'other.db' AS x",
  "VACUUM INTO 'copy.db'",
  'PRAGMA writable_schema = 1',
  'PRAGMA user_version = 5',
  "SELECT * FROM pragma_user_version('5')",
  'PRAGMA query_only = 0',
  'PRAGMA table_info(secrets)',
  "SELECT * FROM pragma_table_info('secrets')",
  'PRAGMA foreign_key_check',
  'SAVEPOINT a',
  'COMMIT',
  "SELECT load_extension('x')",
  "SELECT writefile('x', 'y')",
  "SELECT fts3_tokenizer('simple')",
  'CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END',
  'CREATE TEMP TABLE t (a)',
  'CREATE VIRTUAL TABLE v USING fts5(a)',
  'ALTER TABLE secrets RENAME TO t3',
  'ALTER TABLE t RENAME TO secrets2',
  'DROP TABLE secrets',
  'REINDEX',
  'ANALYZE',
  'SELECT * FROM sqlite_stat4',
  'SELECT sample FROM "sqlite_stat4"',
  'SELECT * FROM dbstat',
  'SELECT sql FROM sqlite_schema',
  'DELETE FROM sqlite_schema',
  "INSERT INTO t (t) VALUES ('x')",
  'SELECT c0 FROM notes_content',
  'SELECT * FROM notes',
  'SELECT optimize(old) FROM old',
];

/** @param {string} file */
function oracle(file) {
  const db = new BetterSqlite3(file);
  onTestFinished(() => {
    db.close();
  });
  // Durability is not needed.
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = OFF');
  const reset = async () => {
    const names = db.prepare(
      "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name NOT LIKE 'old~_%' ESCAPE '~'",
    );
    for (const { type, name } of /** @type {any[]} */ (names.all())) db.exec(`DROP ${type} "${name}"`);
    db.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, a);
      CREATE TABLE secrets (id INTEGER PRIMARY KEY, s TEXT);
      CREATE INDEX by_secret ON secrets (s);
      CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT, a);
      INSERT INTO numbered (a) VALUES ('one');
      CREATE VIRTUAL TABLE old USING fts4 (a);
      INSERT INTO t (a) VALUES ('one'), ('two'), ('three');
      INSERT INTO secrets (s) VALUES ('${SECRET}'), ('other');
      INSERT INTO old VALUES ('a');
      INSERT INTO old VALUES ('b');
      ANALYZE`);
  };
  const state = async () => {
    const tables = /** @type {{ name: string, sql: string }[]} */ (
      db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'").all()
    );
    const rows = Object.fromEntries(
      tables.map(({ name }) => [
        name,
        db
          .prepare(`SELECT * FROM "${name}"`)
          .raw()
          .all()
          .map((row) => JSON.stringify(row)),
      ]),
    );
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
    return { rows, rest: JSON.stringify([schema, db.pragma('user_version'), db.pragma('database_list').length]) };
  };
  return { db, state, reset };
}

/** @type {[any, string][]} */
const ORDINARY = [
  [{}, "SELECT a, replace(a, 'o', '0') AS b FROM t WHERE a LIKE '%n%' AND id IN (1, 2) ORDER BY 1 LIMIT 5"],
  [{}, "SELECT json_extract('{\"a\":[1,2]}', '$.a[1]') AS x, '{\"a\":1}' ->> 'a' AS y, x'00ff' AS z, 1e5, .5, 0x1f"],
  [{}, 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n'],
  [{}, "INSERT INTO t (a) VALUES ('x') ON CONFLICT DO NOTHING RETURNING id"],
  [{}, 'CREATE TABLE "odd name" (id INTEGER PRIMARY KEY AUTOINCREMENT, a REFERENCES t (id) ON DELETE CASCADE)'],
  [{}, 'CREATE INDEX i ON t (a) WHERE a IS NOT NULL'],
  [{}, 'CREATE VIEW v AS SELECT a FROM t'],
  [{}, 'ALTER TABLE t ADD COLUMN owner TEXT'],
  [{}, 'ALTER TABLE t RENAME TO u'],
  [{}, 'DROP TABLE secrets'],
  [{}, 'ANALYZE t'],
  [{}, 'REINDEX by_secret'],
  [{}, 'EXPLAIN QUERY PLAN SELECT * FROM t'],
  [{ readOnly: true }, 'SELECT count(*) AS n FROM t JOIN secrets USING (id)'],
  [
    { allow: { verbs: ['select', 'insert', 'update'] } },
    "INSERT INTO t (id) VALUES (1) ON CONFLICT DO UPDATE SET a = 'x'",
  ],
  [{ allow: { verbs: ['select', 'replace'] } }, "REPLACE INTO t (id, a) VALUES (1, 'x')"],
  [{ deny: { verbs: ['delete'] } }, "UPDATE t SET a = 'x' WHERE id = 1"],
  [{ allow: { verbs: ['select', 'create', 'alter', 'drop'] } }, 'DROP TABLE t'],
  [{ allow: { tables: ['t'] } }, "SELECT * FROM main.t AS x WHERE a LIKE 'o%' /* secrets */ AND a <> 'secrets'"],
  [{ allow: { tables: ['t'] } }, 'WITH x AS (SELECT * FROM t) UPDATE t SET a = (SELECT max(a) FROM x)'],
  [{ allow: { tables: ['t', 'u'] } }, 'ALTER TABLE t RENAME TO u'],
  [{ allow: { tables: ['numbered'] } }, 'DROP TABLE numbered'],
  [{ allow: { tables: ['numbered', 'u'] } }, 'ALTER TABLE numbered RENAME TO u'],
  [{ deny: { tables: ['secrets'] } }, 'DROP TABLE numbered'],
  [{ allow: { tables: ['t'] } }, 'PRAGMA journal_mode'],
  [{ allow: { tables: ['t', 'x'] } }, 'CREATE TABLE x (a REFERENCES t (id))'],
  [{ allow: { tables: ['t'] } }, 'PRAGMA table_info(t)'],
  [{ deny: { tables: ['secrets'] } }, "INSERT INTO t (a) SELECT a || 'x' FROM t"],
  [{ deny: { tables: ['secrets'] } }, "SELECT 'secrets' = a AS same FROM t"],
];

describe.each(['embedded', 'better-sqlite3'])('rules on SQLite, %s', (kind) => {
  async function bench() {
    const file = join(await tempRoot(), 'test.db');
    const { db, state, reset } = oracle(file);
    await reset();
    if (kind === 'better-sqlite3') return { source: db, state, reset };
    const source = sqlite(file);
    onTestFinished(() => source.close?.());
    return { source, state, reset };
  }

  it('no attempt makes a forbidden change or reveals the secret', async () => {
    const { source, state, reset } = await bench();
    expect(ATTEMPTS.length).toBeGreaterThan(60);
    expect(await violations(source, ATTEMPTS, state, reset)).toEqual([]);
  });

  it('ordinary statements pass', async () => {
    const { source } = await bench();
    expect(await refusedOrdinary(source, ORDINARY)).toEqual([]);
  });
});

describe.each(/** @type {const} */ (['sqlite', 'any']))('rules on SQLite behind a function, dialect %s', (dialect) => {
  it('apply to names in string quotes, and to the tables of full-text search', async () => {
    const { db, state, reset } = oracle(join(await tempRoot(), 'test.db'));
    await reset();
    db.exec(`CREATE VIRTUAL TABLE notes USING fts5(a); INSERT INTO notes VALUES ('${SECRET}')`);
    const source = executor(
      async (sql, params) => {
        const statement = db.prepare(sql);
        if (statement.reader) return statement.all(...params);
        statement.run(...params);
        return [];
      },
      { dialect },
    );
    const run = (/** @type {any} */ options, /** @type {string} */ sql) =>
      createSqlTools(source, { ddl: true, ...options }).exec_sql.execute({ sql });
    const before = await state();
    for (const [options, sql] of [
      [{ deny: { tables: ['secrets'] } }, "UPDATE OR IGNORE 'secrets' SET s = 'z'"],
      [{ deny: { tables: ['secrets'] } }, `SELECT '${SECRET}' IN 'secrets' AS found`],
      [{ deny: { tables: ['notes'] } }, 'SELECT * FROM notes_content'],
      [{ deny: { tables: ['notes'] } }, "SELECT * FROM t, 'notes_content'"],
      [{ deny: { verbs: ['delete'] } }, "WITH c AS (SELECT #p [ ' ]) DELETE FROM t -- '"],
      [{ allow: { tables: ['t'] } }, "SELECT $$+' $$, s FROM secrets -- '"],
    ]) {
      await expect(run(options, String(sql)), String(sql)).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_/),
      });
    }
    expect(await state()).toEqual(before);
    expect(await run({ deny: { tables: ['notes'] } }, 'SELECT count(*) AS n FROM t')).toEqual([{ n: 3 }]);
  });
});

describe('rules on the embedded SQLite', () => {
  /** @param {string} setUp */
  async function bench(setUp) {
    const file = join(await tempRoot(), 'test.db');
    const { db, state, reset } = oracle(file);
    await reset();
    db.exec(setUp);
    const source = sqlite(file);
    onTestFinished(() => source.close?.());
    return {
      source,
      state,
      run: (/** @type {any} */ options) => createSqlTools(source, { ddl: true, ...options }).exec_sql.execute,
    };
  }

  it('hold below views, in triggers and in the tables of full-text search', async () => {
    const { run } = await bench(`CREATE VIEW seen AS SELECT s FROM secrets;
      CREATE TRIGGER copy AFTER INSERT ON t BEGIN INSERT INTO t (a) SELECT s FROM secrets; END;
      CREATE VIRTUAL TABLE notes USING fts5(a); INSERT INTO notes VALUES ('${SECRET}');
      CREATE TABLE notes_by (a); INSERT INTO notes_by VALUES ('free')`);
    const denied = run({ deny: { tables: ['secrets', 'notes'] } });
    for (const sql of [
      'SELECT * FROM seen',
      'WITH t AS (SELECT * FROM seen) SELECT * FROM t',
      "INSERT INTO t (a) VALUES ('x')",
      'SELECT * FROM notes',
      'SELECT * FROM notes_content',
      'SELECT * FROM notes_data',
      'SELECT * FROM sqlite_stat1',
    ]) {
      await expect(denied({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    expect(await denied({ sql: 'SELECT * FROM notes_by' })).toEqual([{ a: 'free' }]);
    const searching = run({ allow: { tables: ['notes'] } });
    expect(await searching({ sql: "SELECT count(*) AS n FROM notes WHERE notes MATCH 'live'" })).toEqual([{ n: 1 }]);
    expect(await searching({ sql: "INSERT INTO notes VALUES ('new')" })).toMatchObject([
      { affected: expect.any(Number) },
    ]);
  });

  it('for verbs apply to the statement, not to triggers and foreign keys of the owner', async () => {
    const { run, state } = await bench(`CREATE TABLE log (a);
      CREATE TRIGGER keep AFTER INSERT ON t BEGIN DELETE FROM log; INSERT INTO log VALUES (new.a); END;
      CREATE TABLE parts (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t (id) ON DELETE SET NULL);
      INSERT INTO parts (t) VALUES (1)`);
    const appending = run({ allow: { verbs: ['select', 'insert'] } });
    expect(await appending({ sql: "INSERT INTO t (a) VALUES ('four')" })).toMatchObject([
      { affected: expect.any(Number) },
    ]);
    const deleting = run({ allow: { verbs: ['select', 'delete'] } });
    expect(await deleting({ sql: 'DELETE FROM t WHERE id = 1' })).toMatchObject([{ affected: expect.any(Number) }]);
    const { rows } = await state();
    expect(rows.log).toEqual(['["four"]']);
    expect(rows.parts).toEqual(['[1,null]']);
    await expect(deleting({ sql: 'UPDATE parts SET t = 2' })).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });

  it('a command of full-text search that removes rows is not an insert', async () => {
    const folder = await tempRoot();
    const db = new BetterSqlite3(join(folder, 'search.db'));
    onTestFinished(() => {
      db.close();
    });
    db.exec("CREATE VIRTUAL TABLE notes USING fts5(a, content=''); INSERT INTO notes (rowid, a) VALUES (1, 'kept')");
    const source = sqlite(join(folder, 'search.db'));
    onTestFinished(() => source.close?.());
    const found = () => db.prepare("SELECT rowid FROM notes WHERE notes MATCH 'kept'").all().length;
    const rules = [{ deny: { verbs: ['delete'] } }, { allow: { verbs: ['select', 'insert'] } }];
    for (const options of rules) {
      const { exec_sql } = createSqlTools(source, /** @type {any} */ (options));
      for (const [sql, ...params] of [
        ["INSERT INTO notes(notes) VALUES ('delete-all')"],
        ['INSERT INTO notes(notes) VALUES (?)', 'delete-all'],
        ["INSERT INTO main.notes AS n ('notes', rowid, a) VALUES ('delete', 1, 'kept')"],
        ['WITH c(x) AS (VALUES (\'delete-all\')) INSERT OR IGNORE INTO [NOTES]("Notes") SELECT x FROM c'],
      ]) {
        await expect(exec_sql.execute({ sql, params }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
        expect(found(), sql).toBe(1);
      }
      expect(await exec_sql.execute({ sql: "INSERT INTO notes(a) VALUES ('more')" })).toHaveLength(1);
    }
    const { exec_sql } = createSqlTools(source);
    await exec_sql.execute({ sql: "INSERT INTO notes(notes) VALUES ('delete-all')" });
    expect(found()).toBe(0);
  });
});
