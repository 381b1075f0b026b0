import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sqlGuide } from '../../dist/sql/sql_guide.js';
import { createSqlTools, SecurityViolation, sqlite } from '../../index.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const CHANGES = [
  'CREATE TABLE t (a int)',
  'CREATE INDEX i ON items (name)',
  'CREATE VIEW v AS SELECT 1',
  'ALTER TABLE items ADD COLUMN a int',
  'DROP TABLE items',
  'REINDEX items',
  'ANALYZE',
];

/** A file with one table. */
async function shop() {
  const file = join(await tempRoot(), 'shop.db');
  const db = new BetterSqlite3(file);
  db.exec("CREATE TABLE items (name TEXT); INSERT INTO items VALUES ('a')");
  db.close();
  return file;
}

describe('changes of the schema', () => {
  it('are refused in createSqlTools and in tools, with an alternative', async () => {
    const file = await shop();
    const { exec_sql } = createSqlTools(sqlite(file));
    const { forge } = await sqlKernel(sqlite(file));
    const tool = await forge('return tgp.exec_sql(args.sql)');
    for (const sql of CHANGES) {
      const failure = await exec_sql.execute({ sql }).catch((error) => error);
      expect(failure, sql).toBeInstanceOf(SecurityViolation);
      expect(failure.details, sql).toMatchObject({ reason: 'ddl' });
      expect(failure.message, sql).toMatch(/would change the schema.*(Use the tables|Leave it out)/);
      await expect(tool({ sql }), sql).rejects.toThrow(/would change the schema/);
    }
    await expect(exec_sql.execute({ sql: 'TRUNCATE items' })).rejects.toThrow('Remove the rows with DELETE FROM.');
    expect(await exec_sql.execute({ sql: "UPDATE items SET name = 'b'" })).toEqual([{ affected: 1 }]);
  });

  it('are allowed with ddl: true, and never with readOnly', async () => {
    const file = await shop();
    const { exec_sql } = createSqlTools(sqlite(file), { ddl: true });
    for (const sql of CHANGES.filter((sql) => !sql.startsWith('DROP'))) await exec_sql.execute({ sql });
    const { forge } = await sqlKernel({ source: sqlite(file), ddl: true });
    await (await forge("await tgp.exec_sql('CREATE TABLE made (a int)'); return 1"))();
    const reading = createSqlTools(sqlite(file), { ddl: true, readOnly: true }).exec_sql;
    for (const sql of CHANGES) await expect(reading.execute({ sql }), sql).rejects.toThrow(/read-only/);
    expect(await reading.execute({ sql: "SELECT count(*) AS n FROM sqlite_schema WHERE name = 'made'" })).toEqual([
      { n: 1 },
    ]);
  });

  it('require ddl: true for rules with schema verbs, checked at construction', () => {
    const source = sqlite(':memory:');
    expect(() => createSqlTools(source, { allow: { verbs: ['select', 'create'] } })).toThrow(
      expect.objectContaining({
        code: 'ERR_CONFIG',
        message: expect.stringMatching(/"allow.verbs" names "create".*needs ddl: true/),
        details: { field: 'allow.verbs' },
      }),
    );
    createSqlTools(source, { allow: { verbs: ['select', 'create'] }, ddl: true });
  });
});

describe('options of the SQL tools', () => {
  it.each([
    [{ readonly: true }, 'readonly', 'did you mean "readOnly"'],
    [{ maxRow: 5 }, 'maxRow', 'did you mean "maxRows"'],
    [{ readOnly: 'yes' }, 'readOnly', 'true or false'],
    [{ ddl: 1 }, 'ddl', 'true or false'],
    [{ dryRun: null }, 'dryRun', 'true or false'],
    [{ allow: { table: ['a'] } }, 'allow.table', 'did you mean "allow.tables"'],
    [{ allow: { tables: 'a' } }, 'allow.tables', 'a list'],
    [{ deny: { verbs: ['commit'] } }, 'deny.verbs.0', 'select'],
  ])('%j is refused by name', (options, field, text) => {
    /** @type {any} */
    const given = options;
    expect(() => createSqlTools(sqlite(':memory:'), given)).toThrow(
      expect.objectContaining({
        code: 'ERR_CONFIG',
        message: expect.stringContaining(text),
        details: expect.objectContaining({ field }),
      }),
    );
  });
});

describe('a file that is only read', () => {
  it('keeps its journal mode, and gets WAL with the first run that may write', async () => {
    const file = await shop();
    const before = readFileSync(file);
    const reading = createSqlTools(sqlite(file), { readOnly: true });
    expect(await reading.exec_sql.execute({ sql: 'SELECT name FROM items' })).toEqual([{ name: 'a' }]);
    await reading.describe_schema.execute({});
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(`${file}-wal`)).toBe(false);
    await createSqlTools(sqlite(file)).exec_sql.execute({ sql: "INSERT INTO items VALUES ('b')" });
    const db = new BetterSqlite3(file);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  });
});

describe('sqlGuide', () => {
  const run = async () => [];
  it.each([
    ['a file', sqlite(':memory:'), { dialect: 'SQLite', placeholders: '?', readOnly: false, ddl: false }],
    ['a plain function', run, { dialect: undefined, placeholders: '?', readOnly: false, ddl: false, atomic: false }],
    [
      'settings',
      { source: sqlite(':memory:'), readOnly: true, ddl: true },
      { dialect: 'SQLite', placeholders: '?', readOnly: true, ddl: false },
    ],
    [
      'a pool of pg',
      { source: { connect: run, query: run }, ddl: true },
      { dialect: 'PostgreSQL', placeholders: '$1', readOnly: false, ddl: true },
    ],
    [
      'a pool of mysql2',
      { source: { getConnection: run }, ddl: true },
      { dialect: 'MySQL', placeholders: '?', readOnly: false, ddl: false },
    ],
    [
      '{ query, transaction }',
      { query: run, transaction: run, dialect: 'postgres' },
      { dialect: 'PostgreSQL', placeholders: '$1', readOnly: false, ddl: false },
    ],
    [
      'rules that allow only reading',
      { source: sqlite(':memory:'), allow: { verbs: ['select'] } },
      { dialect: 'SQLite', placeholders: '?', readOnly: true, ddl: false },
    ],
  ])('describes %s', (_, source, guide) => {
    expect(sqlGuide(source)).toEqual({ atomic: true, ...guide });
  });
});
