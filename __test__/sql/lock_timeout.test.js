import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import makeKnex from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { betterSqlite3, createSqlTools, knex, sqlite } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const STATEMENT_MS = 300;
/** Below the 5 s that a connection waits for a lock on its own. */
const MOST_MS = 3_000;

const HOLDER = `
  const [file, begin] = process.argv.slice(-2);
  const db = new (require('better-sqlite3'))(file);
  db.exec(begin);
  process.stdout.write('held');
  process.stdin.on('data', () => process.exit()).on('end', () => process.exit());`;

/**
 * Another process that holds a lock of the file.
 * @param {string} file
 * @param {string} begin
 */
async function locked(file, begin) {
  const holder = spawn(process.execPath, ['-e', HOLDER, file, begin], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    holder.kill();
  });
  await once(holder.stdout, 'data');
  return async () => {
    holder.stdin.write('end');
    await once(holder, 'exit');
  };
}

/** @param {string} file */
function driver(file) {
  const db = new BetterSqlite3(file);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

/** @type {Record<string, (file: string) => any>} */
const SOURCES = {
  'the embedded SQLite': (file) => sqlite(file),
  'better-sqlite3': (file) => driver(file),
  'better-sqlite3 on the main thread': (file) => betterSqlite3(driver(file), { onMainThread: true }),
  'knex on the main thread': (file) => {
    const made = makeKnex({ client: 'better-sqlite3', connection: { filename: file }, useNullAsDefault: true });
    onTestFinished(() => made.destroy());
    return knex(made, { onMainThread: true });
  },
};

describe('statementTimeoutMs bounds the wait for a lock of SQLite', () => {
  for (const [name, open] of Object.entries(SOURCES)) {
    for (const [mode, begin, sql] of [
      ['delete', 'BEGIN IMMEDIATE', "INSERT INTO items (name) VALUES ('a')"],
      ['wal', 'BEGIN IMMEDIATE', "INSERT INTO items (name) VALUES ('a')"],
      ['delete', 'BEGIN EXCLUSIVE', 'SELECT count(*) AS n FROM items'],
    ]) {
      // The embedded SQLite turns a file to WAL, where readers do not wait.
      if (begin === 'BEGIN EXCLUSIVE' && name === 'the embedded SQLite') continue;
      it(`${name}: ${sql?.slice(0, 6)} beside ${begin} (${mode})`, async () => {
        const file = join(await tempRoot(), 'app.db');
        const owner = new BetterSqlite3(file);
        owner.pragma(`journal_mode = ${mode}`);
        owner.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
        owner.close();
        const source = open(file);
        const { exec_sql } = createSqlTools(source, { statementTimeoutMs: STATEMENT_MS });
        // Opens the connection, whose setup is not part of a statement.
        await exec_sql.execute({ sql: 'SELECT count(*) AS n FROM items' });
        const release = await locked(file, begin ?? '');
        const started = performance.now();
        const failure = await exec_sql.execute({ sql: sql ?? '' }).catch((/** @type {any} */ error) => error);
        expect(performance.now() - started).toBeLessThan(MOST_MS);
        expect(failure).toMatchObject({ code: 'ERR_SQL' });
        await release();
        await exec_sql.execute({ sql: sql ?? '' });
        const [row] = await exec_sql.execute({ sql: 'SELECT count(*) AS n FROM items' });
        expect(row).toEqual({ n: sql?.startsWith('INSERT') ? 1 : 0 });
      });
    }
  }

  it('the own waiting time of the application is as before', async () => {
    const file = join(await tempRoot(), 'app.db');
    const db = driver(file);
    db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY)');
    const { exec_sql } = createSqlTools(betterSqlite3(db, { onMainThread: true }), {
      statementTimeoutMs: STATEMENT_MS,
    });
    await exec_sql.execute({ sql: 'INSERT INTO items VALUES (1)' });
    await exec_sql.execute({ sql: 'INSERT INTO missing VALUES (1)' }).catch(() => {});
    expect(db.pragma('busy_timeout', { simple: true })).toBe(5_000);
  });
});
