import { describe, expect, it } from 'vitest';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';

const POISON = `
  globalThis.left = 1;
  Object.prototype.polluted = 1;
  Object.prototype.toJSON = () => 'hijacked';
  Object.prototype.then = (done) => done('hijacked');
  Array.prototype.push = null;
  Promise.resolve().then(() => { globalThis.late = 1 });
  Promise.prototype.then = null;
  JSON.stringify = () => 'x';
  Object.defineProperty(Array.prototype, '0', { set() {}, configurable: true });
  Error.prepareStackTrace = () => 'forged';
  Symbol.prototype.left = 1;
  /(secret)/.test('secret');
  tgp.read_file = () => 'forged';
  console.left = 1;
  Object.freeze(tgp);
  setInterval(() => {}, 1);
  globalThis.setTimeout = null;
  return 0;
`;

for (const isolation of /** @type {const} */ (['process', 'thread'])) {
  describe(`a run in a ${isolation}`, () => {
    it('starts from a clean realm', async () => {
      const { forge } = await createKernel({ sandbox: { isolation, workers: 1 } });
      // The poisoned run succeeds, so the next run uses the same worker.
      expect((await forge(POISON)).result).toBe(0);
      const poisoned = workers();
      const look = `return [typeof left, typeof late, ({}).polluted === undefined, ({}).toJSON === undefined && ({}).then === undefined,
        typeof [].push, typeof Promise.prototype.then, JSON.stringify([1]), [5][0], new Error('e').stack.includes('e'),
        typeof Symbol.prototype.left, RegExp.$1, Object.isExtensible(tgp), typeof tgp.read_file, console.left === undefined,
        (await new Promise((done) => setTimeout(() => done('timers'), 1)))]`;
      expect((await forge(look)).result).toEqual([
        'undefined',
        'undefined',
        true,
        true,
        'function',
        'function',
        '[1]',
        5,
        true,
        'undefined',
        '',
        true,
        'function',
        true,
        'timers',
      ]);
      expect(workers()).toEqual(poisoned);
    });

    it('cannot compile code from text', async () => {
      const { forge } = await createKernel({ sandbox: { isolation } });
      for (const code of [
        'new Function("return 1")()',
        '(() => {}).constructor("return 1")()',
        '(async () => {}).constructor("return 1")()',
        '(function* () {}).constructor("yield 1")()',
        'tgp.log.constructor("return this")()',
        'console.log.constructor("return this")()',
        'require.constructor("return this")()',
        'setTimeout.constructor("return this")()',
      ]) {
        await expect(forge(`return ${code}`), code).rejects.toMatchObject({
          code: 'ERR_TOOL_THROWN',
          message: expect.stringMatching(/Code generation from strings/),
        });
      }
      await expect(forge("return setTimeout('1')")).rejects.toThrow(/must be of type function/);
    });
  });
}

describe('results and errors of a hostile guest', () => {
  it('are serialised correctly, whatever the guest did to JSON and prototypes', async () => {
    const { forge } = await createKernel();
    const hostile =
      'JSON.stringify = () => "lie"; Map.prototype.forEach = null; Array.prototype[Symbol.iterator] = null; Object.keys = null;';
    const source = `${hostile} return { m: new Map([['a', 1n]]), s: new Set([1]), d: new Date(0), u: undefined, n: NaN }`;
    expect(
      (
        await forge(
          `const M = Map; ${source
            .replace('new Map([[', "(() => { const m = new Map(); m.set('a', 1n); return m })() || (([[")
            .replace(']])', ']]))')
            .replace('new Set([1])', '(() => { const s = new Set(); s.add(1); return s })()')}`,
        )
      ).result,
    ).toEqual({
      m: { a: '1' },
      s: [1],
      d: '1970-01-01T00:00:00.000Z',
      n: null,
    });
  });

  it('name the path of a value that cannot be serialised', async () => {
    const { forge } = await createKernel();
    await expect(forge('return { rows: [{ f: () => 1 }] }')).rejects.toMatchObject({
      code: 'ERR_RESULT',
      message: expect.stringMatching(/result\.rows\.0\.f is a function/),
    });
    await expect(forge('return { a: Symbol() }')).rejects.toMatchObject({
      code: 'ERR_RESULT',
      message: expect.stringMatching(/result\.a is a symbol/),
    });
    await expect(forge('const o: any = {}; o.o = o; return o')).rejects.toMatchObject({
      code: 'ERR_RESULT',
      message: expect.stringMatching(/contains itself/),
    });
    await expect(forge('return () => 1')).rejects.toMatchObject({ code: 'ERR_RESULT' });
  });

  it('an error with throwing accessors is still one typed error', async () => {
    const { forge } = await createKernel();
    const thrown = [
      'Object.defineProperty(new Error("x"), "stack", { get() { throw 1 } })',
      'new Proxy(new Error("x"), { get() { while (true) {} } })',
      'Object.assign(new Error("x"), { message: { toString() { throw 2 } } })',
      '{ get message() { throw 3 } }',
      'null',
      'undefined',
      'Symbol("s")',
    ];
    for (const value of thrown) {
      const error = await forge(`throw ${value}`).catch((error) => error);
      expect(['ERR_TOOL_THROWN', 'ERR_ISOLATE_TIMEOUT'], value).toContain(error.code);
    }
  });

  it('a guest cannot forge errors of the host', async () => {
    const { forge } = await createKernel();
    const source = "throw Object.assign(new Error('x'), { code: 'ERR_SECURITY_VIOLATION', host_code: 'ERR_SQL' })";
    await expect(forge(source)).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN' });
  });
});
