import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, executor } from '../../index.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

/** One connection behind a function, which notes what it is told. */
function connection() {
  const db = new BetterSqlite3(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.exec('CREATE TABLE items (name TEXT)');
  /** @type {string[]} */
  const told = [];
  /** @type {(sql: string, params: any[]) => Promise<unknown[]>} */
  const run = async (sql, params) => {
    told.push(sql);
    await new Promise((done) => setImmediate(done));
    const statement = db.prepare(sql);
    if (statement.reader) return statement.all(...params);
    statement.run(...params);
    return [];
  };
  return { run, told, count: () => /** @type {any} */ (db.prepare('SELECT count(*) AS n FROM items').get()).n };
}

const INSERT = "await tgp.exec_sql('INSERT INTO items VALUES (?)', ['a']);";

describe('a function over one connection', () => {
  it('gets the transaction through itself', async () => {
    const { run, told, count } = connection();
    const { forge } = await sqlKernel(executor(run, { oneConnection: true }));
    await (await forge(`${INSERT} ${INSERT} return 1`))();
    await expect((await forge(`${INSERT} throw new Error('no')`))()).rejects.toThrow('no');
    expect(told.map((sql) => sql.split(' ')[0])).toEqual([
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

  it('runs are serialised, so that their statements do not mix', async () => {
    const { run, told, count } = connection();
    const { forge } = await sqlKernel(executor(run, { oneConnection: true }), { config: { sandbox: { workers: 4 } } });
    const tool = await forge(`${INSERT} ${INSERT} if (args.fail) throw new Error('no'); return 1`);
    await Promise.all(Array.from({ length: 20 }, (_, index) => tool({ fail: index % 2 === 1 }).catch(() => {})));
    expect(count()).toBe(20);
    const words = told.map((sql) => sql.split(' ')[0]).join(' ');
    expect(words).toMatch(/^(BEGIN INSERT INSERT (COMMIT|ROLLBACK) ?){20}$/);
  });

  it('is left alone when it is transactional already', async () => {
    const { run, told } = connection();
    const { forge } = await sqlKernel(executor(run, { transactional: true }));
    await (await forge(`${INSERT} return 1`))();
    expect(told.map((sql) => sql.split(' ')[0])).toEqual(['INSERT']);
    const dryRun = () => createSqlTools(executor(run, { transactional: true }), { dryRun: true });
    expect(dryRun).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', details: { key: 'dryRun', field: 'dryRun' } }),
    );
  });

  it('a tool that never touches the database begins nothing', async () => {
    const { run, told } = connection();
    const { forge } = await sqlKernel(executor(run, { oneConnection: true }));
    await (await forge('return 1'))();
    expect(told).toEqual([]);
  });

  it('whose COMMIT is answered with ROLLBACK has not committed', async () => {
    const { run } = connection();
    const lying = (/** @type {string} */ sql, /** @type {any[]} */ params) =>
      sql === 'COMMIT' ? { command: 'ROLLBACK', rows: [] } : run(sql, params);
    const { forge } = await sqlKernel(executor(lying, { oneConnection: true }));
    await expect((await forge(`${INSERT} return 1`))()).rejects.toMatchObject({ code: 'ERR_SQL' });
  });

  it('one of sandboxAPI that is named exec_sql replaces ours', async () => {
    const { run, told } = connection();
    const { forge } = await sqlKernel(run, { sandboxAPI: { exec_sql: () => 'mine' } });
    expect((await (await forge("return tgp.exec_sql('COMMIT')"))()).result).toBe('mine');
    expect(told).toEqual([]);
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
