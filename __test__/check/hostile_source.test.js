import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const DEEP = 20_000;
const SMALL = 300;
const MEGABYTES = 10;
const path = 'tools/hostile.ts';

/** Ways to nest: the text that opens a level, the text that closes it, and the innermost text. */
const SHAPES = {
  parentheses: ['(', ')', '1'],
  arrays: ['[', ']', '1'],
  objects: ['{a:', '}', '1'],
  blocks: ['{', '}', ''],
  calls: ['f(', ')', '1'],
  arrows: ['()=>', '', '1'],
  functions: ['function f(){', '}', ''],
  classes: ['class A{static x=', '}', '1'],
  conditionals: ['1?', ':0', '1'],
  unary: ['!', '', '1'],
  typeof: ['typeof ', '', '1'],
  templates: ['`${', '}`', '1'],
  ifs: ['if(1)', '', ';'],
  loops: ['for(const x of y)', '', ';'],
  sums: ['1+', '', '1'],
  texts: ["'SELECT '+a+", '', "''"],
  members: ['a.', '', 'b'],
  news: ['new ', '', 'A'],
  awaits: ['await ', '', 'f()'],
  assignments: ['a=', '', '1'],
  generics: ['Array<', '>', 'string'],
  unions: ['(string|', ')', 'any'],
  comments: ['/*', '', '*/'],
  nullish: ['a??(', ')', 'Date.now()'],
  eval: ['eval(', ')', '1'],
};

/**
 * @param {string} name
 * @param {number} depth
 */
function nested(name, depth) {
  const [open = '', close = '', inside = ''] = SHAPES[/** @type {keyof typeof SHAPES} */ (name)];
  const code = `${open.repeat(depth)}${inside}${close.repeat(depth)}`;
  const isType = name === 'generics' || name === 'unions';
  const isStatement = ['blocks', 'functions', 'ifs', 'loops', 'comments'].includes(name);
  if (isType) return `type T = ${code};\nexport default (value: T): T => value;`;
  return isStatement
    ? `${code}\nexport default () => 1;`
    : `export default async () => ${code.startsWith('{') ? `(${code})` : code};`;
}

describe('source text cannot crash the compiler or the rules', () => {
  it('every kind of nesting, 300 and 20 000 levels deep', async () => {
    const { kernel, tools } = await createKernel({ rules: { types: 'off' }, check: 'off' });
    for (const name of Object.keys(SHAPES)) {
      for (const depth of [SMALL, DEEP]) {
        await tools.write_file.execute({ path, content: nested(name, depth) });
        const report = await tools.check_tool.execute({ path });
        expect(report.diagnostics.length, `${name} ${depth}`).toBeLessThanOrEqual(100);
        expect(JSON.stringify(report), `${name} ${depth}`).not.toMatch(
          /caused an internal compiler error|was not compiled/,
        );
        await kernel.exec(path).catch((error) => expect(error.code, `${name} ${depth}`).toMatch(/^ERR_/));
      }
    }
    await tools.write_file.execute({ path, content: '/** One. */\nexport default () => 1;\n' });
    expect(await tools.check_tool.execute({ path })).toMatchObject({ valid: true });
    expect((await kernel.exec(path)).result).toBe(1);
  });

  it('fifty nested sources in a row fail with a syntax error, and use no CPU time afterwards', async () => {
    const { kernel, tools } = await createKernel({ rules: { types: 'off' }, check: 'off' });
    const units = ['a?(b):c=>', 'a?async(b):c=>', '<A>(', 'a?<T>(b):c=>', "a?/'/.b?(c):d=>"];
    for (let round = 0; round < 50; round++) {
      const unit = units[round % units.length] ?? '';
      const code = `${unit.repeat(30 + round)}1${unit.endsWith('>(') ? ')'.repeat(30 + round) : ''}`;
      await tools.write_file.execute({ path, content: `/** One. */\nexport default () =>\n  ${code};\n` });
      const report = await tools.check_tool.execute({ path });
      expect(report, code.slice(0, 40)).toMatchObject({ valid: false, diagnostics: [{ rule: 'syntax', line: 3 }] });
      await expect(kernel.exec(path)).rejects.toMatchObject({ code: 'ERR_COMPILATION', line: 3 });
    }
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const spent = process.cpuUsage(before);
    expect((spent.user + spent.system) / 1000).toBeLessThan(200);
    await tools.write_file.execute({ path, content: '/** One. */\nexport default () => 1;\n' });
    expect((await kernel.exec(path)).result).toBe(1);
  });

  it('ten megabytes, random bytes, lone surrogates, a byte order mark and empty text', async () => {
    const { kernel, tools } = await createKernel({ check: 'off' });
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 48_271) + 11) >>> 0;
      return seed;
    };
    const noise = Array.from({ length: 20_000 }, () => String.fromCharCode(random() % 0xd000)).join('');
    const tokens = [
      '(',
      ')',
      '{',
      '}',
      '`',
      "'",
      '/',
      '*',
      '<',
      '>',
      'any',
      'eval',
      '=>',
      '\n',
      ';',
      '@',
      '\\u{110000}',
      '#',
    ];
    const soup = Array.from({ length: 20_000 }, () => tokens[random() % tokens.length]).join('');
    const cases = {
      megabytes: 'a = 1;\n'.repeat((MEGABYTES << 20) / 7),
      noise,
      soup,
      surrogates: "export default () => '\ud800' + `\udfff` + /\ud83d/.source;",
      escaped: "export default () => '\\ud800'.length;",
      mark: '\uFEFF/** Mark. */\nexport default () => 1;\n',
      nothing: '',
      nul: '\0\0\0',
      longLine: `export default () => ${'1+'.repeat(2000)}1;`,
      manyNumbers: `export default () => [${'77,'.repeat(20_000)}];`,
      manyComments: `${'// tgp-ignore no-any\n'.repeat(20_000)}export default () => 1;`,
    };
    for (const [name, content] of Object.entries(cases)) {
      const written = await tools.write_file.execute({ path, content }).catch((error) => error.code);
      if (typeof written === 'string') {
        expect(written, name).toMatch(/^ERR_/);
        continue;
      }
      const report = await tools.check_tool.execute({ path });
      expect(report.diagnostics.length, name).toBeLessThanOrEqual(100);
      for (const found of report.diagnostics) expect(found.line, name).toBeGreaterThan(0);
    }
    await tools.write_file.execute({ path, content: cases.mark });
    expect(await tools.check_tool.execute({ path })).toMatchObject({
      valid: true,
      diagnostics: [],
      typesChecked: true,
    });
    expect((await kernel.exec(path)).result).toBe(1);
  });
});
