import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, createSqlTools, executor, TGP } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** A database behind a plain function that records every call. */
function application() {
  const db = new BetterSqlite3(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.exec('CREATE TABLE items (name TEXT NOT NULL)');
  /** @type {[string, any[]][]} */
  const calls = [];
  /** @type {import('../../index.js').SqlExecutor} */
  const run = async (sql, params) => {
    calls.push([sql, params]);
    const statement = db.prepare(sql);
    if (statement.reader) return statement.all(...params);
    return statement.run(...params);
  };
  const names = () => db.prepare('SELECT name FROM items ORDER BY rowid').pluck().all();
  return { db, run, calls, names };
}

/** A logger that records warnings. */
function warningLogger() {
  /** @type {string[]} */
  const warnings = [];
  const logger = { debug() {}, info() {}, warn: (/** @type {string} */ message) => warnings.push(message), error() {} };
  return { warnings, logger };
}

const insert = (/** @type {string} */ name) => `await tgp.exec_sql('INSERT INTO items VALUES (?)', ['${name}']);`;

describe('a plain SQL executor, as in the TypeScript package', () => {
  it('createSqlTools calls it once for each statement, and sends no other statements', async () => {
    const { run, calls, names } = application();
    const { exec_sql } = createSqlTools(run);
    expect(await exec_sql.execute({ sql: 'INSERT INTO items VALUES (?)', params: ['a'] })).toEqual([{ affected: 1 }]);
    expect(await exec_sql.execute({ sql: 'SELECT name FROM items' })).toEqual([{ name: 'a' }]);
    await expect(exec_sql.execute({ sql: 'SELECT * FROM nowhere' })).rejects.toThrow(/no such table/);
    expect(calls).toEqual([
      ['INSERT INTO items VALUES (?)', ['a']],
      ['SELECT name FROM items', []],
      ['SELECT * FROM nowhere', []],
    ]);
    expect(names()).toEqual(['a']);
  });

  it('a result without a count is returned unchanged: no rows do not mean "0 changed"', async () => {
    const { exec_sql } = createSqlTools(async () => []);
    expect(await exec_sql.execute({ sql: 'INSERT INTO items VALUES (1)' })).toEqual([]);
  });

  it('new TGP({ sql }) calls it once for each statement of a run, in order, nested tools included', async () => {
    const { run, calls, names } = application();
    const { forge } = await sqlKernel(run, { logger: warningLogger().logger });
    await forge(`${insert('inner')} return 1`, 'tools/inner.ts');
    const tool = await forge(
      `await Promise.all(['a', 'b'].map((name) => tgp.exec_sql('INSERT INTO items VALUES (?)', [name])));
       await tgp.exec_tool('tools/inner.ts', {});
       return (await tgp.exec_sql('SELECT count(*) AS n FROM items'))[0].n`,
    );
    expect((await tool()).result).toBe(3);
    expect(calls.map(([sql]) => sql.split(' ')[0])).toEqual(['INSERT', 'INSERT', 'INSERT', 'SELECT']);
    expect(names()).toEqual(['a', 'b', 'inner']);
  });

  it('statements before a failure are kept', async () => {
    const { run, calls, names } = application();
    const { forge } = await sqlKernel(run, { logger: warningLogger().logger });
    await expect((await forge(`${insert('kept')} throw new Error('no')`))()).rejects.toThrow('no');
    const swallowing = await forge(
      `try { await tgp.exec_sql('INSERT INTO items VALUES (NULL)'); } catch (error) { console.log(String(error)); }
       ${insert('after')} return 'done'`,
    );
    expect((await swallowing()).result).toBe('done');
    expect(names()).toEqual(['kept', 'after']);
    expect(calls.filter(([sql]) => !sql.startsWith('INSERT'))).toEqual([]);
  });

  it('runs do not wait for each other, since it may use a pool', async () => {
    let open = 0;
    let most = 0;
    /** @type {(() => void)[]} */
    const waiting = [];
    const { forge } = await sqlKernel(
      async () => {
        open += 1;
        most = Math.max(most, open);
        if (open === 2) for (const go of waiting) go();
        else await new Promise((go) => waiting.push(() => go(undefined)));
        open -= 1;
        return [];
      },
      { logger: warningLogger().logger, config: { sandbox: { workers: 2 } } },
    );
    const tool = await forge("return tgp.exec_sql('SELECT 1')");
    await Promise.all([tool(), tool()]);
    expect(most).toBe(2);
  });

  it('forbidden statements are refused before it is called', async () => {
    const { run, calls } = application();
    const { exec_sql } = createSqlTools(run);
    for (const sql of [
      'COMMIT',
      'BEGIN',
      'SAVEPOINT a',
      'SELECT 1; DROP TABLE items',
      "ATTACH 'x' AS y",
      'DROP TABLE items',
      'CREATE TABLE t (a int)',
    ]) {
      await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    expect(calls).toEqual([]);
  });

  it('the kernel warns once that runs are not atomic, and not with transactions', async () => {
    const { run } = application();
    const { warnings, logger } = warningLogger();
    const { forge } = await sqlKernel(run, { logger });
    const tool = await forge(`${insert('a')} return 1`);
    await tool();
    await tool();
    expect(warnings.filter((message) => /not atomic/.test(message))).toHaveLength(1);
    expect(warnings.join()).toContain('{ query, transaction }');

    const atomic = warningLogger();
    const held = await sqlKernel(executor(run, { oneConnection: true }), { logger: atomic.logger });
    await (await held.forge(`${insert('b')} return 1`))();
    expect(atomic.warnings.filter((message) => /atomic/.test(message))).toEqual([]);
  });

  it.each([
    ['readOnly', { readOnly: true }],
    ['readOnly', { allow: { verbs: /** @type {const} */ (['select']) } }],
    ['dryRun', { dryRun: true }],
  ])('%s is refused by createSqlTools and at the boot, with a remedy', async (field, options) => {
    const { run, calls } = application();
    /** @type {any} */
    const sqlOptions = options;
    const refusal = expect.objectContaining({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/\{ query, transaction \}.*known driver/),
      details: expect.objectContaining({ field }),
    });
    expect(() => createSqlTools(run, sqlOptions)).toThrow(refusal);
    expect(() => createSqlTools(executor(run, { dialect: 'sqlite' }), sqlOptions)).toThrow(ConfigError);
    if (!sqlOptions.allow) {
      const kernel = new TGP({ config: { rootDir: await tempRoot() }, sql: { source: run, ...sqlOptions } });
      onTestFinished(() => kernel.shutdown());
      await expect(kernel.boot()).rejects.toThrow(refusal);
    }
    expect(calls).toEqual([]);
  });

  it('the timeout of a statement is reported with an unknown outcome', async () => {
    const { exec_sql } = createSqlTools(() => new Promise(() => {}), { statementTimeoutMs: 20 });
    const failure = await exec_sql.execute({ sql: 'SELECT 1' }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'ERR_SQL', details: { reason: 'timeout' } });
    expect(failure.message).toMatch(/timed out after 20 ms.*may still take effect/);
  });

  it('it is not called again while a hundred statements are unanswered', async () => {
    let calls = 0;
    const never = () => {
      calls += 1;
      return new Promise(() => {});
    };
    const { exec_sql } = createSqlTools(never, { statementTimeoutMs: 1 });
    const reasonOf = () => exec_sql.execute({ sql: 'SELECT 1' }).catch((error) => error.details.reason);
    expect(new Set(await Promise.all(Array.from({ length: 100 }, reasonOf)))).toEqual(new Set(['timeout']));
    expect(await reasonOf()).toBe('busy');
    expect(calls).toBe(100);
  });

  it('an aborted run sends no further statements', async () => {
    const { calls, run } = application();
    const gate = new AbortController();
    const { forge } = await sqlKernel(
      async (sql, params) => {
        const rows = await run(sql, params);
        gate.abort();
        return rows;
      },
      { logger: warningLogger().logger },
    );
    const tool = await forge(`${insert('first')} ${insert('second')} return 1`);
    await expect(tool({}, { signal: gate.signal })).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(calls).toHaveLength(1);
  });
});

/** Transactions of the application on one connection. */
function withTransactions() {
  const { db, run, calls, names } = application();
  /** @type {(boolean | undefined)[]} */
  const readOnlyFlags = [];
  const source = {
    dialect: /** @type {const} */ ('sqlite'),
    query: run,
    /** @type {import('../../index.js').SqlTransactions['transaction']} */
    transaction: async (work, { readOnly }) => {
      readOnlyFlags.push(readOnly);
      db.exec('BEGIN');
      try {
        const value = await work(run);
        db.exec('COMMIT');
        return value;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
  };
  return { source, calls, names, readOnlyFlags };
}

describe('an executor with { query, transaction }', () => {
  it('makes a run one transaction: rolled back if it throws or swallows a failure', async () => {
    const { source, names, calls } = withTransactions();
    const { forge } = await sqlKernel(source);
    await (await forge(`${insert('a')} ${insert('b')} return 1`))();
    await expect((await forge(`${insert('c')} throw new Error('no')`))()).rejects.toThrow('no');
    const swallowing = await forge(
      `${insert('d')} try { await tgp.exec_sql('INSERT INTO items VALUES (NULL)'); } catch {} return 1`,
    );
    await expect(swallowing()).rejects.toMatchObject({ code: 'ERR_SQL', details: { reason: 'swallowed' } });
    expect(names()).toEqual(['a', 'b']);
    expect(calls.every(([sql]) => sql.startsWith('INSERT'))).toBe(true);
  });

  it('rolls back with dryRun, and reports the effect', async () => {
    const { source, names } = withTransactions();
    const { exec_sql } = createSqlTools(source, { dryRun: true });
    const sql = "INSERT INTO items VALUES ('a')";
    expect(await exec_sql.execute({ sql })).toMatchObject({ dryRun: true, affected: 1 });
    expect(names()).toEqual([]);
  });

  it('receives readOnly, and writes are refused', async () => {
    const { source, names, readOnlyFlags } = withTransactions();
    const tools = createSqlTools(source, { readOnly: true });
    expect(await tools.exec_sql.execute({ sql: 'SELECT count(*) AS n FROM items' })).toEqual([{ n: 0 }]);
    await expect(tools.exec_sql.execute({ sql: "INSERT INTO items VALUES ('a')" })).rejects.toThrow(/read-only/);
    expect(readOnlyFlags).toEqual([true]);
    expect((await tools.describe_schema.execute({})).tables).toMatchObject([{ name: 'items' }]);
    expect(readOnlyFlags).toEqual([true]);
    expect(names()).toEqual([]);
  });

  it('has an unknown outcome if transaction swallows the error that rolls back', async () => {
    const { source } = withTransactions();
    const careless = {
      ...source,
      /** @type {import('../../index.js').SqlTransactions['transaction']} */
      transaction: async (work) => work(source.query).catch(() => undefined),
    };
    const { exec_sql } = createSqlTools(careless, { dryRun: true });
    await expect(exec_sql.execute({ sql: "INSERT INTO items VALUES ('a')" })).rejects.toMatchObject({
      code: 'ERR_SQL',
      details: { reason: 'unknown' },
    });
  });

  it('is refused with options inside the source, which have no effect there', () => {
    const { source } = withTransactions();
    expect(() => createSqlTools({ ...source, readOnly: true })).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', details: expect.objectContaining({ field: 'sql.readOnly' }) }),
    );
  });

  it.each([
    ['never calls its function', async () => undefined, /without calling/],
    ['calls it without a connection', (/** @type {any} */ work) => work(undefined), /must call its callback with/],
    ['fails', async () => Promise.reject(new Error('no connection left')), /no connection left/],
  ])('causes an error if transaction %s', async (_, transaction, message) => {
    const { source } = withTransactions();
    const { exec_sql } = createSqlTools({ ...source, transaction });
    await expect(exec_sql.execute({ sql: 'SELECT 1' })).rejects.toThrow(message);
  });
});

describe.skipIf(!hasServer('postgres'))('executors over a PostgreSQL pool', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pg.Pool} */
  let pool;

  beforeAll(async () => {
    server = await ownDatabase('postgres');
    pool = new pg.Pool({ ...server.settings, max: 4 });
    // The server ends connections that are being closed with an error.
    pool.on('error', () => {});
    await pool.query('CREATE TABLE items (name text NOT NULL)');
    await pool.query(
      "CREATE FUNCTION sneak() RETURNS text LANGUAGE sql VOLATILE AS $$INSERT INTO items VALUES ('sneaked') RETURNING name$$",
    );
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  const open = async () =>
    (
      await pool.query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      )
    ).rows;

  it('a plain function leaves no transaction open on any connection', async () => {
    const { exec_sql } = createSqlTools((sql, params) => pool.query(sql, params));
    const insertion = { sql: 'INSERT INTO items VALUES ($1)', params: ['a'] };
    await Promise.all([1, 2, 3, 4].map(() => exec_sql.execute(insertion)));
    await expect(exec_sql.execute({ sql: 'INSERT INTO items VALUES (NULL)' })).rejects.toThrow(/null value/);
    expect(await exec_sql.execute({ sql: 'SELECT count(*)::int AS n FROM items' })).toEqual([{ n: 4 }]);
    expect(await open()).toEqual([{ n: 0 }]);
  });

  it('{ query, transaction } enforces readOnly in the database, also for a function that writes', async () => {
    const source = {
      dialect: /** @type {const} */ ('postgres'),
      query: (/** @type {string} */ sql, /** @type {any[]} */ params) => pool.query(sql, params),
      /** @type {import('../../index.js').SqlTransactions['transaction']} */
      transaction: async (work) => {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          const value = await work(client);
          await client.query('COMMIT');
          return value;
        } catch (error) {
          await client.query('ROLLBACK');
          throw error;
        } finally {
          client.release();
        }
      },
    };
    const { exec_sql } = createSqlTools(source, { readOnly: true });
    await expect(exec_sql.execute({ sql: 'SELECT sneak()' })).rejects.toThrow(/read-only transaction/);
    await expect(exec_sql.execute({ sql: 'SELECT * FROM itmes' })).rejects.toThrow(/Did you mean items\?/);
    expect(await exec_sql.execute({ sql: "SELECT name FROM items WHERE name = 'sneaked'" })).toEqual([]);
    expect(await open()).toEqual([{ n: 0 }]);
  });
});
