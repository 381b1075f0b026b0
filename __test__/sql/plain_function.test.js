import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, executor } from '../../index.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

/** A function over one connection that records its statements. */
function connection() {
  const db = new BetterSqlite3(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.exec('CREATE TABLE items (name TEXT)');
  /** @type {string[]} */
  const statements = [];
  /** @type {(sql: string, params: any[]) => Promise<unknown[]>} */
  const run = async (sql, params) => {
    statements.push(sql);
    await new Promise((done) => setImmediate(done));
    const statement = db.prepare(sql);
    if (statement.reader) return statement.all(...params);
    statement.run(...params);
    return [];
  };
  return { run, statements, count: () => /** @type {any} */ (db.prepare('SELECT count(*) AS n FROM items').get()).n };
}

const INSERT = "await tgp.exec_sql('INSERT INTO items VALUES (?)', ['a']);";

describe('a function over one connection', () => {
  it('gets BEGIN, COMMIT and ROLLBACK as statements', async () => {
    const { run, statements, count } = connection();
    const { forge } = await sqlKernel(executor(run, { oneConnection: true }));
    await (await forge(`${INSERT} ${INSERT} return 1`))();
    await expect((await forge(`${INSERT} throw new Error('no')`))()).rejects.toThrow('no');
    expect(statements.map((sql) => sql.split(' ')[0])).toEqual([
      'BEGIN',
      'INSERT',
      'INSERT',
      'COMMIT',
      'BEGIN',
      'INSERT',
      'ROLLBACK',
    ]);
    expect(count()).toBe(2);
  });

  it.each([
    ['sqlite', 'BEGIN', 'BEGIN IMMEDIATE', 'BEGIN'],
    ['postgres', 'BEGIN', 'BEGIN', 'BEGIN READ ONLY'],
    ['mysql', 'BEGIN', 'BEGIN', 'START TRANSACTION READ ONLY'],
    ['any', 'BEGIN', 'BEGIN', 'BEGIN'],
  ])('begins a transaction of %s by what it does', async (dialect, read, write, readOnly) => {
    /** @param {string} sql @param {boolean} isReadOnly */
    const begun = async (sql, isReadOnly) => {
      /** @type {string[]} */
      const statements = [];
      const run = async (/** @type {string} */ each) => {
        statements.push(each);
        return [];
      };
      const source = executor(run, { oneConnection: true, dialect: /** @type {any} */ (dialect) });
      await createSqlTools(source, { readOnly: isReadOnly }).exec_sql.execute({ sql });
      return statements[0];
    };
    expect(await begun('SELECT name FROM items', false)).toBe(read);
    expect(await begun('INSERT INTO items VALUES (1)', false)).toBe(write);
    expect(await begun('SELECT name FROM items', true)).toBe(readOnly);
  });

  it('refuses the name of an unknown dialect', () => {
    const { run } = connection();
    const dialect = /** @type {any} */ ('oracle');
    const words = /must be one of sqlite, postgres, mysql, any\./;
    expect(() => executor(run, { dialect })).toThrow(words);
    expect(() => createSqlTools({ query: run, transaction: run, dialect })).toThrow(words);
  });

  it('runs are serialised, so that their statements do not mix', async () => {
    const { run, statements, count } = connection();
    const { forge } = await sqlKernel(executor(run, { oneConnection: true }), { config: { sandbox: { workers: 4 } } });
    const tool = await forge(`${INSERT} ${INSERT} if (args.fail) throw new Error('no'); return 1`);
    await Promise.all(Array.from({ length: 20 }, (_, index) => tool({ fail: index % 2 === 1 }).catch(() => {})));
    expect(count()).toBe(20);
    const words = statements.map((sql) => sql.split(' ')[0]).join(' ');
    expect(words).toMatch(/^(BEGIN INSERT INSERT (COMMIT|ROLLBACK) ?){20}$/);
  });

  it('gets no statements for transactions if it is transactional itself', async () => {
    const { run, statements } = connection();
    const { forge } = await sqlKernel(executor(run, { transactional: true }));
    await (await forge(`${INSERT} return 1`))();
    expect(statements.map((sql) => sql.split(' ')[0])).toEqual(['INSERT']);
    const dryRun = () => createSqlTools(executor(run, { transactional: true }), { dryRun: true });
    expect(dryRun).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', details: { key: 'dryRun', field: 'dryRun' } }),
    );
  });

  it('a tool without statements begins no transaction', async () => {
    const { run, statements } = connection();
    const { forge } = await sqlKernel(executor(run, { oneConnection: true }));
    await (await forge('return 1'))();
    expect(statements).toEqual([]);
  });

  it('fails the run if it answers COMMIT with ROLLBACK', async () => {
    const { run } = connection();
    const lying = (/** @type {string} */ sql, /** @type {any[]} */ params) =>
      sql === 'COMMIT' ? { command: 'ROLLBACK', rows: [] } : run(sql, params);
    const { forge } = await sqlKernel(executor(lying, { oneConnection: true }));
    await expect((await forge(`${INSERT} return 1`))()).rejects.toMatchObject({ code: 'ERR_SQL' });
  });

  it('sandboxAPI.exec_sql replaces the function of the kernel', async () => {
    const { run, statements } = connection();
    const { forge } = await sqlKernel(run, { sandboxAPI: { exec_sql: () => 'mine' } });
    expect((await (await forge("return tgp.exec_sql('COMMIT')"))()).result).toBe('mine');
    expect(statements).toEqual([]);
  });

  it('a hanging statement ends at its time limit', async () => {
    const never = (/** @type {string} */ sql) => (sql.startsWith('SELECT') ? new Promise(() => {}) : []);
    const tools = createSqlTools(executor(never, { oneConnection: true }), { statementTimeoutMs: 50 });
    await expect(tools.exec_sql.execute({ sql: 'SELECT 1' })).rejects.toThrow(/timed out after 50 ms/);
  });

  it('a statement must be safe in every dialect while the dialect is unknown', async () => {
    const { run } = connection();
    const any = createSqlTools(run).exec_sql;
    for (const sql of ['SELECT 1 # ; COMMIT', "SELECT '\\'; COMMIT; -- '", 'SELECT $$; COMMIT$$']) {
      await expect(any.execute({ sql }), sql).rejects.toMatchObject({ code: expect.stringMatching(/SECURITY|SQL/) });
    }
    const named = createSqlTools(executor(run, { dialect: 'sqlite' }));
    expect(await named.exec_sql.execute({ sql: "SELECT '\\' AS a" })).toEqual([{ a: '\\' }]);
    expect((await createSqlTools(run).describe_schema.execute({})).tables).toMatchObject([{ name: 'items' }]);
  });
});
