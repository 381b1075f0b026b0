/** Host calls that are open when a tool returns, and the limits of host calls. */

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Signals fire shortly after the run has ended; later on a busy machine. */
const SIGNAL_TIMEOUT = { timeout: 20_000 };

describe('a host call that is open when the tool returns', () => {
  it('does not keep the run open, and its signal fires', async () => {
    /** @type {unknown[]} */
    const reasons = [];
    const called = vi.fn();
    const { forge } = await createKernel(
      { sandbox: { wallMs: 20_000 } },
      {
        sandboxAPI: {
          slow() {
            const { signal } = this;
            called();
            return new Promise((_, fail) => {
              signal.addEventListener('abort', () => {
                reasons.push(signal.reason);
                fail(signal.reason);
              });
            });
          },
          fast: () => 'fast',
        },
      },
    );
    expect((await forge('return Promise.race([tgp.slow(), tgp.fast()])')).result).toBe('fast');
    const over = expect.objectContaining({ code: 'ERR_ABORTED', message: 'The run is over.' });
    await vi.waitFor(() => expect(reasons).toEqual([over]), SIGNAL_TIMEOUT);
    await expect(forge("tgp.slow(); await tgp.fast(); throw new Error('no')")).rejects.toThrow('no');
    await vi.waitFor(() => expect(reasons.length).toBe(2), SIGNAL_TIMEOUT);
    const controller = new AbortController();
    const aborted = forge('return tgp.slow()', {}, { signal: controller.signal });
    const rejection = expect(aborted).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    await vi.waitFor(() => expect(called).toHaveBeenCalledTimes(3), SIGNAL_TIMEOUT);
    controller.abort();
    await rejection;
    await vi.waitFor(() => expect(reasons.length).toBe(3), SIGNAL_TIMEOUT);
  });

  it('has a signal that does not fire while the run continues', async () => {
    let fired = false;
    const { forge } = await createKernel(
      {},
      {
        sandboxAPI: {
          async look() {
            this.signal.addEventListener('abort', () => {
              fired = true;
            });
            await pause(20);
            return fired;
          },
        },
      },
    );
    expect((await forge('return [await tgp.look(), await tgp.look()]')).result).toEqual([false, false]);
  });
});

describe('a tool that was started and not awaited', () => {
  const LOSER = "await new Promise((done) => setTimeout(done, 60_000)); return 'late'";

  it('is ended with the run if it has not written', async () => {
    const { tools, forge } = await createKernel({ sandbox: { workers: 2 } });
    await tools.write_file.execute({ path: 'tools/loser.ts', content: LOSER });
    const { result } = await forge("return Promise.race([tgp.exec_tool('tools/loser.ts'), 'first'])");
    expect(result).toBe('first');
  });

  it('is finished if it has begun to write, and its failure fails the run', async () => {
    /** @type {unknown[]} */
    const seen = [];
    const api = {
      note: (/** @type {number} */ n) => seen.push(n),
      begun: async () => {
        await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), { timeout: 20_000 });
      },
    };
    const { tools, forge } = await createKernel({ sandbox: { workers: 2 } }, { sandboxAPI: api });
    const inner = (/** @type {string} */ end) =>
      `await tgp.note(1); await new Promise((done) => setTimeout(done, 200)); await tgp.note(2); ${end}`;
    const outer = "tgp.exec_tool('tools/inner.ts').catch(() => {}); await tgp.begun(); return 0";
    await tools.write_file.execute({ path: 'tools/inner.ts', content: inner('return 1') });
    expect((await forge(outer)).result).toBe(0);
    expect(seen.splice(0)).toEqual([1, 2]);
    await tools.write_file.execute({ path: 'tools/inner.ts', content: inner("throw new Error('half')") });
    await expect(forge(outer)).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: expect.stringMatching(/half.*not awaited/),
    });
  });
});

/** A kernel with a table, and a function that reads its rows. */
async function withTable() {
  const sql = sqlite(`${await tempRoot()}/data.db`);
  const { forge } = await createKernel({ check: 'off' }, { sql: { source: sql, ddl: true } });
  await forge("return tgp.exec_sql('CREATE TABLE t (n)')");
  const { exec_sql } = createSqlTools(sql);
  const rows = async () => (await exec_sql.execute({ sql: 'SELECT n FROM t ORDER BY n' })).map(({ n }) => n);
  return { forge, rows };
}

describe('statements that are open when the tool returns', () => {
  it('roll the run back if they write', async () => {
    const { forge, rows } = await withTable();
    const slow =
      'INSERT INTO t (n) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 5000000) SELECT n FROM c';
    for (const source of [
      `tgp.exec_sql('${slow}'); return 0`,
      `await tgp.exec_sql('INSERT INTO t (n) VALUES (1)'); return Promise.race([tgp.exec_sql('${slow}'), 'first'])`,
      `[1, 2].forEach(async () => { await tgp.exec_sql('${slow}'); await tgp.exec_sql('DELETE FROM t') }); return 0`,
    ]) {
      await expect(forge(source), source).rejects.toMatchObject({
        code: 'ERR_SQL',
        message: expect.stringContaining('Await every tgp.exec_sql'),
        details: { reason: 'not_awaited' },
      });
      expect(await rows(), source).toEqual([]);
    }
  });

  it('are finished when they read after a write, which is committed', async () => {
    const { forge, rows } = await withTable();
    const count = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 100000) SELECT count(*) FROM c';
    const source = `await tgp.exec_sql('INSERT INTO t (n) VALUES (1)'); tgp.exec_sql('${count}'); return 0`;
    expect((await forge(source)).result).toBe(0);
    expect(await rows()).toEqual([1]);
  });

  it('are stopped when they only read', async () => {
    const { forge, rows } = await withTable();
    const endless = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';
    expect((await forge(`return Promise.race([tgp.exec_sql('${endless}'), 'first'])`)).result).toBe('first');
    expect(await rows()).toEqual([]);
  });
});

describe('all host calls of a run', () => {
  it('are limited by sandbox.totalHostCalls, including nested runs', async () => {
    const { tools, forge } = await createKernel(
      { sandbox: { totalHostCalls: 20, timeoutMs: 1000 } },
      { sandboxAPI: { ping: (n) => n } },
    );
    const call = 'try { await tgp.ping(i); made++ } catch (error: any) { return [made, error.code, error.message] }';
    const many = `let made = 0; for (let i = 0; i < 100; i++) ${call}`;
    const limit = ['ERR_LIMIT', expect.stringContaining('sandbox.totalHostCalls')];
    expect((await forge(many)).result).toEqual([20, ...limit]);
    await tools.write_file.execute({ path: 'tools/many.ts', content: many });
    expect((await forge("await tgp.ping(0); return tgp.exec_tool('tools/many.ts')")).result).toEqual([18, ...limit]);
  });

  it('do not include the calls for source positions of errors', async () => {
    for (const [limits, use] of /** @type {const} */ ([
      [{ totalHostCalls: 1 }, 'await tgp.text(1)'],
      [{ answerBytes: 1024 }, 'await tgp.text(1021)'],
      [{ pendingBytes: 1024 }, 'tgp.never("x".repeat(5000)).catch(() => {})'],
    ])) {
      const { forge } = await createKernel(
        { sandbox: limits, check: 'off' },
        { sandboxAPI: { text: (n) => 'x'.repeat(n), never: () => new Promise(() => {}) } },
      );
      const error = await forge(`${use};\ntype Unused = {\n  n: number\n};\nthrow new Error('late');`).catch(
        (thrown) => thrown,
      );
      expect(error.details.stack, use).toMatch(/^Error: late\n {4}at .*tools\/test\/forged\.ts:5:/);
    }
  });

  it('are answered with at most sandbox.answerBytes', async () => {
    const { forge } = await createKernel(
      { sandbox: { answerBytes: 10_000 } },
      { sandboxAPI: { text: (n) => 'x'.repeat(n) } },
    );
    const ask = 'await tgp.text(n).then((text) => text.length, (error: any) => error.code + error.message)';
    const { result } = await forge(
      `const all = []; for (const n of [4000, 4000, 4000, 10]) all.push(${ask}); return all`,
    );
    expect(result).toEqual([4000, 4000, expect.stringMatching(/^ERR_LIMIT.*sandbox\.answerBytes/), 10]);
  });
});

describe('a host call that is not awaited', () => {
  const slow = () => new Promise(() => {});
  const warned = (/** @type {{ level: string, message: string }[]} */ logs) =>
    logs.filter(({ level }) => level === 'warn').map(({ message }) => message);

  it('is named in a warning when the run returns without its answer', async () => {
    const { forge } = await createKernel({}, { sandboxAPI: { slow }, sql: sqlite(':memory:') });
    const forgotten = await forge('export default () => { const r: any = tgp.exec_sql("SELECT 1"); return r.length; }');
    expect(forgotten.result).toBeNull();
    expect(warned(forgotten.logs)).toEqual([
      '1 host call was still open when the tool returned, and nothing awaited the answer. Write await tgp.exec_sql(…).',
    ]);
    const several = await forge(
      'export default () => { tgp.slow(); tgp.slow(); tgp.exec_tool("tools/x.ts", {}); return 1; }',
    );
    expect(warned(several.logs).join()).toMatch(/^3 host calls were still open.*await tgp\.exec_tool.*await tgp\.slow/);
  });

  it.each([
    ['lost a race', 'export default async () => Promise.race([tgp.slow(), Promise.resolve(1)])'],
    ['has a handler', 'export default () => { tgp.slow().catch(() => 0); return 1; }'],
    ['was answered', 'export default async () => { await tgp.exec_sql("SELECT 1"); return 1; }'],
    ['is the result', 'export default () => tgp.exec_sql("SELECT 1")'],
  ])('causes no warning if it %s', async (_, source) => {
    const { forge } = await createKernel({}, { sandboxAPI: { slow }, sql: sqlite(':memory:') });
    const { logs } = await forge(source);
    expect(warned(logs)).toEqual([]);
  });
});
