import { expect, it } from 'vitest';
import { signalWorkers } from '../../tools/workers.mjs';
import { sqlKernel, wait } from './sql_kernel.js';

/**
 * @typedef {object} Bench a database with an empty table `items (id, name)`
 * @property {any} sql what the kernel gets
 * @property {() => Promise<number>} count how many rows another connection sees
 * @property {() => Promise<void>} write writes from another connection; fails at once if a lock is left
 * @property {string} slow an expression that takes seconds
 */

const INSERT = "await tgp.exec_sql('INSERT INTO items (name) VALUES (?)', ['a']);";

/** Failures of a tool after a write, and the error codes that the caller gets. */
const FAILURES = [
  { name: 'throw', code: 'ERR_TOOL_THROWN', body: `${INSERT} throw new Error('boom');` },
  { name: 'CPU timeout', code: 'ERR_ISOLATE_TIMEOUT', body: `${INSERT} while (true) {}` },
  {
    name: 'wall timeout',
    code: 'ERR_ISOLATE_TIMEOUT',
    body: `${INSERT} await new Promise(() => setTimeout(() => {}, 60000));`,
    limits: { wallMs: 400 },
  },
  {
    name: 'memory',
    code: 'ERR_ISOLATE_MEMORY',
    body: `${INSERT} const a = []; while (true) a.push(new Array(100000).fill(a.length));`,
    limits: { timeoutMs: 20000 },
  },
  { name: 'a result that is not JSON', code: 'ERR_RESULT', body: `${INSERT} return () => 1;` },
  { name: 'a statement that fails', code: 'ERR_SQL', body: `${INSERT} await tgp.exec_sql('SELECT * FROM missing');` },
  {
    name: 'a failed statement that the tool swallowed',
    code: 'ERR_SQL',
    body: `${INSERT} try { await tgp.exec_sql('SELECT * FROM missing'); } catch {} return 1;`,
  },
  {
    name: 'a failed statement that was not awaited',
    code: 'ERR_SQL',
    body: `${INSERT} tgp.exec_sql('SELECT * FROM missing').catch(() => {}); return 1;`,
  },
  {
    name: 'COMMIT inside the tool',
    code: 'ERR_SECURITY_VIOLATION',
    body: `${INSERT} await tgp.exec_sql('COMMIT'); return 1;`,
  },
  {
    name: 'COMMIT swallowed, then a throw',
    code: 'ERR_TOOL_THROWN',
    body: `${INSERT} try { await tgp.exec_sql('COMMIT'); } catch {} throw new Error('boom');`,
  },
  ...['/* SELECT */ COMMIT', '-- SELECT\\nCOMMIT', 'SELECT 1; COMMIT', "SELECT ';' ; COMMIT -- "].map((sql) => ({
    name: `COMMIT hidden as ${sql}`,
    code: 'ERR_SECURITY_VIOLATION',
    body: `${INSERT} await tgp.exec_sql(${JSON.stringify(sql).replaceAll('\\\\n', '\\n')}); return 1;`,
  })),
];

/**
 * Tests that the SQL of a run is all or nothing, for any database.
 * @param {() => Bench} bench
 */
export function allOrNothing(bench) {
  it('a run that succeeds is committed', async () => {
    const { sql, count } = bench();
    const before = await count();
    const { forge } = await sqlKernel(sql);
    expect((await (await forge(`${INSERT} ${INSERT} return 'done';`))()).result).toBe('done');
    expect(await count()).toBe(before + 2);
  });

  it('a run that did not await a write is committed completely if the write ended in time, or rolled back completely', async () => {
    const { sql, count } = bench();
    const before = await count();
    const { forge } = await sqlKernel(sql);
    const run = await forge(
      `${INSERT} ${INSERT} tgp.exec_sql("INSERT INTO items (name) VALUES ('late')"); return 'done';`,
    );
    const written = await run().then(
      () => 3,
      (error) => {
        expect(error).toMatchObject({ code: 'ERR_SQL', details: { reason: 'not_awaited' } });
        return 0;
      },
    );
    expect(await count()).toBe(before + written);
  });

  for (const { name, code, body, limits } of FAILURES) {
    it(`${name}: the run is rolled back and no lock is left`, async () => {
      const { sql, count, write } = bench();
      const before = await count();
      const { forge } = await sqlKernel(sql);
      await expect((await forge(body))({}, limits)).rejects.toMatchObject({ code });
      expect(await count()).toBe(before);
      await write();
    });
  }

  it('a worker that is killed, also during a statement: the run is rolled back and no lock is left', async () => {
    const { sql, count, write, slow } = bench();
    let begun = () => {};
    const { forge } = await sqlKernel(sql, { sandboxAPI: { begun: () => begun() } });
    await (await forge('return 1'))();
    for (const rest of ['while (true) {}', `await tgp.exec_sql(${JSON.stringify(slow)});`]) {
      const body = `${INSERT} await tgp.begun(); ${rest}`;
      const isBegun = new Promise((done) => {
        begun = () => done(undefined);
      });
      const before = await count();
      const run = (await forge(body))({}, { timeoutMs: 20_000 }).catch((/** @type {Error} */ error) => error);
      await isBegun;
      await wait(400);
      signalWorkers();
      expect(await run).toMatchObject({ code: 'ERR_ISOLATE_CRASHED' });
      expect(await count()).toBe(before);
      await write();
    }
  });

  it('an abort stops the statement in the database', async () => {
    const { sql, count, write, slow } = bench();
    const before = await count();
    const { forge } = await sqlKernel(sql);
    const run = await forge(`${INSERT} await tgp.exec_sql(${JSON.stringify(slow)});`);
    const started = performance.now();
    await expect(run({}, { signal: AbortSignal.timeout(400) })).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(await count()).toBe(before);
    await write();
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('statementTimeoutMs stops the statement in the database', async () => {
    const { sql, count, write, slow } = bench();
    const before = await count();
    const { forge } = await sqlKernel({ source: sql, statementTimeoutMs: 300 });
    const run = await forge(`${INSERT} await tgp.exec_sql(${JSON.stringify(slow)});`);
    const started = performance.now();
    await expect(run()).rejects.toMatchObject({ code: 'ERR_SQL' });
    expect(await count()).toBe(before);
    await write();
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('20 tools in parallel on one source get the right results', async () => {
    const { sql, count } = bench();
    const before = await count();
    const { forge } = await sqlKernel(sql, { config: { sandbox: { workers: 4 } } });
    const run = await forge(
      "for (let i = 0; i < 5; i++) await tgp.exec_sql('INSERT INTO items (name) VALUES (:name)', { name: args.name }); if (args.fail) throw new Error('no'); return args.name;",
    );
    const runs = Array.from({ length: 20 }, (_, index) =>
      run({ name: `n${index}`, fail: index % 4 === 3 }).then(
        ({ result }) => result,
        () => 'failed',
      ),
    );
    const results = await Promise.all(runs);
    expect(results).toEqual(Array.from({ length: 20 }, (_, index) => (index % 4 === 3 ? 'failed' : `n${index}`)));
    expect(await count()).toBe(before + 15 * 5);
  });
}
