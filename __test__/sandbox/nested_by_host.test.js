/** Application functions that run tools of the kernel that called them. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/**
 * A kernel with a function that runs its tools.
 * @param {import('../../index.js').TGPConfigInput['sandbox']} sandbox
 * @param {Partial<import('../../index.js').TGPOptions>} [options]
 */
async function reentrant(sandbox, options) {
  /** @type {Awaited<ReturnType<typeof createKernel>>} */
  const made = await createKernel(
    { sandbox, check: 'off' },
    {
      ...options,
      sandboxAPI: {
        again: async (/** @type {string} */ path, /** @type {unknown} */ args) =>
          (await made.kernel.exec(path, args)).result,
        ...options?.sandboxAPI,
      },
    },
  );
  const write = (/** @type {string} */ path, /** @type {string} */ content) =>
    made.tools.write_file.execute({ path, content });
  await write(
    'tools/down.ts',
    "return args.n === 0 ? [0] : [args.n, ...(await tgp.again('tools/down.ts', { n: args.n - 1 }))]",
  );
  return { ...made, write };
}

describe('a function of the application that runs a tool', () => {
  it('does not deadlock with the run that called it, even with one worker', async () => {
    for (const isolation of /** @type {const} */ (['process', 'thread'])) {
      const { kernel } = await reentrant({ workers: 1, isolation });
      expect((await kernel.exec('tools/down.ts', { n: 6 })).result).toEqual([6, 5, 4, 3, 2, 1, 0]);
      const many = await Promise.all([4, 4, 4].map((n) => kernel.exec('tools/down.ts', { n })));
      expect(many.map(({ result }) => result.length)).toEqual([5, 5, 5]);
    }
  });

  it('is refused beyond sandbox.callDepth, however the runs were started', async () => {
    const { kernel, write } = await reentrant({ workers: 1, callDepth: 3 });
    expect((await kernel.exec('tools/down.ts', { n: 3 })).result).toEqual([3, 2, 1, 0]);
    await expect(kernel.exec('tools/down.ts', { n: 4 })).rejects.toMatchObject({
      code: 'ERR_LIMIT',
      message: expect.stringContaining('sandbox.callDepth'),
    });
    await write('tools/mixed.ts', "return tgp.exec_tool('tools/down.ts', { n: args.n })");
    expect((await kernel.exec('tools/mixed.ts', { n: 2 })).result).toEqual([2, 1, 0]);
    await expect(kernel.exec('tools/mixed.ts', { n: 3 })).rejects.toMatchObject({ code: 'ERR_LIMIT' });
  });

  it('ends with the run that called it', async () => {
    const { kernel, write } = await reentrant({ workers: 1 });
    await write('tools/endless.ts', 'await new Promise((done) => setTimeout(done, 20_000))');
    await write('tools/outer.ts', "return tgp.again('tools/endless.ts', {})");
    const outer = kernel.exec('tools/outer.ts', {}, { wallMs: 300 });
    await expect(outer).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    expect((await kernel.exec('tools/down.ts', { n: 0 })).result).toEqual([0]);
  });

  it('uses the transaction of the run that called it', async () => {
    const sql = sqlite(`${await tempRoot()}/data.db`);
    const { kernel, write } = await reentrant({ workers: 1 }, { sql: { source: sql, ddl: true } });
    await write('tools/setup.ts', "return tgp.exec_sql('CREATE TABLE t (n)')");
    await kernel.exec('tools/setup.ts');
    await write('tools/inner.ts', "await tgp.exec_sql('INSERT INTO t (n) VALUES (2)'); return 1");
    await write(
      'tools/outer.ts',
      "await tgp.exec_sql('INSERT INTO t (n) VALUES (1)'); await tgp.again('tools/inner.ts', {}); if (args.fail) throw new Error('no'); return 1",
    );
    await expect(kernel.exec('tools/outer.ts', { fail: true })).rejects.toThrow('no');
    const count = async () => await createSqlTools(sql).exec_sql.execute({ sql: 'SELECT count(*) AS n FROM t' });
    expect(JSON.stringify(await count())).toContain('"n":0');
    await kernel.exec('tools/outer.ts', { fail: false });
    expect(JSON.stringify(await count())).toContain('"n":2');
  });

  it('starts a separate run after the run that called it has ended', async () => {
    let end = () => {};
    const over = new Promise((resolve) => {
      end = () => resolve(undefined);
    });
    /** @type {Promise<any> | undefined} */
    let later;
    const { kernel, write } = await reentrant(
      { workers: 1 },
      {
        sandboxAPI: {
          queue: () => {
            later = over.then(() => kernel.exec('tools/down.ts', { n: 0 }));
            return 1;
          },
        },
      },
    );
    await write('tools/outer.ts', 'return tgp.queue()');
    expect((await kernel.exec('tools/outer.ts')).result).toBe(1);
    end();
    expect((await later).result).toEqual([0]);
  });

  it('works through another kernel, and keeps the context of the caller', async () => {
    const request = new AsyncLocalStorage();
    const other = await createKernel(
      { sandbox: { workers: 1 } },
      { sandboxAPI: { back: async () => (await kernel.exec('tools/who.ts')).result } },
    );
    const { kernel, write } = await reentrant(
      { workers: 1 },
      {
        sandboxAPI: {
          over: async () => (await other.forge('return tgp.back()')).result,
          who: () => request.getStore(),
        },
      },
    );
    await write('tools/who.ts', 'return tgp.who()');
    await write('tools/outer.ts', 'return tgp.over()');
    expect((await request.run('me', () => kernel.exec('tools/outer.ts'))).result).toBe('me');
  });

  it('passes its context, even if it narrowed it, to all runs that it starts', async () => {
    const request = new AsyncLocalStorage();
    const { kernel, write } = await reentrant(
      { workers: 1 },
      {
        sandboxAPI: {
          who: () => request.getStore(),
          narrow: async (/** @type {string} */ path) =>
            (await request.run(`less than ${request.getStore()}`, () => kernel.exec(path))).result,
        },
      },
    );
    await write('tools/who.ts', 'return tgp.who()');
    await write('tools/through.ts', "return [await tgp.who(), await tgp.exec_tool('tools/who.ts')]");
    await write('tools/twice.ts', "return tgp.narrow('tools/who.ts')");
    const names = ['tools/who.ts', 'tools/through.ts', 'tools/twice.ts'];
    await write(
      'tools/outer.ts',
      'const all = []; for (const name of args.names) all.push(await tgp.narrow(name)); return [...all, await tgp.who()]',
    );
    const { result } = await request.run('all', () => kernel.exec('tools/outer.ts', { names }));
    const less = 'less than all';
    expect(result).toEqual([less, [less, less], `less than ${less}`, 'all']);
  });

  it('can abort a run that it started, including its nested runs, but no other run', async () => {
    const controller = new AbortController();
    /** @type {{ signal: AbortSignal, hold: () => void }[]} */
    const held = [];
    /** @type {Record<string, (this: { signal: AbortSignal }, ...args: any[]) => unknown>} */
    const sandboxAPI = {
      hold() {
        const { signal } = this;
        return new Promise((resolve) => {
          held.push({ signal, hold: () => resolve('held') });
          signal.addEventListener('abort', () => resolve('aborted'));
        });
      },
      async abortable() {
        const inner = kernel.exec('tools/inner.ts', {}, { signal: controller.signal });
        return [await inner.catch((error) => error.code), this.signal.aborted];
      },
    };
    const { kernel, write } = await reentrant({ workers: 1 }, { sandboxAPI });
    await write('tools/hold.ts', 'return tgp.hold()');
    await write('tools/below.ts', "return tgp.exec_tool('tools/hold.ts')");
    await write('tools/inner.ts', "return Promise.all([tgp.hold(), tgp.again('tools/below.ts')])");
    await write('tools/outer.ts', 'return Promise.all([tgp.abortable(), tgp.hold()])');
    const outer = kernel.exec('tools/outer.ts');
    await vi.waitFor(() => expect(held.length).toBe(3), { timeout: 20_000 });
    controller.abort();
    const aborted = held.filter(({ signal }) => signal.aborted);
    expect(aborted.length).toBe(2);
    for (const { signal } of aborted) expect(signal.reason).toMatchObject({ message: 'The run was aborted.' });
    for (const { hold } of held) hold();
    expect((await outer).result).toEqual([['ERR_ABORTED', false], 'held']);
  });

  it('has its signal aborted when the nested run that called it ends', async () => {
    /** @type {AbortSignal[]} */
    const signals = [];
    /** @type {Record<string, (this: { signal: AbortSignal }, ...args: any[]) => unknown>} */
    const sandboxAPI = {
      endless() {
        signals.push(this.signal);
        return new Promise(() => {});
      },
      begun: async () => {
        await vi.waitFor(() => expect(signals.length).toBe(1), { timeout: 20_000 });
      },
      seen: () => signals.map(({ aborted, reason }) => [aborted, reason?.message]),
    };
    const { kernel, write } = await reentrant({ workers: 1 }, { sandboxAPI });
    await write('tools/leaves.ts', 'tgp.endless(); await tgp.begun(); return 1');
    await write('tools/outer.ts', "return [await tgp.again('tools/leaves.ts'), await tgp.seen()]");
    expect((await kernel.exec('tools/outer.ts')).result).toEqual([1, [[true, 'The run is over.']]]);
  });

  it('is not part of a run that has ended: later calls are separate runs', async () => {
    /** @type {Promise<string>[]} */
    const ended = [];
    /** @type {(() => void)[]} */
    const releases = [];
    const held = () => new Promise((resolve) => releases.push(() => resolve(undefined)));
    /** @type {string[]} */
    const effects = [];
    const codeOf = (/** @type {Promise<unknown>} */ run) =>
      run.then(
        () => 'done',
        (error) => error.code,
      );
    const sandboxAPI = {
      effect: { execute: () => effects.push('effect'), readOnly: true },
      late: {
        execute: async () => {
          await held();
          ended.push(codeOf(kernel.exec('tools/effect.ts')));
        },
        readOnly: true,
      },
      behind: () => {
        void held().then(() => ended.push(codeOf(kernel.exec('tools/effect.ts'))));
      },
    };
    const { kernel, write } = await reentrant({}, { sandboxAPI: /** @type {any} */ (sandboxAPI) });
    await write('tools/effect.ts', 'return tgp.effect()');
    await write('tools/leaves.ts', 'tgp.late(); return 1');
    await write('tools/behind.ts', 'await tgp.behind(); return 1');
    const settle = async () => {
      for (const release of releases.splice(0)) release();
      await vi.waitFor(() => expect(ended).toHaveLength(1), { timeout: 20_000 });
      return Promise.all(ended.splice(0));
    };
    await kernel.exec('tools/leaves.ts');
    expect(await settle()).toEqual(['ERR_ABORTED']);
    await kernel.exec('tools/leaves.ts', {}, { dryRun: true });
    expect(await settle()).toEqual(['ERR_ABORTED']);
    expect(effects).toEqual([]);
    await kernel.exec('tools/behind.ts');
    expect(await settle()).toEqual(['done']);
    expect(effects).toEqual(['effect']);
  });
});
