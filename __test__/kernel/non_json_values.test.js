/** Values that JSON cannot represent must not reach a tool as another value without an error or warning. */

import { describe, expect, it } from 'vitest';
import { handleToolCall } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

const NUMBERS = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, '-Infinity': Number.NEGATIVE_INFINITY };

describe.each(Object.entries(NUMBERS))('%s', (name, number) => {
  it('in arguments is refused with its path, and nothing runs', async () => {
    let calls = 0;
    const { kernel, tools } = await createKernel({}, { sandboxAPI: { called: () => ++calls } });
    await tools.write_file.execute({ path: 'tools/echo.ts', content: 'await tgp.called(); return args' });
    const places = {
      args: number,
      'args.rows[1].price': { rows: [{ price: 1 }, { price: number }] },
      'args.boxed': { boxed: new Number(number) },
      'args.map["a b"]': { map: new Map([['a b', number]]) },
      'args.set[0]': { set: new Set([number]) },
      'args.own': { own: { toJSON: () => number } },
    };
    for (const [field, args] of Object.entries(places)) {
      await expect(kernel.exec('tools/echo.ts', args), field).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
        message: `Arguments must be serializable JSON: "${field}" is ${name}, which JSON cannot hold. Pass plain data only.`,
        details: { field },
      });
    }
    expect(calls).toBe(0);
  });

  it('in the answer of an application function is an error in the tool, with its path', async () => {
    const { forge } = await createKernel({}, { sandboxAPI: { mean: () => ({ values: [1, number] }) } });
    const { result } = await forge(
      'try { return await tgp.mean() } catch (error: any) { return [error.code, error.message] }',
    );
    expect(result).toEqual([
      'ERR_VALIDATION',
      `"the answer of tgp.mean.values[1]" is ${name}, which JSON cannot hold. Pass plain data only.`,
    ]);
  });

  it('in a result becomes null, with a warning that names the path', async () => {
    const { forge, kernel, tools } = await createKernel();
    const { result, logs } = await forge(`return { rows: [{ price: 1 }, { price: ${name} }], none: null }`);
    expect(result).toEqual({ rows: [{ price: 1 }, { price: null }], none: null });
    expect(logs).toEqual([
      {
        level: 'warn',
        message: `result.rows.1.price is ${name}, which JSON cannot hold: it was replaced by null.`,
      },
    ]);
    const all = await forge(`return new Map([['a', [${name}, ${name}, 1]]])`);
    expect([all.result, all.logs.map(({ message }) => message)]).toEqual([
      { a: [null, null, 1] },
      [`result.a.0 is ${name}, which JSON cannot hold: it was replaced by null. The same applies to 1 more.`],
    ]);
    const alone = await forge(`return ${name}`);
    expect([alone.result, alone.logs.map(({ message }) => message)]).toEqual([
      null,
      [`result is ${name}, which JSON cannot hold: it was replaced by null.`],
    ]);
    await tools.write_file.execute({ path: 'tools/mean.ts', content: `return ${name}` });
    expect(await tools.exec_tool.execute({ path: 'tools/mean.ts' })).toMatchObject({
      success: true,
      result: null,
      logs: [{ level: 'warn' }],
    });
    expect((await kernel.exec('tools/mean.ts')).logs).toHaveLength(1);
  });

  it('in arguments of an application function becomes null, with one warning', async () => {
    const { forge } = await createKernel({}, { sandboxAPI: { echo: (/** @type {unknown} */ value) => value } });
    const { result, logs } = await forge(`return [await tgp.echo({ n: ${name} }), await tgp.echo(${name})]`);
    expect(result).toEqual([{ n: null }, null]);
    expect(logs.map(({ message }) => message)).toEqual([
      `arguments.0.n of tgp.echo is ${name}, which JSON cannot hold: it was replaced by null.`,
    ]);
  });

  it('in the output of an application tool becomes null for the model', async () => {
    const mean = { description: 'Mean', inputSchema: {}, parameters: {}, execute: async () => ({ mean: number }) };
    const call = { type: 'tool_use', id: '1', name: 'mean', input: {} };
    expect(await handleToolCall({ mean }, call)).toMatchObject({ content: '{"mean":null}' });
  });
});

it('undefined is omitted from objects and null in arrays, as in JSON', async () => {
  const { kernel, tools } = await createKernel();
  await tools.write_file.execute({ path: 'tools/echo.ts', content: 'return args' });
  const { result } = await kernel.exec('tools/echo.ts', { gone: undefined, list: [undefined, 1], number: -0.5 });
  expect(result).toEqual({ list: [null, 1], number: -0.5 });
});

it('plain arguments arrive in their JSON form, and other objects in their documented form', async () => {
  const { kernel } = await createKernel();
  class Rows extends Array {
    *[Symbol.iterator]() {
      yield 'one of its own';
    }
  }
  const sparse = [1];
  sparse[2] = 3;
  const plain = {
    ...{ zero: -0, half: 0.5, big: 1e300, lone: '\ud800', quoted: '"\\\u0001', none: null, left: undefined },
    ...{ sparse, empty: {}, nested: [[], [{ yes: true }]], ['__proto__']: 1 },
  };
  expect((await kernel.run('return args', plain)).result).toEqual(JSON.parse(JSON.stringify(plain)));
  const others = { rows: Rows.of(1, 2), own: { toJSON: () => 'own' }, none: Object.create(null) };
  expect((await kernel.run('return args', others)).result).toEqual({ rows: ['one of its own'], own: 'own', none: {} });
});
