import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3';
import makeKnex from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { betterSqlite3, createSqlTools, drizzle, knex } from '../../index.js';
import { otherNodes } from '../../tools/other_nodes.mjs';
import { MAX_MB, runAttacks } from '../helpers/run_attacks.js';
import { tempRoot } from '../helpers/temp_root.js';

/** A statement on the main thread would delay the event loop longer than this; a loaded machine does not. */
const BLOCKED_MS = 2_000;

const ATTACKS = [
  {
    name: 'an endless count',
    sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n',
    options: { statementTimeoutMs: 2_500 },
    outcome: { ok: false, code: 'ERR_SQL', reason: 'timeout' },
  },
  {
    name: 'rows without end',
    sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, printf('%.*c', 1000, 'x') AS x FROM n`,
    outcome: { ok: false, code: 'ERR_SQL', reason: 'maxBytes' },
  },
];

/**
 * @param {string} source
 * @param {string[]} [command]
 */
async function staysResponsive(source, command) {
  const outcomes = await runAttacks(source, {}, ATTACKS, command);
  for (const [index, outcome] of outcomes.entries()) {
    expect(outcome, outcome.attack).toMatchObject({ ...ATTACKS[index]?.outcome, next: '[{"word":"fine"}]' });
    expect(outcome.lateMs, outcome.attack).toBeLessThan(BLOCKED_MS);
    expect(outcome.peakMb, outcome.attack).toBeLessThanOrEqual(MAX_MB);
  }
}

describe('statements of tools do not run on drivers of the main thread', () => {
  it.concurrent.each(['better-sqlite3', 'drizzle over better-sqlite3', 'knex over better-sqlite3'])(
    '%s: an endless statement blocks nothing and is stopped',
    (source) => staysResponsive(source),
    60_000,
  );

  it('node:sqlite: an endless statement blocks nothing and is stopped', async () => {
    for (const node of otherNodes()) await staysResponsive('node:sqlite', [node, '--experimental-sqlite']);
  });
});

/** A program that checks node:sqlite, for the versions of Node that have it. */
const NODE_SQLITE = `
  const { DatabaseSync } = await import('node:sqlite');
  const { createSqlTools, nodeSqlite } = await import(${JSON.stringify(new URL('../../index.js', import.meta.url).href)});
  const report = {};
  const run = async (source, sql) => createSqlTools(source).exec_sql.execute({ sql });
  const outcome = (work) => work.then((rows) => rows, (error) => error.details.reason ?? error.code);
  const file = process.argv[1];
  const db = new DatabaseSync(file);
  db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY)');
  report.writes = await run(db, 'INSERT INTO items VALUES (1)');
  report.timeout = db.prepare('PRAGMA busy_timeout').get().timeout;
  db.exec('BEGIN IMMEDIATE; INSERT INTO items VALUES (7)');
  const fresh = new DatabaseSync(file);
  report.besideAWriter = await run(fresh, 'SELECT count(*) AS n FROM items');
  db.exec('ROLLBACK');
  fresh.exec('BEGIN');
  const busy = new DatabaseSync(file);
  busy.exec('BEGIN');
  report.ownTransaction = await outcome(run(busy, 'SELECT 1 AS one'));
  busy.exec('ROLLBACK');
  fresh.exec('ROLLBACK');
  const reading = new DatabaseSync(file, { readOnly: true });
  report.reads = await run(reading, 'SELECT count(*) AS n FROM items');
  report.readOnly = await outcome(run(reading, 'INSERT INTO items VALUES (2)'));
  report.left = db.prepare('SELECT count(*) AS n FROM items').get().n;
  const memory = new DatabaseSync(':memory:');
  try { createSqlTools(memory); } catch (error) { report.memory = error.code; }
  report.optedIn = await run(nodeSqlite(memory, { onMainThread: true }), 'SELECT 1 AS one');
  console.log(JSON.stringify(report));
`;

it('node:sqlite: readOnly, open transactions and databases in memory are respected', async () => {
  for (const node of otherNodes()) {
    const args = ['--experimental-sqlite', '--input-type=module', '-e', NODE_SQLITE, join(await tempRoot(), 'app.db')];
    const { stdout } = await promisify(execFile)(node, args);
    expect(JSON.parse(stdout), node).toEqual({
      writes: [{ affected: 1 }],
      timeout: 0,
      besideAWriter: [{ n: 1 }],
      ownTransaction: 'busy',
      reads: [{ n: 1 }],
      readOnly: 'database',
      left: 1,
      memory: 'ERR_CONFIG',
      optedIn: [{ one: 1 }],
    });
  }
});

/** @param {import('better-sqlite3').Options} [options] */
async function database(options) {
  const file = join(await tempRoot(), 'app.db');
  const owner = new BetterSqlite3(file);
  owner.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
  owner.exec('CREATE TABLE parts (item INTEGER REFERENCES items (id))');
  const db = options ? new BetterSqlite3(file, options) : owner;
  onTestFinished(() => {
    db.close();
    owner.close();
  });
  return { db, owner, run: (/** @type {string} */ sql) => createSqlTools(db).exec_sql.execute({ sql }) };
}

describe('better-sqlite3: tools use a separate connection to the file', () => {
  it('commits are visible to both sides', async () => {
    const { db, run } = await database();
    db.exec("INSERT INTO items (name) VALUES ('mine')");
    expect(await run('SELECT name FROM items')).toEqual([{ name: 'mine' }]);
    await run("INSERT INTO items (name) VALUES ('theirs')");
    expect(db.prepare('SELECT count(*) AS n FROM items').get()).toEqual({ n: 2 });
  });

  it('the file keeps its journal mode', async () => {
    const { db, run } = await database();
    expect(db.pragma('journal_mode', { simple: true })).toBe('delete');
    await run("INSERT INTO items (name) VALUES ('a')");
    expect(db.pragma('journal_mode', { simple: true })).toBe('delete');
  });

  it('a read-only database stays read-only for tools', async () => {
    const { run, owner } = await database({ readonly: true });
    expect(await run('SELECT count(*) AS n FROM items')).toEqual([{ n: 0 }]);
    await expect(run("INSERT INTO items (name) VALUES ('a')")).rejects.toMatchObject({ code: 'ERR_SQL' });
    expect(owner.prepare('SELECT count(*) AS n FROM items').get()).toEqual({ n: 0 });
  });

  it.each([
    ['ON', 'rejected'],
    ['OFF', 'accepted'],
  ])('foreign keys are enforced as in the application: %s', async (setting, expected) => {
    const { db, run } = await database();
    db.pragma(`foreign_keys = ${setting}`);
    const outcome = run('INSERT INTO parts VALUES (99)').then(
      () => 'accepted',
      () => 'rejected',
    );
    expect(await outcome).toBe(expected);
  });

  it("the application's own open transaction is neither joined nor waited for", async () => {
    const { db, run } = await database();
    db.exec("BEGIN IMMEDIATE; INSERT INTO items (name) VALUES ('open')");
    await expect(run("INSERT INTO items (name) VALUES ('a')")).rejects.toMatchObject({
      code: 'ERR_SQL',
      details: { reason: 'busy' },
    });
    expect(await run('SELECT count(*) AS n FROM items')).toEqual([{ n: 0 }]);
    db.exec('ROLLBACK');
    expect(await run("INSERT INTO items (name) VALUES ('a')")).toEqual([{ affected: 1 }]);
  });

  it('a missing application function is named, with advice', async () => {
    const { db, run } = await database();
    db.function('slug', (text) => String(text).toLowerCase());
    await expect(run("SELECT slug('A') AS s")).rejects.toThrow(/slug.*onMainThread: true/s);
    const { exec_sql } = createSqlTools(betterSqlite3(db, { onMainThread: true }));
    expect(await exec_sql.execute({ sql: "SELECT slug('A') AS s" })).toEqual([{ s: 'a' }]);
  });

  it('a database that was closed is an error of the call', async () => {
    const { db, run } = await database({});
    await run('SELECT 1 AS one');
    db.close();
    await expect(run('SELECT 1 AS one')).rejects.toMatchObject({ code: 'ERR_SQL', details: { reason: 'closed' } });
  });
});

describe('an in-memory database is refused without opt-in', () => {
  it.each(['better-sqlite3', 'drizzle'])('%s', async (name) => {
    const db = new BetterSqlite3(':memory:');
    onTestFinished(() => {
      db.close();
    });
    const source = name === 'drizzle' ? drizzleSqlite(db) : db;
    expect(() => createSqlTools(source)).toThrow(/onMainThread: true/);
    const optedIn =
      name === 'drizzle' ? drizzle(source, { onMainThread: true }) : betterSqlite3(db, { onMainThread: true });
    expect(await createSqlTools(optedIn).exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
  });

  it('knex', async () => {
    const instance = makeKnex({
      client: 'better-sqlite3',
      connection: { filename: ':memory:' },
      useNullAsDefault: true,
    });
    onTestFinished(() => instance.destroy());
    const statement = { sql: 'SELECT 1 AS one' };
    await expect(createSqlTools(instance).exec_sql.execute(statement)).rejects.toMatchObject({ code: 'ERR_CONFIG' });
    const optedIn = createSqlTools(knex(instance, { onMainThread: true }));
    expect(await optedIn.exec_sql.execute(statement)).toEqual([{ one: 1 }]);
  });
});
