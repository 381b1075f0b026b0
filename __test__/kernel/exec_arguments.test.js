import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
});

const KNOWN = '"extra" is not known here (known: amounts, note).';

describe('arguments that a tool does not name', () => {
  const extra = { amounts: [20, 22], extra: true };

  test('are refused on every path into a run, with a spelling suggestion', async () => {
    const { kernel, tools } = await withSum();
    const code = SUM;
    await expect(kernel.exec(path, extra)).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: `${path}: ${KNOWN} It takes { amounts: number[]; note?: string }. Correct the arguments and call it again; nothing was run.`,
      details: { field: 'extra', parameters: { type: 'object' } },
    });
    await expect(kernel.run(code, extra)).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining(`run_code args: ${KNOWN}`),
    });
    for (const report of [
      await tools.exec_tool.execute({ path, args: extra }),
      await tools.run_code.execute({ code, args: extra }),
    ]) {
      expect(report).toMatchObject({ success: false, code: 'ERR_VALIDATION', error: expect.stringContaining(KNOWN) });
    }
    const byName = (await kernel.tools()).math_sum?.execute({ amounts: [1], notes: 'x' });
    await expect(byName).rejects.toThrow('math_sum: "notes" is not known, did you mean "note"?');
    await tools.write_file.execute({
      path: 'tools/outer.ts',
      content: `export default async (): Promise<unknown> => (await tgp.exec_tool('${path}', { amounts: [1], notes: 'x' })) as unknown;`,
    });
    await expect(kernel.exec('tools/outer.ts')).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining('"notes" is not known, did you mean "note"?'),
    });
    expect((await kernel.registry.list()).find((tool) => tool.path === path)?.uses, 'nothing ran').toBe(0);
  });

  test.each([
    ['an index signature', '(args: { a: number; [key: string]: number })'],
    ['an imported type', '(args: Given)', "import type { Given } from './given';\n"],
    ['a part that is imported', '(args: { a: number } & Given)', "import type { Given } from './given';\n"],
    ['no type', '(args)'],
    ['a rest of properties', '({ a, ...rest })'],
    ['no parameter', '()'],
    ['a record', '(args: Record<string, number>)'],
    ['any value', '(args: unknown)'],
  ])('are accepted by %s', async (_, parameters, head = '') => {
    const { kernel } = await createKernel();
    await kernel.vfs.writeFile('tools/given.ts', 'export type Given = { b: number };\n');
    await kernel.vfs.writeFile('tools/open.ts', `${head}export default ${parameters} => 1;\n`);
    expect(await kernel.exec('tools/open.ts', { a: 1, b: 2 })).toMatchObject({ result: 1 });
  });

  test('are accepted by a script that passes its arguments on, and refused by one that only reads names', async () => {
    const { kernel } = await createKernel();
    await kernel.vfs.writeFile('tools/all.ts', 'return args.a + Object.keys(args).length');
    await kernel.vfs.writeFile('tools/one.ts', 'return args.height');
    expect(await kernel.exec('tools/all.ts', { a: 1, b: 2 })).toMatchObject({ result: 3 });
    await expect(kernel.exec('tools/one.ts', { hieght: 1 })).rejects.toThrow('did you mean "height"?');
    expect(await kernel.exec('tools/one.ts', 'text'), 'names are no types').toMatchObject({ result: null });
  });

  test('a property whose type includes undefined may be left out', async () => {
    const { kernel } = await createKernel();
    const of = 'export default (args: { a: number | undefined; pair?: [number, string?] }): number => args.a ?? 5;';
    await kernel.vfs.writeFile('tools/maybe.ts', of);
    expect(await kernel.exec('tools/maybe.ts', { a: undefined, pair: [1] })).toMatchObject({ result: 5 });
  });
});

describe('kernel.exec', () => {
  test('validates arguments before anything runs', async () => {
    const { kernel } = await withSum();
    for (const options of [undefined, {}, { validate: true }, { seed: 1 }, { dryRun: true }]) {
      await expect(kernel.exec(path, { amount: [1] }, options)).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
        message: expect.stringContaining('"amount" is not known, did you mean "amounts"?'),
      });
    }
    await expect(kernel.exec(path)).rejects.toThrow('"amounts" is missing: give a list.');
    expect((await kernel.registry.list())[0]?.uses, 'nothing ran').toBe(0);
    expect(await kernel.exec(path, { amounts: [20, 22] }, { seed: 1 })).toMatchObject({ result: 42 });
  });

  test('validates against the text that runs, also right after it changed on disk', async () => {
    const { kernel, rootDir } = await withSum();
    const file = join(rootDir, path);
    expect(await kernel.exec(path, { amounts: [1] })).toMatchObject({ result: 1 });
    for (let round = 0; round < 3; round++) {
      await writeFile(file, '/** Says when. */\nexport default (args: { at: string }): string => args.at;\n');
      expect((await kernel.exec(path, { at: new Date(0) })).result).toBe('1970-01-01T00:00:00.000Z');
      await expect(kernel.exec(path, { amounts: [1] })).rejects.toThrow('It takes { at: string }.');
      await writeFile(file, SUM);
      expect(await kernel.exec(path, { amounts: [1] })).toMatchObject({ result: 1 });
      await expect(kernel.exec(path, { at: 'x' })).rejects.toThrow('It takes { amounts: number[]; note?: string }.');
    }
  });

  test('agents too are validated by the text that runs', async () => {
    const { kernel, tools, rootDir } = await withSum();
    const byName = (await kernel.tools()).math_sum;
    expect(await tools.exec_tool.execute({ path, args: { amounts: '[1]' } })).toMatchObject({ result: 1 });
    await writeFile(join(rootDir, path), 'export default (args: { at: string }): string => args.at;\n');
    expect(await tools.exec_tool.execute({ path, args: { at: '5' } })).toMatchObject({ result: '5' });
    expect(await byName?.execute({ at: 'x' }), 'with the schema of the old text').toMatchObject({ result: 'x' });
    await expect(byName?.execute({ amount: [1] })).rejects.toThrow('math_sum:');
    expect(await byName?.execute({ amounts: [1] })).toMatchObject({
      success: false,
      error: expect.stringContaining('It takes { at: string }.'),
    });
  });

  test('does not validate with validate: false, which holds for nested runs too', async () => {
    const { kernel, tools } = await withSum();
    await expect(kernel.exec(path, { amounts: 'none' }, { validate: false })).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
    });
    expect(await kernel.run(SUM, { amounts: [1], extra: 1 }, { validate: false })).toMatchObject({ result: 1 });
    await tools.write_file.execute({
      path: 'tools/outer.ts',
      content: `export default async (): Promise<unknown> => (await tgp.exec_tool('${path}', { amounts: [1], more: 1 })) as unknown;`,
    });
    expect(await kernel.exec('tools/outer.ts', {}, { validate: false })).toMatchObject({ result: 1 });
    const wrong = /** @type {any} */ ({ validate: 'yes' });
    await expect(kernel.exec(path, { amounts: [1] }, wrong)).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining('validate'),
    });
  });

  test('refused arguments are recorded as a failed call', async () => {
    const { kernel } = await withSum();
    await expect(kernel.exec(path, { amount: [1] })).rejects.toThrow();
    const events = await kernel.ledger.tail({ path, limit: 2 });
    expect(events).toMatchObject([
      { type: 'CALL', tool: 'exec_tool' },
      { type: 'RESULT', ok: false, code: 'ERR_VALIDATION' },
    ]);
  });

  test('a call that needs approval is refused before anyone is asked', async () => {
    /** @type {string[]} */
    const asked = [];
    const { kernel, tools } = await createKernel({ policy: 'safe' }, { approve: ({ tool }) => asked.push(tool) > 0 });
    await tools.write_file.execute({ path, content: SUM });
    asked.length = 0;
    await expect(kernel.exec(path, { amount: [1] })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    expect(await tools.exec_tool.execute({ path, args: { amount: [1] } })).toMatchObject({ code: 'ERR_VALIDATION' });
    expect(asked).toEqual([]);
    expect(await tools.exec_tool.execute({ path, args: { amounts: '[1]' } })).toMatchObject({ result: 1 });
    expect(asked).toEqual(['exec_tool']);
  });
});

describe('a tool with several parameters', () => {
  const add = 'tools/math/add.ts';
  const message = `${add}:1:17: Violation [Standard 8]: The tool waits for more than one argument, and is called with one object: the others are undefined. A tool takes one object: \`(args: { a: number; b: number })\`. Its callers pass the values by name. Nothing was run.`;

  test('is not run, and the message says how to write it', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: add, content: 'export default (a: number, b: number): number => a + b;' });
    for (const args of [{ args: 1 }, { a: 1, b: 2 }, undefined]) {
      await expect(kernel.exec(add, args)).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
        message,
        details: { rule: 'one-argument', line: 1, column: 17 },
      });
      expect(await tools.exec_tool.execute({ path: add, args })).toMatchObject({ success: false, error: message });
    }
    const byName = (await kernel.tools()).math_add;
    expect(await byName?.execute({ args: 1 })).toMatchObject({ success: false, error: message });
    expect((await kernel.exec(add, 1, { validate: false })).result, 'as it is written').toBe(null);
    await tools.write_file.execute({
      path: add,
      content: 'export default (args: { a: number; b: number }): number => args.a + args.b;',
    });
    expect(await tools.exec_tool.execute({ path: add, args: { a: 1, b: 2 } })).toMatchObject({ result: 3 });
  });

  test('runs if the others are optional', async () => {
    const { kernel } = await createKernel();
    await kernel.vfs.writeFile('tools/half.ts', 'export default (n: number, by = 2, of?: string) => [n / by, of];');
    expect(await kernel.exec('tools/half.ts', 4)).toMatchObject({ result: [2, null] });
  });
});
