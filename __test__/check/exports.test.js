import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const path = 'tools/t.ts';
const LIB = {
  'tools/lib/dates.ts':
    'export const addDays = (n: number): number => n;\nexport type Day = { n: number };\nexport const { a, b: [c] } = { a: 1, b: [2] };\n',
  'tools/lib/all.ts':
    "export * from './dates';\nexport * as days from './dates';\nexport default function all(): number {\n  return 1;\n}\n",
  'tools/lib/old.js': 'module.exports = { twice: (n) => n * 2 };\n',
  'tools/lib/rates.json': '{ "vat": 7 }',
};

/** @param {import('../../index.js').TGPConfigInput} config */
async function checker(config) {
  const { tools, kernel } = await createKernel(config);
  for (const [file, content] of Object.entries(LIB)) await tools.write_file.execute({ path: file, content });
  return {
    kernel,
    check: async (/** @type {string} */ imports, body = '1') => {
      const content = `${imports}\n/** Tries. */\nexport default (): unknown => ${body};\n`;
      await tools.write_file.execute({ path, content });
      return tools.check_tool.execute({ path });
    },
  };
}

/** Wrong imports: the statement, an expression that uses it, the expected message and its position. */
const WRONG = [
  [
    "import { addDay } from './lib/dates';",
    'addDay',
    "'./lib/dates' has no export 'addDay'. Did you mean 'addDays'?",
    '1:10',
  ],
  [
    "import { adDays as x } from './lib/all';",
    'x',
    "'./lib/all' has no export 'adDays'. Did you mean 'addDays'?",
    '1:10',
  ],
  ["import dates from './lib/dates';", 'dates', "'./lib/dates' has no default export", '1:8'],
  [
    "import { pars } from '@tgp/std/csv';",
    'pars',
    "'@tgp/std/csv' has no export 'pars'. Did you mean 'parse'?",
    '1:10',
  ],
  ["import { cvs } from '@tgp/std';", 'cvs', "'@tgp/std' has no export 'cvs'. Did you mean 'csv'?", '1:10'],
  ["import { sendMail } from './lib/dates';", 'sendMail', "'./lib/dates' has no export 'sendMail'", '1:10'],
];
const RIGHT = [
  ["import { addDays, a, c, type Day } from './lib/dates';", '[addDays, a, c, null as Day | null]'],
  ["import all, { addDays, days } from './lib/all';", '[all, addDays, days]'],
  ["import rates, { vat } from './lib/rates.json';", '[rates, vat]'],
  ["import { csv } from '@tgp/std';\nimport { parse } from '@tgp/std/csv';", '[csv, parse]'],
  ["import * as all from './lib/all';", 'all.default'],
];

describe('imports of names that do not exist', () => {
  it('are found without the type checker, with a suggestion', async () => {
    const { check } = await checker({ rules: { types: 'off' } });
    for (const [imports, body, message, place] of WRONG) {
      const { valid, diagnostics, errors } = await check(String(imports), body);
      const found = diagnostics.filter(({ rule }) => rule === 'missing-export');
      expect([valid, found.map((one) => [one.message, `${one.line}:${one.column}`])], imports).toEqual([
        false,
        [[message, place]],
      ]);
      expect(found[0]?.help).toMatch(/At run time it would be undefined/);
      expect(errors).toEqual([`tools/t.ts:${place}: ${message}`]);
    }
    for (const [imports, body] of RIGHT) expect((await check(String(imports), body)).errors, imports).toEqual([]);
    expect((await check("import { anything } from './lib/old';", 'anything')).errors).toEqual([]);
    expect(
      (await check("// tgp-ignore missing-export: it comes later\nimport { addDay } from './lib/dates';", 'addDay'))
        .errors,
    ).toEqual([]);
  });

  it('are reported once with the type checker', async () => {
    const { check } = await checker({});
    for (const [imports, body, message] of WRONG) {
      const { errors, typesChecked } = await check(String(imports), body);
      expect([typesChecked, errors.length, errors[0]], imports).toEqual([
        true,
        1,
        expect.stringContaining(String(message)),
      ]);
    }
    for (const [imports, body] of RIGHT) expect((await check(String(imports), body)).errors, imports).toEqual([]);
    expect((await check("import { anything } from './lib/old';", 'anything')).errors).toEqual([]);
  });

  it('prevent a run if the check is strict', async () => {
    const { kernel, check } = await checker({ check: 'strict', rules: { types: 'off', 'no-default-export': 'off' } });
    await check("import { addDay } from './lib/dates';", 'addDay(1)').catch(() => {});
    await expect(kernel.exec(path)).rejects.toMatchObject({
      code: expect.stringMatching(/ERR_COMPILATION|ERR_NOT_FOUND/),
      message: expect.not.stringContaining('?.'),
    });
  });
});

describe('a global that the sandbox does not have', () => {
  it('is reported at its position, and only once with the type checker', async () => {
    const { check } = await checker({});
    for (const body of [
      'process.env.KEY',
      "'ü' + process.env.KEY",
      "['\\t', process['env']]",
      '({ process })',
      'globalThis.process.env.KEY',
      '((key = process.env.KEY) => key)()',
      'class { static key = process.env.KEY }',
    ]) {
      const { errors } = await check('', body);
      const column = `export default (): unknown => ${body};`.indexOf('process') + 1;
      expect(errors, body).toEqual([expect.stringContaining(`tools/t.ts:3:${column}: Violation [Standard 4]: Global`)]);
    }
  });

  it('gets advice on settings and secrets', async () => {
    const { check } = await checker({});
    const [found] = (await check('', 'process.env.KEY')).diagnostics;
    expect(found?.help).toMatch(/settings as arguments.*\{\{secret:NAME\}\}.*`secrets: \{ NAME: \{ hosts \} \}`/);
  });
});

describe('a file without a default export', () => {
  it('is a library, with a notice that it cannot be run', async () => {
    const { kernel } = await checker({});
    const report = await kernel.check('tools/lib/dates.ts');
    expect(report.diagnostics).toEqual([expect.objectContaining({ rule: 'no-default-export', severity: 'warning' })]);
    expect(report.valid).toBe(true);
    await expect(kernel.exec('tools/lib/dates.ts')).rejects.toMatchObject({
      code: 'ERR_COMPILATION',
      message:
        'tools/lib/dates.ts cannot be run: it has no default export. Write `export default function (args) { … }`, or import it from another tool.',
    });
    expect((await kernel.check('tools/lib/all.ts')).diagnostics.map(({ rule }) => rule)).not.toContain(
      'no-default-export',
    );
  });
});

describe('declarations for tools', () => {
  it('cover the standard library, the sleep idiom, import.meta and headers by name, also in strict', async () => {
    const { tools, kernel } = await createKernel({ check: 'strict', sandbox: { timeoutMs: 5000 } });
    const content = `import { parse } from '@tgp/std/csv';
import { stats } from '@tgp/std';

/** Sleeps, then counts. */
export default async (args: { text: string; url?: string }): Promise<unknown[]> => {
  await new Promise((done) => setTimeout(done, 1));
  await new Promise<void>((done) => setTimeout(done, 1));
  const timer = setTimeout((text: string) => text, 1, 'x');
  clearTimeout(timer);
  if (args.url) {
    const response = await tgp.fetch(args.url);
    const type: string | undefined = response.headers['content-type'];
    return [type, response.headers.get('content-type')];
  }
  return [parse(args.text).length, stats.mean([1, 3]), import.meta.url];
};
`;
    expect(await tools.write_file.execute({ path, content })).toMatchObject({ success: true });
    expect((await kernel.check(path)).errors).toEqual([]);
    expect((await kernel.exec(path, { text: 'a\n1\n2' })).result).toEqual([2, 2, 'file:///lib/t.ts']);
  });
});
