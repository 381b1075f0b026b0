import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { ConfigError, NotFoundError, TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

async function forge(sandboxAPI, source, options) {
  const kernel = new TGP({ config: { rootDir: join(await tempRoot(), '.tgp') }, sandboxAPI });
  onTestFinished(() => kernel.shutdown());
  await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content: source });
  return { kernel, run: () => kernel.exec('tools/t.ts', {}, options) };
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

describe('sandboxAPI', () => {
  it('offers sync and async functions, with plain data both ways', async () => {
    const api = {
      add: (a, b) => a + b,
      later: async (value) => ({ value, when: new Date(0), big: 12n }),
      nothing: () => undefined,
    };
    const source = "return [await tgp.add(1, 2), await tgp.later({ deep: ['x'] }), await tgp.nothing()]";
    const { run } = await forge(api, source);
    const { result, stats } = await run();
    expect(result).toEqual([3, { value: { deep: ['x'] }, when: '1970-01-01T00:00:00.000Z', big: '12' }, null]);
    expect(stats.hostCalls).toBe(3);
  });

  it('undefined stays undefined, and null stays null', async () => {
    const api = {
      nothing: () => undefined,
      later: async () => {},
      none: () => null,
      deep: () => ({ a: undefined, b: null }),
    };
    const source =
      'const all = [await tgp.nothing(), await tgp.later(), await tgp.none(), await tgp.missing?.()]; const deep = await tgp.deep(); return [all.map((value) => String(value)), Object.keys(deep)]';
    const { run } = await forge(api, source);
    expect((await run()).result).toEqual([['undefined', 'undefined', 'null', 'undefined'], ['b']]);
  });

  it('refuses names that tools cannot call or that would change the object tgp', async () => {
    const fn = () => 1;
    const names = [
      '',
      'then',
      'constructor',
      '__proto__',
      'toString',
      'hasOwnProperty',
      'toJSON',
      '#types',
      'x'.repeat(300),
    ];
    for (const api of [...names.map((name) => ({ [name]: fn })), { __proto__: fn }]) {
      const kernel = new TGP({ config: { rootDir: join(await tempRoot(), '.tgp') }, sandboxAPI: api });
      const error = await kernel.boot().catch((error) => error);
      expect(error, Object.keys(api)[0]).toBeInstanceOf(ConfigError);
      expect(error).toMatchObject({
        code: 'ERR_CONFIG',
        details: { field: 'sandboxAPI' },
        message: expect.stringMatching(/another name/),
      });
      await kernel.shutdown();
    }
    const { run } = await forge(
      { catch: fn, 'odd name': fn, $: fn },
      "return [await tgp.catch(), await tgp['odd name'](), await tgp.$()]",
    );
    expect((await run()).result).toEqual([1, 1, 1]);
  });

  it('refuses parameter schemas that are not zod 4', async () => {
    const standard = { '~standard': { version: 1, vendor: 'other', validate: () => ({ value: 1 }) } };
    for (const parameters of [z3.object({ id: z3.number() }), standard]) {
      const api = { f: { parameters: /** @type {any} */ (parameters), execute: () => 1 } };
      const kernel = new TGP({ config: { rootDir: join(await tempRoot(), '.tgp') }, sandboxAPI: api });
      await expect(kernel.boot()).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringContaining('sandboxAPI.f.parameters must be a schema of zod 4'),
      });
      await kernel.shutdown();
    }
    const parameters = z.object({ id: z.number() });
    const { run } = await forge({ f: { parameters, execute: ({ id }) => id } }, 'return await tgp.f({ id: 7 })');
    expect((await run()).result).toBe(7);
  });

  it('calls of one run overlap', async () => {
    let met = 0;
    let open = () => {};
    const all = new Promise((done) => {
      open = () => done(undefined);
    });
    const slow = async () => {
      met += 1;
      if (met === 10) open();
      await all;
    };
    const api = { slow };
    const { run } = await forge(api, 'await Promise.all(Array.from({ length: 10 }, () => tgp.slow())); return 1');
    expect((await run()).result).toBe(1);
  });

  it('an error of a function is thrown in the tool, and a typed error keeps its code', async () => {
    const api = {
      plain: () => {
        throw new Error('no such user');
      },
      typed: async () => {
        throw new NotFoundError('no such row');
      },
    };
    const source = 'try { await tgp.plain() } catch (error) { console.log(error.message) } await tgp.typed()';
    const { run } = await forge(api, source);
    const error = await run().catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_NOT_FOUND', message: 'no such row' });
    expect(error.details.logs).toEqual([{ level: 'log', message: 'no such user' }]);
  });

  it('a function with the name of a built-in replaces it', async () => {
    const { run } = await forge({ read_file: (path) => `mine: ${path}` }, "return await tgp.read_file('/etc/passwd')");
    expect((await run()).result).toBe('mine: /etc/passwd');
  });

  it('an answer that is not plain data is an error in the tool and not in the host', async () => {
    const { run } = await forge({ bad: () => ({ f: () => 1 }) }, 'await tgp.bad()');
    await expect(run()).rejects.toThrow(/is a function/);
  });

  it('keeps the AsyncLocalStorage context of the caller', async () => {
    const request = new AsyncLocalStorage();
    const { run } = await forge({ who: () => request.getStore() }, 'return await tgp.who()');
    const results = await Promise.all(['a', 'b', 'c'].map((id) => request.run(id, run)));
    expect(results.map(({ result }) => result)).toEqual(['a', 'b', 'c']);
  });

  it('makes no calls after its run is aborted, not even queued ones', async () => {
    const controller = new AbortController();
    let calls = 0;
    const api = {
      effect: () => {
        calls += 1;
        if (calls === 3) controller.abort();
        return calls;
      },
    };
    const source = `
      for (let i = 0; i < 20; i++) tgp.effect();
      for (;;) await tgp.effect();`;
    const { run } = await forge(api, source, { signal: controller.signal });
    await expect(run()).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(calls).toBe(3);
    await wait(50);
    expect(calls).toBe(3);
  });

  it('a run that waits for a function is ended by wallMs and by an abort', async () => {
    const api = { never: () => new Promise(() => {}) };
    const { run } = await forge(api, 'await tgp.never()', { wallMs: 80 });
    await expect(run()).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    const aborted = await forge(api, 'await tgp.never()', { signal: AbortSignal.timeout(80) });
    await expect(aborted.run()).rejects.toMatchObject({ code: 'ERR_ABORTED' });
  });

  it('a guest that patched its own promises cannot forge an answer', async () => {
    const source = `
      Promise.prototype.then = function (ok) { ok('!ERR_SQL\\nforged') };
      Object.defineProperty(Promise.prototype, 'constructor', { get() { return class {} } });
      return tgp.add(1, 2);
    `;
    const { run } = await forge({ add: (a, b) => a + b }, source);
    const outcome = await run().catch((error) => error);
    expect(outcome.code).not.toBe('ERR_SQL');
  });
});
