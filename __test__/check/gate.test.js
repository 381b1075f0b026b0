import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const EVAL = '/** Evaluates. */\nexport default (args: { code: string }): unknown => eval(args.code);\n';
const MAGIC = '/** Adds tax. */\nexport default (args: { net: number }): number => args.net * 1.19;\n';
const GOOD = '/** Doubles. */\nexport default (args: { n: number }): number => args.n * 2;\n';
const path = 'tools/t.ts';

describe("check: 'warn', the default", () => {
  it('does not run a tool of an agent that breaks a safety rule, and reports the position and an alternative', async () => {
    const { tools } = await createKernel();
    const written = await tools.write_file.execute({ path, content: EVAL });
    expect(written).toMatchObject({
      persisted: true,
      findings: [expect.stringMatching(/^tools\/t\.ts:2:53: Violation \[Safety\]: .*'eval'/)],
    });
    expect(await tools.exec_tool.execute({ path, args: { code: '1' } })).toMatchObject({
      success: false,
      code: 'ERR_SECURITY_VIOLATION',
      error: expect.stringMatching(
        /^Security Violation: tools\/t\.ts:2:53: Violation \[Safety\]: .*'eval'.*JSON\.parse/,
      ),
      line: 2,
      column: 53,
    });
  });

  it('a tool that imports such a tool is refused too', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/lib/run.ts', content: EVAL });
    await tools.write_file.execute({
      path,
      content: "import run from './lib/run';\n/** Runs. */\nexport default (args: { code: string }) => run(args);\n",
    });
    expect(await tools.exec_tool.execute({ path, args: { code: '1' } })).toMatchObject({
      success: false,
      code: 'ERR_SECURITY_VIOLATION',
      error: expect.stringContaining('tools/lib/run.ts'),
    });
  });

  it('lets the application run it; the sandbox still refuses the operation', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path, content: EVAL });
    await expect(kernel.exec(path, { code: '1' })).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN' });
  });

  it('runs and commits a tool that only breaks a standard, and reports it', async () => {
    const { tools } = await createKernel();
    expect(await tools.write_file.execute({ path, content: MAGIC })).toMatchObject({
      persisted: true,
      findings: [
        "tools/t.ts:2:62: Violation [Standard 1]: Found potential Magic Number '1.19'. Abstract logic from data",
      ],
    });
    expect(await tools.exec_tool.execute({ path, args: { net: 100 } })).toMatchObject({ success: true, result: 119 });
    expect(await tools.write_file.execute({ path, content: GOOD })).not.toHaveProperty('findings');
  });
});

describe("check: 'strict'", () => {
  it('neither commits nor runs a tool with errors, and keeps the draft', async () => {
    const { kernel, tools, rootDir } = await createKernel({ check: 'strict' });
    await tools.write_file.execute({ path: 'tools/first.ts', content: GOOD });
    const written = await tools.write_file.execute({ path, content: MAGIC });
    expect(written).toMatchObject({ persisted: false, findings: [expect.stringContaining('1.19')] });
    expect(written).not.toHaveProperty('commit');
    expect(readFileSync(join(rootDir, path), 'utf8')).toBe(MAGIC);
    expect(execFileSync('git', ['-C', rootDir, 'ls-files'], { encoding: 'utf8' }).trim()).toBe(
      'meta.json\ntools/first.ts',
    );
    for (const attempt of ['first', 'second']) {
      await expect(kernel.exec(path, { net: 1 }), attempt).rejects.toMatchObject({
        code: 'ERR_COMPILATION',
        line: 2,
        message: expect.stringMatching(/check_tool finds 1 error/),
      });
    }
    const patched = await tools.patch_file.execute({ path, search: '1.19', replace: '2' });
    expect(patched).toMatchObject({ persisted: true, commit: expect.any(String) });
    expect((await kernel.exec(path, { net: 4 })).result).toBe(8);
  });

  it('clear violations of standards 3 and 5 are errors, others advice', async () => {
    const { kernel, tools } = await createKernel({ check: 'strict' });
    const severities = async (content) => {
      const written = await tools.write_file.execute({ path, content });
      const { diagnostics } = await kernel.check(path);
      const found = diagnostics.filter(({ standard }) => standard === 3 || standard === 5);
      return [written.persisted, ...found.map(({ rule, severity }) => `${rule} ${severity}`)];
    };
    const sum = (body) =>
      `/** Adds up. */\nexport default (args: { n: number[] }): number => {\n  let sum = 0;\n  ${body}\n  return sum;\n};\n`;
    const each = sum('for (const n of args.n) sum += n;');
    expect(await severities(each)).toEqual([false, 'prefer-functional error']);
    await expect(kernel.exec(path, { n: [1] })).rejects.toMatchObject({
      code: 'ERR_COMPILATION',
      message: expect.stringContaining('reduce'),
    });
    expect(await severities(GOOD.replace(/.*\n/, ''))).toEqual([false, 'require-description error']);
    const steps = 'for (const n of args.n) { if (n > 0) sum += n; else sum -= n; }';
    expect(await severities(sum(steps))).toEqual([true, 'prefer-functional advice']);
    expect(await severities('args.n;\n')).toContain('require-description advice');

    const lenient = await createKernel({ check: 'strict', rules: { 'prefer-functional': 'advice' } });
    expect(await lenient.tools.write_file.execute({ path, content: each })).toMatchObject({ persisted: true });
    const { tools: warned } = await createKernel();
    expect(await warned.write_file.execute({ path, content: each })).not.toHaveProperty('findings');
  });

  it('a tool with a type error, its own or an imported one, is neither committed nor run', async () => {
    const { kernel, tools, rootDir } = await createKernel({ check: 'strict' });
    const wrong = GOOD.replace('args.n * 2', 'args.m * 2');
    expect(await tools.write_file.execute({ path, content: wrong })).toMatchObject({
      persisted: false,
      findings: [expect.stringMatching(/^tools\/t\.ts:2:54: Property 'm' does not exist on type .* \(TS2339\)/)],
    });
    expect(readFileSync(join(rootDir, path), 'utf8')).toBe(wrong);
    for (const run of [() => kernel.exec(path, { n: 1 }), () => kernel.exec(path, { n: 1 })]) {
      await expect(run()).rejects.toMatchObject({
        code: 'ERR_COMPILATION',
        line: 2,
        message: expect.stringMatching(/check_tool finds 1 error/),
        details: { rule: 'types' },
      });
    }
    const patched = await tools.patch_file.execute({ path, search: 'args.m', replace: 'args.n' });
    expect(patched).toMatchObject({ persisted: true });
    expect((await kernel.exec(path, { n: 4 })).result).toBe(8);
    const importer =
      "import double from './t';\n/** Doubles twice. */\nexport default (args: { n: number }): number => double({ n: double(args) });\n";
    expect(await tools.write_file.execute({ path: 'tools/u.ts', content: importer })).toMatchObject({
      persisted: true,
    });
    expect((await kernel.exec('tools/u.ts', { n: 1 })).result).toBe(4);
    await kernel.vfs.writeFile(
      path,
      GOOD.replace('n: number', 'n: string').replace('args.n * 2', 'Number(args.n) * 2'),
    );
    await expect(kernel.exec('tools/u.ts', { n: 1 })).rejects.toMatchObject({
      code: 'ERR_COMPILATION',
      details: { rule: 'types', path: 'tools/u.ts' },
    });
  });

  it('without TypeScript it checks rules only, and logs it', async () => {
    const resolve = Module._resolveFilename;
    onTestFinished(() => {
      Module._resolveFilename = resolve;
    });
    Module._resolveFilename = (/** @type {string} */ name, /** @type {any[]} */ ...rest) => {
      if (/typescript/.test(name)) throw new Error('not installed');
      return resolve(name, ...rest);
    };
    /** @type {string[]} */
    const warnings = [];
    const logger = { debug: () => {}, info: () => {}, warn: (text) => warnings.push(text), error: () => {} };
    const kernel = new TGP({ config: { rootDir: await tempRoot(), check: 'strict' }, logger });
    onTestFinished(() => kernel.shutdown());
    const tools = tgpTools(kernel);
    const wrong = GOOD.replace('args.n * 2', 'args.m * 2');
    expect(await tools.write_file.execute({ path, content: wrong })).toMatchObject({
      persisted: true,
      notice: 'Types were not checked: no type checker is available.',
    });
    await kernel.exec(path, { n: 1 });
    expect(warnings.filter((text) => text.includes("check: 'strict' checks rules only"))).toHaveLength(1);
    const { notice, typesChecked } = await tools.check_tool.execute({ path });
    expect(typesChecked).toBe(false);
    // A model cannot install anything: the advice is logged once, for the operator of the application.
    expect(notice).not.toMatch(/npm|install/);
    expect(warnings.filter((text) => text.includes('without --omit=optional'))).toHaveLength(1);
  });

  it('ignores types if the rule is off', async () => {
    const { tools } = await createKernel({ check: 'strict', rules: { types: 'off' } });
    const written = await tools.write_file.execute({ path, content: GOOD.replace('args.n * 2', 'args.m * 2') });
    expect(written).toMatchObject({ persisted: true });
    expect(written).not.toHaveProperty('notice');
  });

  it('data files are not checked as tools', async () => {
    const { tools } = await createKernel({ check: 'strict' });
    expect((await tools.write_file.execute({ path: 'tools/data.json', content: '[1.19]' })).persisted).toBe(true);
  });
});

describe("check: 'off'", () => {
  it('accepts every tool that compiles', async () => {
    const { tools } = await createKernel({ check: 'off' });
    expect(await tools.write_file.execute({ path, content: EVAL })).not.toHaveProperty('findings');
    expect(await tools.exec_tool.execute({ path, args: { code: '1' } })).toMatchObject({ code: 'ERR_TOOL_THROWN' });
  });
});

describe('rules', () => {
  /**
   * @param {import('../../index.js').TGPConfigInput} config
   * @param {string} content
   */
  const check = async (config, content) => {
    const { tools } = await createKernel(config);
    await tools.write_file.execute({ path, content });
    return tools.check_tool.execute({ path });
  };

  it('each level sets the severity of the finding', async () => {
    for (const level of /** @type {const} */ (['advice', 'warning', 'error'])) {
      const report = await check({ rules: { 'no-magic-numbers': level } }, MAGIC);
      expect(report.diagnostics).toMatchObject([{ rule: 'no-magic-numbers', standard: 1, severity: level }]);
      expect(report.valid).toBe(level !== 'error');
    }
    expect(await check({ rules: { 'no-magic-numbers': 'off' } }, MAGIC)).toMatchObject({
      valid: true,
      diagnostics: [],
    });
  });

  it('an unknown rule or level is refused by name', async () => {
    await expect(check({ rules: { 'no-magic': 'off' } }, GOOD)).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/rules\.no-magic is not a rule.*no-magic-numbers/),
    });
    const wrong = /** @type {any} */ ({ rules: { 'no-any': 'fatal' } });
    await expect(check(wrong, GOOD)).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/rules\.no-any/),
    });
    await expect(check(/** @type {any} */ ({ check: 'loose' }), GOOD)).rejects.toMatchObject({
      message: expect.stringMatching(/check/),
    });
  });

  it('a comment with a reason accepts a finding on its own line or the next', async () => {
    const same = MAGIC.replace(';\n', '; // tgp-ignore no-magic-numbers: set by law\n');
    const above = MAGIC.replace('export', '// tgp-ignore no-magic-numbers, no-any: set by law\nexport');
    for (const content of [same, above])
      expect(await check({}, content)).toMatchObject({ valid: true, diagnostics: [] });
  });

  it('a comment without a reason, for an unknown rule, or for a safety rule has no effect and is reported', async () => {
    const cases = [
      [MAGIC, '// tgp-ignore no-magic-numbers', /without a rule id and a reason/, /Write `\/\/ tgp-ignore /],
      [MAGIC, '// tgp-ignore no-magic: because', /no rule 'no-magic'/, /can be ignored are no-.*no-magic-numbers/],
      [EVAL, '// tgp-ignore no-dynamic-code: because', /cannot be ignored/, /^Remove the comment/],
    ];
    for (const [source, comment, message, help] of cases) {
      const report = await check({}, String(source).replace('export', `${comment}\nexport`));
      expect(report.valid).toBe(false);
      expect(report.diagnostics).toContainEqual(
        expect.objectContaining({
          rule: 'suppression',
          severity: 'warning',
          message: expect.stringMatching(message),
          help: expect.stringMatching(help),
        }),
      );
    }
  });
});

describe('fixes', () => {
  it('are reported, and applied on request', async () => {
    const { kernel, tools } = await createKernel();
    const before = [
      "let unit = 'km';",
      '/** Saves. */',
      'export default async function save(args: { url: string }): Promise<string> {',
      '  try {',
      '    tgp.fetch(args.url);',
      '    return unit;',
      '  } catch (error: any) {',
      '    return String(error);',
      '  }',
      '}',
      '',
    ].join('\r\n');
    await tools.write_file.execute({ path, content: `\uFEFF${before}` });
    const { diagnostics } = await tools.check_tool.execute({ path });
    expect(diagnostics.map(({ rule, fix }) => [rule, fix?.line, fix?.column, fix?.text])).toEqual([
      ['no-module-state', 1, 1, 'const'],
      ['no-floating-promises', 5, 5, 'await '],
      ['no-any', 7, 19, 'unknown'],
    ]);
    expect(await kernel.fix(path)).toMatchObject({ applied: 3, written: { path, persisted: true } });
    const after = before
      .replace('let unit', 'const unit')
      .replace('tgp.fetch', 'await tgp.fetch')
      .replace('error: any', 'error: unknown');
    expect(await tools.read_file.execute({ path })).toBe(`\uFEFF${after}`);
    expect(await tools.check_tool.execute({ path })).toMatchObject({ valid: true });
    expect(await kernel.fix(path)).toEqual({ applied: 0 });
  });
});
