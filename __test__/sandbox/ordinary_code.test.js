/** Code written from the documentation alone, which has to behave as in Node. */

import { inspect, promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @param {Record<string, any>} sandboxAPI @param {string} source @param {any} [args] */
async function ask(sandboxAPI, source, args) {
  const { forge } = await createKernel({ check: 'off' }, { sandboxAPI });
  return forge(source, args);
}

describe('answers of application functions, and arguments of runs', () => {
  const odd = () => ({
    error: Object.assign(new RangeError('no', { cause: 'why' }), { status: 418 }),
    pattern: /a+/gi,
    bytes: new Uint8Array([104, 105]),
    buffer: new Uint8Array([1, 2, 3]).buffer,
    numbers: new Float32Array([0.5, 2]),
  });
  const encoded = {
    error: { $error: { name: 'RangeError', message: 'no', status: 418, cause: 'why' } },
    pattern: { $regexp: '/a+/gi' },
    bytes: { $base64: 'aGk=' },
    buffer: { $base64: 'AQID' },
    numbers: [0.5, 2],
  };

  it('encode values that JSON would drop, as results do', async () => {
    expect((await ask({ odd }, 'return tgp.odd()')).result).toEqual(encoded);
    expect((await ask({}, 'return args', odd())).result).toEqual(encoded);
  });

  it.each([
    ['a promise', () => ({ p: Promise.resolve(1) }), /the answer of tgp\.f\.p" is a promise: await it first/],
    ['a generator', () => (function* () {})(), /is a generator: collect what it yields/],
    ['headers', () => ({ h: new Headers({ a: 'b' }) }), /an object of the class Headers, which JSON cannot represent/],
    ['a response', () => new Response('x'), /take its body first/],
    [
      'a map with one key twice',
      () =>
        new Map(
          /** @type {any} */ ([
            [1, 'a'],
            ['1', 'b'],
          ]),
        ),
      /two keys that are written "1"/,
    ],
  ])('refuse %s with its path instead of encoding it as {}', async (_name, f, reason) => {
    const answered = ask({ f }, 'return tgp.f()');
    await expect(answered).rejects.toMatchObject({ message: expect.stringMatching(reason) });
  });

  it('use the default parameters of a function where a tool passes undefined', async () => {
    const search = (/** @type {string} */ q, limit = 10, /** @type {string[]} */ ...more) => [q, limit, more.length];
    const source =
      "return [await tgp.search('x', args.limit), await tgp.search('x', undefined, undefined), await tgp.search('x', 3)]";
    const expected = [
      ['x', 10, 0],
      ['x', 10, 0],
      ['x', 3, 0],
    ];
    expect((await ask({ search }, source, {})).result).toEqual(expected);
  });

  it('can listen to the signals of many calls without a warning of Node', async () => {
    /** @type {string[]} */
    const warnings = [];
    const onWarning = (/** @type {Error} */ warning) => void warnings.push(warning.name);
    process.on('warning', onWarning);
    function f() {
      this.signal.addEventListener('abort', () => {});
    }
    await ask({ f }, 'for (let i = 0; i < 30; i++) await tgp.f(); return 1');
    await new Promise((done) => setImmediate(done));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('a result', () => {
  it('that is a Map with two equal keys is refused, not shortened', async () => {
    const run = ask({}, "return new Map<any, any>([[1, 'a'], ['1', 'b']])");
    await expect(run).rejects.toMatchObject({
      code: 'ERR_RESULT',
      message: expect.stringContaining('two keys that are written "1"'),
    });
  });
});

describe('the log', () => {
  const logged = async (/** @type {string} */ source) => {
    const { logs } = await ask({}, `${source}; return 1`);
    return logs.map(({ message }) => message.replaceAll(/\n +at [^\n{]*\([^)\n]*\)/g, '')).join('\n');
  };

  it('shows the cause, the inner errors and the properties of an error', async () => {
    expect(
      await logged(
        "console.error(Object.assign(new Error('outer', { cause: new TypeError('inner') }), { status: 418 }))",
      ),
    ).toBe('Error: outer {\n  status: 418,\n  [cause]: TypeError: inner\n}');
    expect(await logged("console.log(new AggregateError([new Error('a'), 'b'], 'all'))")).toBe(
      "AggregateError: all {\n  [errors]: [\n    Error: a,\n    'b'\n  ]\n}",
    );
    expect(await logged("const e: any = new Error('self'); e.cause = e; console.log(e)")).toMatch(/\[Circular \*1\]/);
  });

  it.each([
    'new (class Foo { x = 1 })()',
    'new (class Foo {})()',
    '{}',
    'Object.create(null)',
    'Object.assign(Object.create(null), { a: 1 })',
    'function named() {}',
    '() => 1',
    '{ f() {} }',
    '{ a: { b: 1 } }',
  ])('names classes and functions as Node does: %s', async (value) => {
    expect(await logged(`console.log((${value}))`)).toBe(inspect(runInThisContext(`(${value})`)));
  });
});

describe('an AggregateError', () => {
  it('includes the messages of its errors', async () => {
    const run = ask({}, "await Promise.any([Promise.reject(new TypeError('first')), Promise.reject('second')])");
    await expect(run).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: expect.stringContaining('All promises were rejected: TypeError: first; second'),
    });
  });
});

describe('structuredClone', () => {
  it('copies a Blob, a File and a DOMException, and refuses values that cannot be cloned', async () => {
    const source = `
      const file: any = structuredClone({ file: new File(['ab'], 'a.txt', { type: 'text/plain' }) }).file;
      const blob = structuredClone(new Blob(['xyz'], { type: 'a/b' }));
      const error: any = structuredClone(new DOMException('no', 'AbortError'));
      const refusals = [new Headers(), new URL('http://a/'), new AbortController().signal].map((value) => {
        try { structuredClone(value); return 'cloned' } catch (error: any) { return error.name + ' ' + error.code }
      });
      return [await file.text(), file.name, file.type, file instanceof File, await blob.text(), blob.type, blob instanceof File,
        error instanceof DOMException, error.name, error.code, error.message, refusals]`;
    const refused = 'DataCloneError 25';
    expect((await ask({}, source)).result).toEqual([
      ...['ab', 'a.txt', 'text/plain', true, 'xyz', 'a/b', false],
      ...[true, 'AbortError', 20, 'no', [refused, refused, refused]],
    ]);
  });
});

describe('fetch', () => {
  it('fails with a TypeError, as in Node and browsers', async () => {
    const source =
      "const all = []; for (const url of ['http://127.0.0.1:9/', 'relative', 'http://example.invalid/']) all.push(await fetch(url).catch((e) => [e instanceof TypeError, e.name, typeof e.code])); return all";
    const { result } = await ask({}, source);
    expect(result).toEqual(Array(3).fill([true, 'TypeError', 'string']));
  });
});

describe('packages', () => {
  it('keep the names of their classes and functions, and promisify timers as Node does', async () => {
    const folder = await tempRoot();
    const { mkdir, writeFile } = await import('node:fs/promises');
    await mkdir(`${folder}/node_modules/kinds`, { recursive: true });
    await writeFile(
      `${folder}/node_modules/kinds/package.json`,
      '{ "name": "kinds", "version": "1.0.0", "main": "a.js" }',
    );
    await writeFile(
      `${folder}/node_modules/kinds/a.js`,
      `const { promisify } = require('util');
      class NotFoundError extends Error { constructor(message) { super(message); this.name = this.constructor.name } }
      const kinds = {};
      class User {} class Order {} class Item {}
      for (const Kind of [User, Order, Item]) kinds[Kind.name] = Kind;
      function helper() {}
      const arrow = () => {};
      module.exports = { NotFoundError, kinds, names: [helper.name, arrow.name], wait: promisify(setTimeout) };`,
    );
    await writeFile(`${folder}/tgp.config.json`, JSON.stringify({ allowedImports: ['kinds'], check: 'off' }));
    const { TGP, tgpTools } = await import('../../index.js');
    const kernel = new TGP({ configFile: `${folder}/tgp.config.json` });
    await tgpTools(kernel).write_file.execute({
      path: 'tools/t.ts',
      content:
        "import { NotFoundError, kinds, names, wait } from 'kinds';\nexport default async () => [new NotFoundError('x').name, Object.keys(kinds), names, await wait(1, 'v')];",
    });
    const { result } = await kernel.exec('tools/t.ts');
    await kernel.shutdown();
    const waited = await promisify(setTimeout)(1, 'v');
    expect(result).toEqual(['NotFoundError', ['User', 'Order', 'Item'], ['helper', 'arrow'], waited]);
  });
});

const LONG_LIMITS = { timeoutMs: 10_000, wallMs: 60_000 };

describe('memory that a run no longer uses', () => {
  it('is reused for more answers of the application', async () => {
    const { forge } = await createKernel({ check: 'off' }, { sandboxAPI: { page: async () => 'x'.repeat(1e6) } });
    const source = 'let n = 0; for (let i = 0; i < 150; i++) n += (await tgp.page()).length; return n';
    expect((await forge(source, {}, LONG_LIMITS)).result).toBe(150e6);
  });

  it('does not count against the next run, native memory included', async () => {
    const { kernel, tools } = await createKernel({ check: 'off', sandbox: { workers: 1 } });
    const write = (/** @type {string} */ path, /** @type {string} */ content) =>
      tools.write_file.execute({ path, content });
    await write(
      'tools/dates.ts',
      "for (let i = 0; i < 2500; i++) new Date(i).toLocaleDateString('de-DE', { weekday: 'long', month: 'long' }); return 1",
    );
    await write('tools/large.ts', 'return new Uint8Array(4e7).fill(1).length');
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) expect((await kernel.exec('tools/dates.ts', {}, LONG_LIMITS)).result).toBe(1);
      expect((await kernel.exec('tools/large.ts', {}, LONG_LIMITS)).result).toBe(4e7);
    }
  });
});
