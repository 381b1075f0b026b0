import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';

/** A string of 100 million characters, which costs V8 no time and memory until it is flattened. */
const HUGE = "const huge = 'x'.repeat(1e8);\n";
const WIDE = "const huge = '€'.repeat(1e8);\n";

/**
 * A kernel with one worker. `run` returns the outcome of a tool and checks that the worker survived.
 * @param {import('../../index.js').TGPConfigInput['sandbox']} [limits]
 */
async function oneWorker(limits = {}) {
  const { kernel } = await createKernel(
    { allowedFetchUrls: ['http://localhost:1'], sandbox: { workers: 1, warm: 1, timeoutMs: 1000, ...limits } },
    { sandboxAPI: { take: async () => 'taken', give: async (/** @type {number} */ bytes) => 'x'.repeat(bytes) } },
  );
  await kernel.run('return 1');
  return {
    kernel,
    run: async (/** @type {string} */ code) => {
      const before = workers();
      expect(before).toHaveLength(1);
      const outcome = await kernel.run(code).then(
        ({ result, logs }) => ({ result, logs }),
        ({ code, message }) => ({ code, message }),
      );
      expect((await kernel.run('return 2')).result).toBe(2);
      expect(workers(), `another worker after ${code}`).toEqual(before);
      return outcome;
    },
  };
}

/**
 * Runs every case in one worker, which must survive all of them.
 * @param {Record<string, string>} cases
 * @param {unknown} expected
 */
async function allEndWith(cases, expected) {
  const { run } = await oneWorker();
  for (const [name, code] of Object.entries(cases)) expect(await run(code), name).toMatchObject({ ...expected });
}

describe('values that are too large to leave the sandbox', () => {
  it('are refused as results, and the worker continues', async () => {
    await allEndWith(
      {
        text: `${HUGE}return huge`,
        'wide text': `${WIDE}return huge`,
        'text inside': `${HUGE}return { rows: [{ name: huge }] }`,
        'boxed text': `${HUGE}return Object(huge)`,
        'text of toJSON': `${HUGE}return { toJSON: () => huge }`,
        'the same text often': "const part = 'x'.repeat(1e5); return Array(1e4).fill(part)",
        'text in a Map': `${HUGE}return new Map([['a', huge]])`,
        'an array in a Set': 'return new Set([new Array(1e8)])',
        'text in an error': `${HUGE}const e = new Error('x'); e.body = huge; return e`,
        'a sparse array': 'return new Array(1e8)',
        'a sparse array inside': 'return { list: [new Array(1e8)] }',
        'a length alone': 'const list = []; list.length = 4294967295; return list',
        bytes: 'return new Uint8Array(3e7)',
        'a buffer': 'return { a: new ArrayBuffer(3e7) }',
        numbers: 'return new Float64Array(6e6)',
      },
      { code: 'ERR_RESULT' },
    );
  });

  it('are named by their path and size', async () => {
    const { run } = await oneWorker();
    expect(await run(`${HUGE}return { rows: [{ name: huge }] }`)).toEqual({
      code: 'ERR_RESULT',
      message:
        'The result is more than 8388608 bytes of JSON (sandbox.resultBytes): result.rows.0.name is a text of 100000000 characters. Return less data, or a page of it.',
    });
    expect(await run('return { list: new Array(1e8) }')).toMatchObject({
      message: expect.stringContaining('result.list is an array of 100000000 items'),
    });
    expect(await run('return { file: new Uint8Array(3e7) }')).toMatchObject({
      message: expect.stringContaining('result.file is 30000000 bytes'),
    });
  });

  it('a result at the limit is accepted', async () => {
    const { run } = await oneWorker({ resultBytes: 1000 });
    expect(await run("return 'x'.repeat(998)")).toMatchObject({ result: 'x'.repeat(998) });
    expect(await run("return 'x'.repeat(999)")).toMatchObject({ code: 'ERR_RESULT' });
    expect(await run("return '€'.repeat(998)")).toMatchObject({ code: 'ERR_RESULT' });
    expect(await run("return '\\n'.repeat(998)")).toMatchObject({ code: 'ERR_RESULT' });
    const rows = Array.from({ length: 37 }, (_, index) => ({ id: index + 10, name: 'abcdefg' }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(960);
    expect(await run(`return ${JSON.stringify(rows)}`)).toMatchObject({ result: rows });
    expect(await run('return Array(200).fill(null)')).toMatchObject({ code: 'ERR_RESULT' });
    expect(await run('return Array(199).fill(null)')).toMatchObject({ result: Array(199).fill(null) });
    expect(await run('return { a: undefined, b: Array(498).fill(1) }')).toMatchObject({ code: 'ERR_RESULT' });
    expect(await run('return Array(499).fill(1)')).toMatchObject({ result: Array(499).fill(1) });
  });

  it('are refused as arguments of host calls', async () => {
    await allEndWith(
      {
        text: `${HUGE}return tgp.take(huge)`,
        'wide text': `${WIDE}return tgp.take(huge)`,
        inside: `${HUGE}return tgp.take([{ a: huge }])`,
        array: 'return tgp.take(new Array(1e8))',
        bytes: 'return tgp.take(new Uint8Array(3e7))',
        write_file: `${HUGE}return tgp.write_file('/tmp/a.txt', huge)`,
        read_file: `${HUGE}return tgp.read_file(huge)`,
        list_files: `${HUGE}return tgp.list_files(huge)`,
        exec_tool: `${HUGE}return tgp.exec_tool(huge, {})`,
        'arguments of exec_tool': `${HUGE}return tgp.exec_tool('tools/a.ts', huge)`,
        fetch: `${HUGE}return fetch(huge)`,
        'body of fetch': `${HUGE}return fetch('http://localhost:1', { method: 'POST', body: huge })`,
        'bytes of fetch': "return fetch('http://localhost:1', { method: 'POST', body: new Uint8Array(3e7) })",
        'a header of fetch, cut short by its class': `${HUGE}try { await fetch('http://localhost:1', { headers: { a: huge } }) } catch (error) { return tgp.take(huge) }`,
        'method of fetch': `${HUGE}return fetch('http://localhost:1', { method: huge })`,
      },
      { code: 'ERR_LIMIT', message: expect.stringContaining('sandbox.argsBytes') },
    );
  });

  it('can be caught by the tool', async () => {
    const { run } = await oneWorker();
    const caught = `${HUGE}try { await tgp.take(huge) } catch (error) { return [error.code, await tgp.take('small')] }`;
    expect(await run(caught)).toMatchObject({ result: ['ERR_LIMIT', 'taken'] });
  });

  it('are cut in logs', async () => {
    const { run } = await oneWorker();
    for (const [code, line] of /** @type {[string, RegExp][]} */ ([
      [`${HUGE}console.log(huge)`, /^\[text of 100000000 characters\]$/],
      [`${WIDE}console.log(huge, huge)`, /^\[text of 100000000 characters\] \[text of 100000000 characters\]$/],
      [`${HUGE}tgp.log({ a: huge })`, /^\{ a: \[text of 100000000 characters\] \}$/],
      [`${HUGE}console.log([huge, 1])`, /^\[ \[text of 100000000 characters\], 1 \]$/],
      [`${HUGE}console.log(new Error(huge))`, /^\[text of \d+ characters\]\n {4}at /],
      [`${HUGE}console.log(Symbol(huge))`, /^\[text of \d+ characters\]$/],
      ["console.log('y'.repeat(3e6))", /^y{200000}y*… \[log truncated/],
      ["console.log({ a: 'y'.repeat(20000) })", /^\{\n {2}a: 'y{10000}'\.\.\. 10000 more characters\n\}$/],
    ])) {
      const { result, logs } = /** @type {any} */ (await run(`${code}\nreturn 'done'`));
      expect(result, code).toBe('done');
      expect(logs.map((/** @type {{ message: string }} */ { message }) => message)).toEqual([
        expect.stringMatching(line),
      ]);
    }
  });

  it('are cut in errors', async () => {
    const { run } = await oneWorker();
    for (const code of [
      'throw huge',
      'throw new Error(huge)',
      'throw { message: huge, name: huge }',
      'throw { a: huge }',
      "const e = new Error('x'); e.name = huge; throw e",
      "const e = new Error('x'); e.stack = huge; throw e",
      "throw new Error('x', { cause: huge })",
      "throw new Error('x', { cause: new Error(huge) })",
      "Error.prepareStackTrace = () => huge; throw new Error('x')",
      'Promise.reject(new Error(huge)); return 1',
      "Object.defineProperty(f, 'name', { value: huge }); function f() { throw new Error('x') } f()",
      'setTimeout(() => { throw new Error(huge) }, 0); await new Promise((done) => setTimeout(done, 100))',
    ]) {
      const outcome = await run(`${HUGE}${code}`);
      expect(outcome, code).toMatchObject({ code: 'ERR_TOOL_THROWN' });
      expect(/** @type {any} */ (outcome).message.length, code).toBeLessThan(20_000);
    }
    const wide = await run(`${WIDE}throw new TypeError(huge)`);
    expect(wide).toMatchObject({ code: 'ERR_TOOL_THROWN', message: expect.stringContaining('[text of 1000000') });
  });

  it('are refused by functions that would have to copy them', async () => {
    await allEndWith(
      {
        url: `${HUGE}return new URL(huge).href.length`,
        path: `${HUGE}return new URL('http://a/' + huge).href.length`,
        base: `${HUGE}return new URL('/', huge).href.length`,
        'a part of a URL': `${HUGE}const url = new URL('http://a/'); url.pathname = huge; return 1`,
        canParse: `${HUGE}return URL.canParse(huge)`,
        form: `${HUGE}return new URLSearchParams(huge).size`,
        'written form': `${HUGE}return new URLSearchParams({ a: huge }).toString().length`,
        require: `${HUGE}return require(huge)`,
        import: `${HUGE}return import(huge)`,
        encode: `${HUGE}return new TextEncoder().encode(huge).length`,
        encodeInto: `${HUGE}return new TextEncoder().encodeInto(huge, new Uint8Array(9)).read`,
        label: `${HUGE}return new TextDecoder(huge)`,
        atob: `${HUGE}return atob(huge).length`,
        btoa: `${HUGE}return btoa(huge).length`,
      },
      { code: 'ERR_ISOLATE_MEMORY' },
    );
  });
});

describe('work that exceeds the memory of V8', () => {
  it('ends with a memory error, not a crash', async () => {
    const { kernel } = await createKernel({ sandbox: { workers: 1, timeoutMs: 2000 } });
    for (const code of [
      'return JSON.stringify(huge).length',
      'return JSON.stringify({ a: [huge] }, null, 2).length',
      'return JSON.parse("[" + "0,".repeat(2e7) + "0]").length',
      'return huge.split("").length',
      'return encodeURIComponent(huge).length',
      'return huge.normalize("NFD").toUpperCase().length',
    ]) {
      const { code: failure } = await kernel.run(HUGE + code).catch((error) => error);
      expect(failure, code).toMatch(/^ERR_ISOLATE_(MEMORY|TIMEOUT)$/);
    }
    expect((await kernel.run('return 1')).result).toBe(1);
  });
});

describe('values that are too large to enter the sandbox', () => {
  it('an answer of the application is ERR_ISOLATE_MEMORY', async () => {
    const { kernel, run } = await oneWorker({ memoryMb: 8, resultBytes: 64 << 20 });
    expect(await run('return (await tgp.give(15e6)).length')).toMatchObject({
      code: 'ERR_ISOLATE_MEMORY',
      message: expect.stringContaining('sandbox.memoryMb'),
    });
    expect(await run('try { await tgp.give(15e6) } catch (error) { return error.code }')).toMatchObject({
      result: 'ERR_ISOLATE_MEMORY',
    });
    expect(await run('return (await tgp.give(1e6)).length')).toMatchObject({ result: 1e6 });
    await kernel.shutdown();
  });

  it('many small values count with their memory', async () => {
    const { kernel } = await createKernel(
      { sandbox: { workers: 1, memoryMb: 16, timeoutMs: 2000 } },
      { sandboxAPI: { many: async (/** @type {number} */ count) => Array(count).fill(0) } },
    );
    await kernel.run('return 1');
    const before = workers();
    await expect(kernel.run('return (await tgp.many(1.9e6)).length')).rejects.toMatchObject({
      code: 'ERR_ISOLATE_MEMORY',
    });
    expect((await kernel.run('return (await tgp.many(1e5)).length')).result).toBe(1e5);
    expect(workers()).toEqual(before);
  });

  it('arguments are ERR_VALIDATION', async () => {
    const { kernel } = await createKernel({ sandbox: { workers: 1, memoryMb: 8, argsBytes: 64 << 20 } });
    await kernel.run('return 1');
    const before = workers();
    const args = { text: 'x'.repeat(40 << 20) };
    await expect(kernel.run('return 1', args)).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    expect((await kernel.run('return 1')).result).toBe(1);
    expect(workers()).toEqual(before);
  });

  it('the body of a response is ERR_ISOLATE_MEMORY', async () => {
    const server = createServer((_, response) => response.end('x'.repeat(30 << 20)));
    onTestFinished(() => void server.close());
    await new Promise((done) => server.listen(0, () => done(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const url = `http://localhost:${port}`;
    const { kernel } = await createKernel({
      allowedFetchUrls: [url],
      sandbox: { workers: 1, memoryMb: 16, fetchBytes: 64 << 20, timeoutMs: 2000 },
    });
    await kernel.run('return 1');
    const before = workers();
    await expect(
      kernel.run(`const response = await fetch('${url}'); return (await response.text()).length`),
    ).rejects.toMatchObject({ code: 'ERR_ISOLATE_MEMORY' });
    expect((await kernel.run('return 1')).result).toBe(1);
    expect(workers()).toEqual(before);
  });
});
