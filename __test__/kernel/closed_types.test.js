/** Types that list their members are checked: tuples, records with literal keys, keyof. */

import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const path = 'tools/a.ts';

/** @type {[type: string, valid: unknown[], invalid: [unknown, RegExp][]][]} */
const CASES = [
  [
    '[number, string]',
    [[1, 'a']],
    [
      [[1, 'a', 2], /"of" is too long: give at most 2 items/],
      [[1], /"of\.1" is missing/],
    ],
  ],
  ['[number, string?]', [[1], [1, 'a']], [[[1, 'a', 'b'], /too long/]]],
  [
    '[number, ...string[]]',
    [[1], [1, 'a', 'b']],
    [
      [[1, 'a', 2], /"of\.2" is not valid: give a text/],
      [[], /"of\.0" is missing/],
    ],
  ],
  [
    "Record<'x' | 'y', number>",
    [{ x: 1, y: 2 }],
    [
      [{ x: 1 }, /"of\.y" is missing: give a number/],
      [{ x: 1, y: 2, z: 3 }, /"of\.z" is not known/],
      [{ x: 1, y: 'a' }, /"of\.y" is not valid/],
    ],
  ],
  ["Partial<Record<'x' | 'y', number>>", [{}, { x: 1 }], [[{ z: 1 }, /"of\.z" is not known/]]],
  ['Record<string, number>', [{ any: 1 }], [[{ any: 'a' }, /"of\.any" is not valid/]]],
  ['keyof Point', ['x', 'y'], [['z', /"of" is not valid: give one of "x", "y"/]]],
  ['Record<keyof Point, string>', [{ x: 'a', y: 'b' }], [[{ x: 'a' }, /"of\.y" is missing/]]],
];

test.each(CASES)('%s', async (type, valid, invalid) => {
  const { kernel, tools } = await createKernel();
  const content = `type Point = { x: number; y: number };\n/** Returns it, of a Point or not. */\nexport default (args: { of: ${type}; at?: Point }): unknown => args.of;\n`;
  await tools.write_file.execute({ path, content });
  for (const of of valid) expect((await kernel.exec(path, { of })).result).toEqual(of);
  for (const [of, message] of invalid) {
    const error = await kernel.exec(path, { of }).catch((thrown) => thrown);
    expect(error, JSON.stringify(of)).toMatchObject({ code: 'ERR_VALIDATION' });
    expect(error.message).toMatch(message);
    expect(await tools.exec_tool.execute({ path, args: { of } })).toMatchObject({ code: 'ERR_VALIDATION' });
  }
});

test('nested records cost no more than their limit', async () => {
  const { kernel, tools } = await createKernel();
  const keys = Array.from({ length: 30 }, (_, at) => `'k${at}'`).join(' | ');
  const nested = Array.from({ length: 8 }).reduce((inner) => `Record<K, ${inner}>`, 'number');
  const content = `type K = ${keys};\n/** Counts. */\nexport default (args: { of: ${nested} }): number => Object.keys(args.of).length;\n`;
  await tools.write_file.execute({ path, content });
  const [found] = await kernel.find('counts');
  expect(JSON.stringify(found?.parameters).length).toBeLessThan(100_000);
});

test('a function of tgp that is called as a global is named with tgp', async () => {
  const api = { send_mail: () => 'sent' };
  const { kernel, tools } = await createKernel({}, { sandboxAPI: api });
  for (const [call, advice] of /** @type {const} */ ([
    ["exec_sql('SELECT 1')", 'call tgp.exec_sql('],
    ["read_file('a.json')", 'call tgp.read_file('],
    ['send_mail()', 'call tgp.send_mail('],
  ])) {
    const content = `/** Does it. */\nexport default (): unknown => ${call};\n`;
    await tools.write_file.execute({ path, content });
    const error = await kernel.exec(path).catch((thrown) => thrown);
    expect(error.message).toContain(`is not defined. It is a function of tgp: ${advice}`);
  }
});
