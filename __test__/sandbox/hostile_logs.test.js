import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

async function sandbox() {
  const { forge } = await createKernel({ check: 'off', sandbox: { workers: 1, timeoutMs: 5000 } });
  return async (/** @type {string} */ source) => {
    const { result, logs } = await forge(source);
    return { result, lines: logs.map(({ message }) => message) };
  };
}

describe('THREAT: values that are hostile while they are logged', () => {
  it('run no getter and no trap of a proxy', async () => {
    const guest = await sandbox();
    const { result, lines } = await guest(`
      const calls: string[] = [];
      const traps = new Proxy({}, { get: (_, name) => (...given: any[]) => { calls.push(String(name)); return (Reflect as any)[name](...given) } });
      const target = Object.defineProperty({ a: 1 }, 'b', { enumerable: true, get() { calls.push('getter'); return 2 } });
      console.log(new Proxy(target, traps), [new Proxy([1], traps)], new Map([[new Proxy(() => 1, traps), 1]]));
      console.table([new Proxy({ c: 3 }, {})]);
      return calls;`);
    expect(result).toEqual([]);
    expect(lines[0]).toBe('{ a: 1, b: [Getter] } [ [ 1 ] ] Map(1) { [Function (anonymous)] => 1 }');
  });

  it('do not end the run when their functions throw', async () => {
    const guest = await sandbox();
    const { result, lines } = await guest(`
      const fail = (): never => { throw new Error('hostile') };
      const custom = { [Symbol.for('nodejs.util.inspect.custom')]: fail };
      const text = Object.create({ toString: fail });
      console.log(custom);
      console.log('first', custom, 'last');
      console.log('%s', text);
      console.log('%j', { toJSON: fail });
      console.log({ get [Symbol.toStringTag]() { return fail() } }, Object.defineProperty(new Error('x'), 'stack', { get: fail }));
      console.log(Object.setPrototypeOf({ a: 1 }, new Proxy({}, { getPrototypeOf: fail })));
      return 'done';`);
    const unreadable = '[value that throws when it is read]';
    expect(result).toBe('done');
    expect(lines).toEqual([
      unreadable,
      `first ${unreadable} last`,
      '%s {}',
      '%j { toJSON: [Function: fail] }',
      '{ Symbol(Symbol.toStringTag): [Getter] } [Error: x]',
      unreadable,
    ]);
  });

  it('are shown in part if they are large or deep', async () => {
    const guest = await sandbox();
    const { result, lines } = await guest(`
      console.log(new Array(1e8), new Array(1e6).fill(1), new Map(new Array(1e5).fill(0).map((_, i) => [i, i])));
      const wide: any = {};
      for (let i = 0; i < 300; i++) wide['key' + i] = 'x'.repeat(20_000);
      console.log(wide.key1, [wide.key2]);
      return 'done';`);
    expect(result).toBe('done');
    expect(lines[0]).toMatch(/^\[ <100000000 empty items> \] \[\n/);
    expect(lines[0]).toContain('... 999900 more items');
    expect(lines[0]).toContain('... 99900 more items');
    expect(lines[1]).toContain("'... 10000 more characters");
  });

  it('take no longer than the log has room for', async () => {
    const guest = await sandbox();
    const { result, lines } = await guest(`
      const large: any = {};
      for (let i = 0; i < 300_000; i++) large['key' + i] = i;
      const nested = (depth: number): any => (depth === 0 ? 1 : Array.from({ length: 100 }, () => nested(depth - 1)));
      const deep = nested(3);
      console.log(large);
      console.dir(deep, { depth: null });
      return 'done';`);
    expect(result).toBe('done');
    expect(lines[0]).toMatch(/^\{\n {2}key0: 0,\n/);
    expect(lines.at(-1)).toContain('[log truncated');
  });

  it('may be deeper than the stack', async () => {
    const guest = await sandbox();
    const { result, lines } = await guest(`
      let deep: any = {};
      for (let i = 0; i < 50_000; i++) deep = { deep };
      console.dir(deep, { depth: null });
      return 'done';`);
    expect(result).toBe('done');
    expect(lines[0]).toMatch(/^\{\n {2}deep: \{\n {4}deep: /);
    expect(lines.at(-1)).toContain('[log truncated');
  });

  it('give their functions no internal value', async () => {
    const guest = await sandbox();
    const { result } = await guest(`
      const seen: any[] = [];
      const custom = { [Symbol.for('nodejs.util.inspect.custom')](this: any, depth: number, options: any, inspect: any) {
        seen.push(this === custom, depth, Object.getPrototypeOf(options) === Object.prototype, inspect instanceof Function);
        return Object.keys(options).sort().join();
      } };
      console.log({ a: custom });
      console.dir([3, 1], { sorted: (a: unknown, b: unknown) => { seen.push(typeof a, typeof b); return 0 } });
      return seen.slice(0, 4);`);
    expect(result).toEqual([true, 1, true, true]);
  });
});

describe('THREAT: a context of asynchronous calls that outlives its run', () => {
  it('does not reach the next run of the worker', async () => {
    const guest = await sandbox();
    const parts = "const parts = (console as any)[Symbol.for('tgp.node')]('contexts');";
    expect((await guest(`${parts} parts.setContext({ left: 1 }); return parts.context()`)).result).toEqual({ left: 1 });
    expect((await guest(`${parts} return parts.context() === undefined`)).result).toBe(true);
  });
});
