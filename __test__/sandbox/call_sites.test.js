import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

async function sandbox() {
  const { tools, forge } = await createKernel({ sandbox: { workers: 1, timeoutMs: 5000 } });
  await tools.write_file.execute({
    path: 'tools/fails.ts',
    content: "export default () => { throw new Error('nested') }",
  });
  return async (/** @type {string} */ source) => (await forge(source)).result;
}

describe('Error.prepareStackTrace', () => {
  it("gets the positions of the tool's frames", async () => {
    const guest = await sandbox();
    const [places, hidden, shape] = await guest(`
      // As depd, callsites and others do it.
      function callSites() {
        const { prepareStackTrace, stackTraceLimit } = Error;
        const holder: any = {};
        Error.prepareStackTrace = (_, sites) => sites;
        Error.stackTraceLimit = Math.max(10, stackTraceLimit);
        Error.captureStackTrace(holder, callSites);
        const sites = holder.stack.slice();
        Error.prepareStackTrace = prepareStackTrace;
        Error.stackTraceLimit = stackTraceLimit;
        return sites;
      }
      class Shop { constructor() { this.sites = callSites() } sell() { return [1].map(() => callSites())[0] } }
      const place = (s: any) => [s.getFunctionName(), s.getTypeName(), s.getFileName(), s.getLineNumber() > 0, s.getColumnNumber() > 0, s.isConstructor(), s.isToplevel(), s.isNative(), s.isEval(), s.isAsync()];
      const shop = new Shop();
      const sold = shop.sell();
      const [first] = sold;
      return [[place(shop.sites[0]), ...sold.slice(0, 3).map(place)], sold.map((s: any) => [s.getThis(), s.getFunction()]).flat(),
        [Array.isArray(sold), sold.length, String(first), Object.prototype.toString.call(first), Object.keys(first), typeof first.getEvalOrigin()]];
    `);
    const file = 'tools/test/forged.ts';
    expect(places).toEqual([
      ['Shop', null, file, true, true, true, false, false, false, false],
      [null, null, file, true, true, false, true, false, false, false],
      ['map', 'Array', null, false, false, false, false, false, false, false],
      ['sell', 'Shop', file, true, true, false, false, false, false, false],
    ]);
    expect(new Set(hidden)).toEqual(new Set([null]));
    expect(shape).toEqual([true, 4, expect.stringContaining(`${file}:`), '[object CallSite]', [], 'undefined']);
  });

  it('does not affect an error of the tool when it throws itself or is not a function', async () => {
    const { forge } = await createKernel();
    for (const hook of [
      '() => { throw new Error("inner") }',
      '7',
      '{ get call() { throw 1 } }',
      'null',
      'class {}',
      'new Proxy(() => {}, { apply() { throw 1 } })',
    ]) {
      const error = await forge(`Error.prepareStackTrace = ${hook};\nthrow new Error('outer')`).catch((error) => error);
      expect([error.code, error.message, error.details.line], hook).toEqual(['ERR_TOOL_THROWN', 'outer', 2]);
    }
    const getter =
      "Object.defineProperty(Error, 'prepareStackTrace', { get() { throw 1 } });\nthrow new Error('outer')";
    await expect(forge(getter)).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: 'outer',
      details: { line: 2 },
    });
  });

  it('never gets the global object behind globalThis', async () => {
    const guest = await sandbox();
    expect(
      await guest(`
        const seen: any[] = [];
        Error.prepareStackTrace = (error) => { seen.push(error); return 'made' };
        Error.captureStackTrace(globalThis);
        const stack = (globalThis as any).stack;
        const plain = {};
        Error.captureStackTrace(plain);
        void (plain as any).stack;
        Object.setPrototypeOf({}, seen[0]);
        return [stack, seen[0] === globalThis, seen[1] === plain, seen.length];
      `),
    ).toEqual(['made', true, true, 2]);
  });
});

describe('the stack of an error', () => {
  it('has frames of the tool only, wherever the error was created', async () => {
    const guest = await sandbox();
    const stacks = await guest(`
      const made: string[] = [];
      const note = () => { made.push(new Error('here').stack!) };
      structuredClone({ get a() { note(); return 1 } });
      new Headers({ get a() { note(); return 'x' } } as any);
      new URLSearchParams([{ [Symbol.iterator]: function* () { note(); yield 'a'; yield 'b' } }] as any);
      new AbortController().signal.addEventListener('abort', note);
      const target = new EventTarget();
      target.addEventListener('x', note);
      target.dispatchEvent(new Event('x'));
      JSON.stringify({ toJSON: note });
      await Promise.all([new Promise<void>((done) => setTimeout(() => { note(); done() }, 1)), new Promise<void>((done) => queueMicrotask(() => { note(); done() }))]);
      await tgp.exec_tool('tools/fails.ts', {}).catch((error) => { made.push(error.stack) });
      await tgp.exec_tool({ toJSON: note } as any, {}).catch((error) => { made.push(error.stack) });
      await fetch('http://127.0.0.1:1').catch((error) => { made.push(error.stack) });
      for (const wrong of [() => new URL('nowhere'), () => atob('?'), () => structuredClone(() => 1), () => new TextDecoder('none'), () => require('./' + 'none'), () => tgp.read_file('../x')]) {
        try { wrong() } catch (error: any) { made.push(error.stack) }
      }
      return made;
    `);
    expect(stacks.length).toBe(17);
    expect(stacks.filter((/** @type {string} */ stack) => stack.includes('tools/test/forged.ts:')).length).toBe(17);
    for (const stack of stacks) {
      expect(stack).not.toMatch(/bootstrap|at (?:async )?(?:start|load|run|build|copy|dispatch|ask|toJson)\b/);
    }
  });

  it('is text with the message first, as V8 writes it', async () => {
    const guest = await sandbox();
    expect(
      await guest(`
        class Mine extends Error { override name = 'Mine' }
        const at = (error: any) => error.stack.split('\\n')[0];
        const hostile = Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } });
        return [at(new Error('a')), at(new Mine('b')), at(new TypeError('c\\nd')), at(Object.assign(new Error('e'), { name: 'F' })), at(hostile),
          [3].map(() => new Error('m').stack!.split('\\n')[2])[0], new Error('g').stack!.split('\\n').length > 1];
      `),
    ).toEqual(['Error: a', 'Mine: b', 'TypeError: c', 'F: e', 'Error', '    at Array.map (<anonymous>)', true]);
  });

  it('can be read during and after a stack overflow', async () => {
    const guest = await sandbox();
    const [kinds, after] = await guest(`
      const kinds = new Set<string>();
      const errors: Error[] = [];
      let left = 300;
      const dive = (): void => {
        const own = new Error('own');
        try { dive() } catch (error: any) {}
        if (left-- > 0) { try { errors.push(own); kinds.add(typeof own.stack) } catch (error: any) { kinds.add(error.name) } }
      };
      dive();
      return [[...kinds].sort(), errors.every((error) => typeof error.stack === 'string' && error.stack.startsWith('Error: own'))];
    `);
    expect(['string', 'RangeError', 'undefined']).toEqual(expect.arrayContaining(kinds));
    expect(after).toBe(true);
  });
});
