import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, executor, sqlite } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const TABLES = 50_000;

/** @param {(db: import('better-sqlite3').Database) => void} fill */
async function schemaOf(fill) {
  const file = join(await tempRoot(), 'schema.db');
  const db = new BetterSqlite3(file);
  db.pragma('synchronous = OFF');
  db.transaction(() => fill(db))();
  db.close();
  const source = sqlite(file);
  onTestFinished(() => source.close?.());
  return createSqlTools(source, { statementTimeoutMs: 60_000, resultChars: 10_000_000 }).describe_schema;
}

describe('describe_schema of a hostile schema is bounded', () => {
  it(`${TABLES} tables: a hundred are described, a thousand named, the others counted`, async () => {
    const catalogue = Array.from({ length: TABLES }, (_, index) => ({ id: index, name: `t${index}`, kind: 'table' }));
    const run = (/** @type {string} */ sql) => (sql.includes('s.type AS kind') ? catalogue : []);
    const { describe_schema } = createSqlTools(executor(run, { dialect: 'sqlite' }));
    const { tables, notShown, notNamed } = await describe_schema.execute({});
    expect(tables).toHaveLength(100);
    expect(notShown).toHaveLength(1_000);
    expect(notNamed).toBe(TABLES - 1_100);
    expect((await describe_schema.execute({ table: 't49999' })).tables).toMatchObject([{ name: 't49999' }]);
  });

  it('names and types of a megabyte are truncated or omitted', async () => {
    const long = 'n'.repeat(1_000_000);
    const tool = await schemaOf((db) => {
      db.exec(`CREATE TABLE "${long}" (a)`);
      db.exec(`CREATE TABLE wide ("${long}" ${long})`);
      db.exec(`CREATE TABLE child (a REFERENCES "${long}" ("${long}"))`);
    });
    const described = await tool.execute({});
    expect(described.tables.map(({ name }) => name)).toEqual(['child', 'wide']);
    expect(described.tables[1]?.columns[0]?.name).toHaveLength(256);
    expect(JSON.stringify(described).length).toBeLessThan(3_000);
  });

  it('tables with too many columns are only listed by name', async () => {
    const columns = Array.from({ length: 1_900 }, (_, index) => `c${index}`).join(', ');
    const tool = await schemaOf((db) => {
      for (let index = 0; index < 8; index += 1) db.exec(`CREATE TABLE w${index} (${columns})`);
    });
    const { tables, notShown } = await tool.execute({});
    expect(tables.map((table) => table.columns.length)).toEqual([1_900, 1_900, 1_900, 1_900, 1_900]);
    expect(notShown).toEqual(['w5', 'w6', 'w7']);
  });

  it('catalogue values are never interpolated into statements', async () => {
    /** @type {string[]} */
    const statements = [];
    const catalogue = [
      { id: "1') OR ('1'='1", name: 'injected', kind: 'table' },
      { id: { toString: 'no' }, name: 'odd', kind: {} },
      { id: 7, name: { toString: 'no' }, kind: 'table' },
      { id: 8, name: 'good', kind: 'table' },
    ];
    const run = (/** @type {string} */ sql) => {
      statements.push(sql);
      return sql.includes('s.type AS kind') ? catalogue : [];
    };
    const { describe_schema } = createSqlTools(executor(run, { dialect: 'sqlite' }));
    const { tables } = await describe_schema.execute({});
    expect(tables.map(({ name }) => name)).toEqual(['good']);
    expect(statements.filter((sql) => sql.includes('pragma_table_info')).join()).toContain("IN ('8')");
    expect(statements.join()).not.toContain('OR (');
  });
});
