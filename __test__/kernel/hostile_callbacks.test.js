import { describe, expect, it } from 'vitest';
import { VfsMirror } from '../../dist/files/vfs_mirror.js';
import { hostCost, MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Hostile values that application code can return or throw. */
const PRELUDE = `
const unhandled = [];
process.on('unhandledRejection', (error) => unhandled.push(String(error)));
process.on('uncaughtException', (error) => unhandled.push(String(error)));
const proxy = new Proxy({}, { get() { throw new Error('get'); }, has() { throw new Error('has'); },
  ownKeys() { throw new Error('keys'); }, getPrototypeOf() { throw new Error('prototype'); } });
const cyclic = {}; cyclic.self = cyclic;
const deep = JSON.parse('['.repeat(20000) + ']'.repeat(20000));
const endless = () => new Proxy({}, { ownKeys: () => ['a', 'b', 'c'], get: (_, key) => (key === 'toJSON' || key === 'then' ? undefined : endless()),
  getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) });
const wide = new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 32 - 1 : key === Symbol.iterator ? function* () { for (;;) yield 1; } : undefined) });
const thenable = { then(resolve) { resolve(thenable); } };
class Hostile extends Error { get message() { throw new Error('message'); } get stack() { throw new Error('stack'); } get cause() { throw new Error('cause'); } }
`;

const ANSWERS = {
  'a throw': "() => { throw new Error('no'); }",
  'a rejection': "async () => { throw new Error('no'); }",
  'a thrown null': '() => { throw null; }',
  'a thrown symbol': "() => { throw Symbol('no'); }",
  'a thrown proxy': '() => { throw proxy; }',
  'a thrown object without a prototype': '() => { throw Object.create(null); }',
  'an error that cannot be read': '() => { throw new Hostile(); }',
  'an error whose message is not a text':
    "() => { throw Object.assign(new Error('x'), { message: { toString() { throw 1; } } }); }",
  'an error with a huge message': "() => { throw new Error('x'.repeat(1e8)); }",
  'a TGP error with details that are not JSON':
    "() => { throw Object.assign(new NotFoundError('x'), { details: cyclic }); }",
  'a TGP error with an invalid code': "() => { throw Object.assign(new NotFoundError('x'), { code: 7 }); }",
  'a proxy': '() => proxy',
  'a cycle': '() => cyclic',
  'a deep value': '() => deep',
  'an infinite value': '() => endless()',
  'an infinite array': '() => wide',
  'a map that contains itself': '() => { const map = new Map(); map.set("a", map); return map; }',
  'a getter that throws': "() => ({ get a() { throw new Error('get'); } })",
  'a toJSON that throws': "() => ({ toJSON() { throw new Error('no'); } })",
  'a toJSON that returns its object': '() => { const own = { toJSON: () => own }; return own; }',
  'an endless chain of toJSON': '() => { const make = () => ({ toJSON: make }); return make(); }',
  'a thenable that throws': "() => ({ then() { throw new Error('then'); } })",
  'a thenable that resolves with itself': '() => thenable',
  'a promise of a thenable that resolves with itself': 'async () => ({ inner: thenable })',
  'a promise of an object that becomes a thenable that resolves with itself':
    '() => { const own = {}; const made = Promise.resolve(own); own.then = (resolve) => resolve(own); return made; }',
  'a then that cannot be read': "() => ({ get then() { throw new Error('then'); } })",
  'a thenable that settles twice':
    "() => ({ then(resolve, reject) { resolve(1); reject(new Error('late')); resolve(2); } })",
  'a huge text': "() => 'x'.repeat(2 ** 29 - 24)",
  'a huge text of quotes': "() => '\\u0000'.repeat(2 ** 28)",
  'a text that JSON escapes': "() => '\\u0001'.repeat(2 ** 24)",
  'keys that JSON escapes': "() => ({ ['\\u0001'.repeat(2 ** 24)]: 1 })",
  'many huge texts': "() => Array(100).fill('x'.repeat(2 ** 24))",
  'a symbol': "() => Symbol('no')",
  'an invalid date': '() => new Date(NaN)',
  'a function': '() => () => 1',
  'a bigint': '() => 10n ** 100n',
  'typed arrays': '() => new Uint8Array(8)',
  'a promise that never settles': '() => new Promise(() => {})',
};

/** Calls every function in a separate run, and records the outcomes. */
const CALLS = (answers) => `
const { NotFoundError } = await import(${JSON.stringify(new URL('../../index.js', import.meta.url).href)});
${PRELUDE}
const answers = { ${Object.entries(answers)
  .map(([, code], index) => `f${index}: ${code}`)
  .join(',\n')}, good: () => 'fine' };
const kernel = new TGP({ config: { rootDir: '.tgp', sandbox: { wallMs: 3000, workers: 2 } }, sandboxAPI: answers });
const tools = tgpTools(kernel);
await tools.write_file.execute({ path: 'tools/call.ts', content: 'return await tgp[args.name]()' });
const outcomes = {};
for (const name of Object.keys(answers)) {
  outcomes[name] = await kernel.exec('tools/call.ts', { name }).then(
    ({ result }) => ({ result: JSON.stringify(result).slice(0, 40) }),
    (error) => ({ code: error.code, typed: error.constructor.name, length: error.message.length }),
  );
}
const good = (await kernel.exec('tools/call.ts', { name: 'good' })).result;
await kernel.shutdown();
`;

describe('an application function', () => {
  it('ends its call but never the process, whatever it returns or throws', async () => {
    const folder = await tempRoot();
    const { outcomes, good, unhandled } = await runProgram(
      folder,
      `${CALLS(ANSWERS)} console.log(JSON.stringify({ outcomes, good, unhandled }));`,
    );
    expect(good).toBe('fine');
    expect(unhandled).toEqual([]);
    for (const [index, name] of Object.keys(ANSWERS).entries()) {
      const outcome = outcomes[`f${index}`];
      expect(outcome.result ?? outcome.code, name).toMatch(/^ERR_[A-Z_]+$|^["{[\d]/);
      if (outcome.code !== undefined) expect(outcome.length, name).toBeLessThan(20_000);
    }
  });

  it('uses limited host memory, whatever it returns', async () => {
    const names = [
      'a deep value',
      'an infinite value',
      'an infinite array',
      'many huge texts',
      'a text that JSON escapes',
      'keys that JSON escapes',
    ];
    const setup = CALLS(Object.fromEntries(names.map((name) => [name, ANSWERS[name]])));
    const { value, extraMb } = await hostCost(
      await tempRoot(),
      `${setup.slice(0, setup.indexOf('const outcomes'))}`,
      `const codes = [];
       for (const name of ${JSON.stringify(names.map((_, index) => `f${index}`))}) codes.push(await kernel.exec('tools/call.ts', { name }).catch((error) => error.code));
       return codes;`,
      'await kernel.shutdown();',
    );
    expect(value).toEqual(names.map(() => expect.stringMatching(/^ERR_/)));
    expect(extraMb).toBeLessThan(MAX_EXTRA_MB);
  });
});

describe('arguments of the application', () => {
  it('that cannot be read throw a ValidationError', async () => {
    const folder = await tempRoot();
    const { codes, unhandled } = await runProgram(
      folder,
      `${PRELUDE}
      const kernel = new TGP({ config: { rootDir: '.tgp' } });
      const codes = [];
      for (const args of [proxy, cyclic, deep, endless(), wide, { get a() { throw 1; } }, { toJSON() { throw 1; } }, { f() {} }, { a: 'x'.repeat(2 ** 29 - 24) }]) {
        codes.push(await kernel.exec('tools/none.ts', args).catch((error) => error.code));
      }
      await kernel.shutdown();
      console.log(JSON.stringify({ codes, unhandled }));`,
    );
    expect(codes).toEqual(Array(9).fill('ERR_VALIDATION'));
    expect(unhandled).toEqual([]);
  });
});

describe('a logger', () => {
  it('that throws, rejects or lacks methods does not fail a call', async () => {
    const folder = await tempRoot();
    const { results, unhandled } = await runProgram(
      folder,
      `${PRELUDE}
      const results = [];
      const thrower = () => { throw new Error('log'); };
      const rejecter = async () => { throw new Error('log'); };
      for (const logger of [{ debug: thrower, info: thrower, warn: thrower, error: thrower },
        { debug: rejecter, info: rejecter, warn: rejecter, error: rejecter }, {}, proxy]) {
        const kernel = new TGP({ config: { rootDir: '.tgp', check: 'strict' }, logger, fs: {}, http: {} });
        kernel.onToolsChanged(() => { throw new Error('listener'); });
        kernel.onToolsChanged(async () => { throw new Error('listener'); });
        const tools = tgpTools(kernel);
        await tools.write_file.execute({ path: 'tools/one.js', content: 'module.exports = () => 1;' + results.length });
        results.push((await kernel.exec('tools/one.js').catch((error) => ({ result: error.code }))).result);
        await kernel.shutdown();
      }
      console.log(JSON.stringify({ results, unhandled }));`,
    );
    expect(results).toEqual(Array(4).fill(expect.anything()));
    expect(unhandled).toEqual([]);
  });
});

describe('a signal', () => {
  it('that is hostile ends only its own call', async () => {
    const folder = await tempRoot();
    const { outcomes, good, unhandled } = await runProgram(
      folder,
      `${PRELUDE}
      const kernel = new TGP({ config: { rootDir: '.tgp' } });
      const tools = tgpTools(kernel);
      await tools.write_file.execute({ path: 'tools/one.ts', content: 'return 1' });
      const fake = (more) => Object.defineProperties(new AbortController().signal, Object.getOwnPropertyDescriptors(more));
      const outcomes = [];
      for (const signal of [
        fake({ addEventListener() { throw new Error('add'); } }),
        fake({ removeEventListener() { throw new Error('remove'); } }),
        fake({ addEventListener(_, listener) { listener(); listener(); setTimeout(listener, 1); } }),
        fake({ get aborted() { throw new Error('aborted'); } }),
        fake({ get reason() { throw new Error('reason'); }, aborted: true }),
        AbortSignal.abort(proxy), AbortSignal.abort(null), AbortSignal.timeout(0),
      ]) {
        for (const call of [
          () => kernel.exec('tools/one.ts', {}, { signal }),
          () => tools.read_file.execute({ path: 'tools/one.ts' }, { abortSignal: signal }),
          () => tools.exec_tool.execute({ path: 'tools/one.ts' }, { abortSignal: signal }),
        ]) outcomes.push(await call().then(() => 'done', () => 'failed'));
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      const good = (await kernel.exec('tools/one.ts')).result;
      await kernel.shutdown();
      console.log(JSON.stringify({ outcomes, good, unhandled }));`,
    );
    expect(outcomes).toHaveLength(24);
    expect(good).toBe(1);
    expect(unhandled).toEqual([]);
  });
});

describe('a file adapter', () => {
  it('that never answers causes an IoError', async () => {
    const never = () => new Promise(() => {});
    const good = {
      listFiles: async () => ['tools/one.ts'],
      readFile: async () => 'return 1',
      writeFile: async () => {},
    };
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    for (const name of ['listFiles', 'readFile']) {
      const mirror = new VfsMirror(/** @type {any} */ ({ ...good, [name]: never }), logger, 200);
      await expect(mirror.refresh(), name).rejects.toMatchObject({ code: 'ERR_IO' });
    }
  });

  it('that throws or returns junk ends the call with a typed error, and the next call works', async () => {
    const folder = await tempRoot();
    const { outcomes, good, unhandled } = await runProgram(
      folder,
      `${PRELUDE}
      const { createMemoryVFS } = await import(${JSON.stringify(new URL('../../index.js', import.meta.url).href)});
      const inner = createMemoryVFS({ 'tools/one.ts': 'return 1' });
      let junk;
      const names = ['listFiles', 'readFile', 'writeFile', 'remove', 'exists', 'stamp'];
      const vfs = Object.fromEntries(names.map((name) => [name, (...args) => (junk?.[0] === name ? junk[1](...args) : inner[name]?.(...args))]));
      const kernel = new TGP({ vfs, logger: { debug() {}, info() {}, warn() {}, error() {} } });
      const tools = tgpTools(kernel);
      await kernel.boot();
      const outcomes = [];
      for (const name of names) {
        for (const answer of [() => { throw new Error('no'); }, async () => { throw proxy; }, () => null, () => proxy, () => [proxy, 7, null],
          () => ['../../x', '/etc/passwd', 'a\\0b', ''], () => deep, () => 'x'.repeat(2 ** 26 + 1), () => Symbol('x')]) {
          junk = [name, answer];
          const write = await tools.write_file.execute({ path: 'tools/two.ts', content: 'return ' + outcomes.length }).then(() => 'done', (error) => error.code ?? String(error));
          const read = await tools.read_file.execute({ path: 'tools/one.ts' }).then(() => 'done', (error) => error.code ?? String(error));
          outcomes.push([name, write, read]);
        }
      }
      junk = undefined;
      const good = (await kernel.exec('tools/one.ts')).result;
      await kernel.shutdown();
      console.log(JSON.stringify({ outcomes, good, unhandled }));`,
    );
    for (const [name, ...results] of outcomes) {
      for (const result of results) expect(result, name).toMatch(/^(?:done|ERR_[A-Z_]+)$/);
    }
    expect(good).toBe(1);
    expect(unhandled).toEqual([]);
  });
});
