import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import mysql from 'mysql2/promise';
import pgPackage from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

const TABLES = [
  'CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20), email VARCHAR(20))',
  'CREATE TABLE orders (id INT PRIMARY KEY, user_id INT, total INT)',
  'CREATE TABLE secrets (id INT PRIMARY KEY, token VARCHAR(20))',
];

/** @type {Record<string, () => Promise<{ sources: Record<string, any>, close: () => Promise<unknown> }>>} */
const DATABASES = {
  SQLite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tgp-texts-'));
    const file = join(folder, 'app.db');
    const db = new BetterSqlite3(file);
    for (const sql of TABLES) db.exec(sql);
    db.close();
    const opened = new BetterSqlite3(file);
    const memory = sqlite(':memory:');
    const tools = createSqlTools(memory, { ddl: true });
    for (const sql of TABLES) await tools.exec_sql.execute({ sql });
    const sources = { 'a file': sqlite(file), 'in memory': memory, 'better-sqlite3': opened };
    const close = async () => {
      opened.close();
      await rm(folder, { recursive: true });
    };
    return { sources, close };
  },
  ...(hasServer('postgres') && {
    PostgreSQL: async () => {
      const server = await ownDatabase('postgres');
      const settings = { ...server.settings, max: 1 };
      const pool = new pgPackage.Pool(settings);
      for (const sql of TABLES) await pool.query(sql);
      const sql = postgres({ ...settings, onnotice: () => {} });
      const close = async () => {
        await pool.end();
        await sql.end({ timeout: 1 });
        await server.stop();
      };
      return { sources: { pg: pool, 'postgres.js': sql }, close };
    },
  }),
  ...(hasServer('mariadb') && {
    MariaDB: async () => {
      const server = await ownDatabase('mariadb');
      const oracle = await mysql.createConnection(server.settings);
      for (const sql of TABLES) await oracle.query(sql);
      await oracle.end();
      const pool = mysql.createPool({ ...server.settings, connectionLimit: 1 });
      const close = async () => {
        await pool.end();
        await server.stop();
      };
      return { sources: { mysql2: pool }, close };
    },
  }),
};

describe.each(Object.keys(DATABASES))('messages for a model about wrong SQL, on %s', (name) => {
  /** @type {Record<string, any>} */
  let sources = {};
  /** @type {() => Promise<unknown>} */
  let close = async () => {};

  beforeAll(async () => {
    ({ sources, close } = await /** @type {any} */ (DATABASES[name])());
  });
  afterAll(() => close());

  /**
   * The error of a statement on each source of the database; all have the same message.
   * @param {string} sql
   * @param {import('../../index.js').SqlToolOptions} [options]
   */
  const failures = async (sql, options) =>
    Promise.all(
      Object.values(sources).map((source) =>
        createSqlTools(source, options)
          .exec_sql.execute({ sql })
          .then(
            () => new Error('nothing failed'),
            (/** @type {any} */ error) => error,
          ),
      ),
    );

  it('an unknown table: suggests the similar one and lists the others', async () => {
    for (const failure of await failures('SELECT * FROM usres')) {
      expect(failure).toMatchObject({ code: 'ERR_SQL', details: { suggestion: 'users' } });
      expect(failure.message).toMatch(
        /Did you mean users\? The other tables are (orders, secrets|secrets, orders)\. \[ERR_SQL\]$/,
      );
    }
    for (const failure of await failures('SELECT * FROM warehouse_locations')) {
      expect(failure.message).toMatch(/The tables are (\w+, ){2}\w+\. \[ERR_SQL\]$/);
      expect(failure.message).not.toContain('Did you mean');
    }
  });

  it('tables that tools may not access are not listed', async () => {
    for (const failure of await failures('SELECT * FROM usres', { deny: { tables: ['secrets'] } })) {
      expect(failure.message).toContain('Did you mean users? The other tables are orders.');
    }
  });

  it('an unknown column: suggests the similar one and lists the others of its table', async () => {
    for (const failure of await failures('SELECT nmae FROM users')) {
      expect(failure).toMatchObject({ code: 'ERR_SQL', details: { suggestion: 'name' } });
      expect(failure.message).toMatch(
        /Did you mean name\? The other columns of users are (id|email), (email|id)\. \[ERR_SQL\]$/,
      );
    }
    for (const failure of await failures('SELECT u.birthday FROM users u WHERE u.id = 1')) {
      expect(failure.message).toMatch(/The columns of users are (\w+, ){2}\w+\. \[ERR_SQL\]$/);
    }
    for (const failure of await failures('INSERT INTO orders (id, totl) VALUES (1, 2)')) {
      expect(failure.message).toContain('Did you mean total?');
    }
    for (const failure of await failures('SELECT o.emial FROM orders o JOIN users u ON u.id = o.user_id')) {
      expect(failure.message).toContain('Did you mean email?');
    }
  });

  it.each([
    ['SELCT * FROM users', 'SELCT is not a word that a statement can begin with. Did you mean SELECT?'],
    ['selet 1', 'Did you mean SELECT?'],
    ['INSRT INTO users VALUES (1)', 'Did you mean INSERT?'],
    ['SELECT id FORM users', 'Did you mean FROM instead of FORM?'],
    ['SELECT * FROM users WHER id = 1', 'Did you mean WHERE instead of WHER?'],
    ['SELECT * FROM orders ODER BY id', 'Did you mean ORDER instead of ODER?'],
  ])('a misspelt keyword: %s', async (sql, advice) => {
    for (const failure of await failures(sql)) {
      expect(failure.code).toBe('ERR_SQL');
      expect(failure.message).toContain(advice);
    }
  });

  it.each([
    ['SELECT 1; SELECT 2', 'Call exec_sql once for each statement.'],
    ['COMMIT', 'Leave it out'],
    ['DROP TABLE users', 'ask for a migration of the application if something is missing.'],
    ['GRANT ALL ON users TO x', 'Use SELECT, WITH, INSERT, UPDATE, DELETE, REPLACE, MERGE or EXPLAIN.'],
  ])('a refusal has advice: %s', async (sql, advice) => {
    for (const failure of await failures(sql)) {
      expect(failure.code).toBe('ERR_SECURITY_VIOLATION');
      expect(failure.message).toContain(advice);
    }
  });

  it('no message repeats itself', async () => {
    for (const sql of ['SELECT * FROM usres', 'SELECT nmae FROM users', 'SELCT 1', 'SELECT id FORM users', 'COMMIT']) {
      for (const { message } of await failures(sql)) {
        const sentences = message.split(/(?<=[.?]) /);
        expect(new Set(sentences).size, message).toBe(sentences.length);
        expect(message.match(/Did you mean/g)?.length ?? 0, message).toBeLessThanOrEqual(1);
      }
    }
  });

  it('a tool gets the same message, its writes are rolled back, and the only connection is released', async () => {
    for (const source of Object.values(sources)) {
      const { forge } = await sqlKernel(source);
      const tool = await forge(
        `await tgp.exec_sql("INSERT INTO users VALUES (7, 'a', 'b')"); return tgp.exec_sql('SELECT * FROM usres')`,
      );
      await expect(tool()).rejects.toThrow(/Did you mean users\?/);
      const count = await forge('return tgp.exec_sql("SELECT id FROM users")');
      expect((await count()).result).toEqual([]);
    }
  });
});
