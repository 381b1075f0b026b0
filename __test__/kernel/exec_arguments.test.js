import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const SUM = `/** Adds up amounts. */
export default (args: { amounts: number[]; note?: string }): number => args.amounts.reduce((sum, one) => sum + one, 0);
`;
const path = 'tools/math/sum.ts';

async function withSum() {
  const made = await createKernel();
  await made.tools.write_file.execute({ path, content: SUM });
  return made;
}

describe('exec_tool validates arguments against the schema of the tool', () => {
  test.each([
    ['a missing field', { note: 'x' }, '"amounts" is missing: give a list.'],
    ['no arguments', undefined, '"amounts" is missing: give a list.'],
    ['a wrong type', { amounts: 5 }, '"amounts" is not valid: give a list, not 5.'],
    ['a wrong item', { amounts: [1, 'two'] }, '"amounts.1" is not valid: give a number, not the text "two".'],
    [
      'a misspelt name',
      { amount: [1], note: 'x' },
      '"amounts" is missing: give a list; "amount" is not known, did you mean "amounts"?',
    ],
    [
      'an unknown name beside a wrong type',
      { amounts: 5, currency: 'EUR' },
      '"amounts" is not valid: give a list, not 5; "currency" is not known here (known: amounts, note).',
    ],
    ['a text that is not JSON', { amounts: '[1, 2' }, '"amounts" is not valid: give a list, not the text "[1, 2".'],
  ])('%s: the error names the expected type, and asks for a corrected call', async (_, args, problem) => {
    const { kernel, tools } = await withSum();
    const report = await tools.exec_tool.execute({ path, args });
    expect(report).toEqual({
      success: false,
      code: 'ERR_VALIDATION',
      logs: [],
      error: `${path}: ${problem} It takes { amounts: number[]; note?: string }. Correct the arguments and call it again; nothing was run.`,
    });
    const byName = (await kernel.tools()).math_sum?.execute(args ?? {});
    await expect(byName).rejects.toThrow(`math_sum: ${problem} It takes { amounts: number[]; note?: string }.`);
    expect((await kernel.registry.list())[0]?.uses, 'nothing ran').toBe(0);
  });

  test.each([
    ['as an object', { amounts: [20, 22] }],
    ['as JSON text', '{"amounts":[20,22]}'],
    ['with JSON text inside', { amounts: '[20,22]' }],
    ['with an unknown name', { amounts: [20, 22], extra: true }],
  ])('accepts arguments %s', async (_, args) => {
    const { tools } = await withSum();
    const report = await tools.exec_tool.execute({ path, args: /** @type {any} */ (args) });
    expect(report).toMatchObject({ success: true, result: 42 });
    expect(await tools.exec_tool.execute({ path: `./${path}`, args: /** @type {any} */ (args) })).toMatchObject({
      result: 42,
    });
  });

  test('an error for an enumeration lists all values, and nested names get suggestions', async () => {
    const { tools } = await createKernel();
    const days = 'Mon Tue Wed Thu Fri Sat Sun Public School Bank Feast Leap'.split(' ');
    const content = `export default (args: { day: ${days.map((day) => `'${day}'`).join(' | ')}; at?: { hour: number }[] }): unknown => args;`;
    await tools.write_file.execute({ path: 'tools/day.ts', content });
    const failed = async (/** @type {any} */ args) =>
      /** @type {any} */ (await tools.exec_tool.execute({ path: 'tools/day.ts', args })).error;
    const all = days.map((day) => `"${day}"`).join(', ');
    expect(await failed({ day: 'Monday' })).toContain(`"day" is not valid: give one of ${all}, not the text "Monday".`);
    expect(await failed({ day: 'Monday'.repeat(100) })).toContain(`"day" is not valid: give one of ${all}. It takes`);
    expect(await failed({ day: 'Mon', at: [{ hours: 1 }] })).toContain(
      '"at.0.hour" is missing: give a number; "at.0.hours" is not known, did you mean "at.0.hour"? It takes',
    );
  });

  test('a string stays a string for a string parameter', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/echo.ts',
      content: 'export default (args: { text: string; any: unknown }): unknown => [args.text, args.any];',
    });
    const args = { text: '{"a":1}', any: '[1]' };
    expect(await tools.exec_tool.execute({ path: 'tools/echo.ts', args })).toMatchObject({
      result: ['{"a":1}', '[1]'],
    });
  });

  test('a tool with another parameter than an object gets the unwrapped value', async () => {
    const { tools } = await createKernel();
    const content = 'export default (amounts: number[]): number => amounts.length;';
    await tools.write_file.execute({ path: 'tools/count.ts', content });
    expect(await tools.exec_tool.execute({ path: 'tools/count.ts', args: { args: [1, 2] } })).toMatchObject({
      result: 2,
    });
  });

  test('a tool with a union of object and other types gets either', async () => {
    const { kernel, tools } = await createKernel();
    const file = 'tools/either.ts';
    const content = 'export default function (args: { n: number } | string[]) { return args }';
    await tools.write_file.execute({ path: file, content });
    const run = (/** @type {any} */ args) => tools.exec_tool.execute({ path: file, args });
    expect(await run({ n: 1 })).toMatchObject({ success: true, result: { n: 1 } });
    expect(await run({ args: { n: 1 } }), 'wrapped, as the error message shows it').toMatchObject({ result: { n: 1 } });
    expect(await run({ args: ['a'] })).toMatchObject({ result: ['a'] });
    expect(await run({ m: 1 })).toMatchObject({ success: false, code: 'ERR_VALIDATION' });
    expect(await (await kernel.tools()).either?.execute({ args: { n: 1 } })).toMatchObject({ result: { n: 1 } });
  });

  test('calls of applications and other tools are not validated', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/kind.ts',
      content: 'export default (args: { of: number[] }): string => typeof args.of;',
    });
    expect(await kernel.exec('tools/kind.ts', { of: 'text' })).toMatchObject({ result: 'string' });
    await tools.write_file.execute({
      path: 'tools/outer.ts',
      content:
        "export default async (): Promise<unknown> => (await tgp.exec_tool('tools/kind.ts', { of: true })) as unknown;",
    });
    expect(JSON.stringify(await tools.exec_tool.execute({ path: 'tools/outer.ts' }))).toContain('boolean');
  });
});

describe('kernel.exec with validate', () => {
  test('validates arguments before anything runs', async () => {
    const { kernel } = await withSum();
    await expect(kernel.exec(path, { amount: [1] }, { validate: true })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining('"amount" is not known, did you mean "amounts"?'),
    });
    expect((await kernel.registry.list())[0]?.uses, 'nothing ran').toBe(0);
    expect(await kernel.exec(path, { amounts: [20, 22] }, { validate: true, seed: 1 })).toMatchObject({ result: 42 });
  });

  test('validates against the current text, and values in their JSON form', async () => {
    const { kernel, tools } = await withSum();
    const since = '/** Says when. */\nexport default (args: { at: string }): string => args.at;\n';
    await tools.write_file.execute({ path, content: since });
    const at = new Date(0);
    expect((await kernel.exec(path, { at }, { validate: true })).result).toBe('1970-01-01T00:00:00.000Z');
    await expect(kernel.exec(path, { amounts: [1] }, { validate: true })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
  });

  test('is off by default, and accepts only booleans', async () => {
    const { kernel } = await withSum();
    for (const options of [undefined, {}, { validate: false }]) {
      await expect(kernel.exec(path, { amounts: 'none' }, options)).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN' });
    }
    const wrong = /** @type {any} */ ({ validate: 'yes' });
    await expect(kernel.exec(path, { amounts: [1] }, wrong)).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining('validate'),
    });
  });
});
