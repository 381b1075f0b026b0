import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TypeChecker } from '../../dist/types_check/type_checker.js';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const path = 'tools/t.ts';
const GOOD = '/** Doubles. */\nexport default (args: { n: number }): number => args.n * 2;\n';
const WRONG = '/** Doubles. */\nexport default (args: { n: number }): number => args.m * 2;\n';
/** The type checkers of this process, by number. */
const servers = () =>
  spawnSync('pgrep', ['-P', String(process.pid), '-f', 'callbacks'], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .filter(Boolean);

describe('types of a tool', () => {
  it('are checked against other tools, JSON files and the declarations of the sandbox', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/lib/double.ts',
      content: 'export default (n: number): number => n * 2;\n',
    });
    await tools.write_file.execute({ path: 'tools/lib/rates.json', content: '{ "vat": 7 }' });
    const content = [
      "import double from './lib/double';",
      "import again from '/lib/lib/double.ts';",
      "import rates from './lib/rates.json';",
      '',
      '/** Wrong in many ways. */',
      'export default async (args: { n: number }): Promise<unknown[]> => [',
      "  double('x'),",
      '  again(args.n).toUpperCase(),',
      '  rates.tax,',
      '  tgp.read_file(args.n),',
      '  (await tgp.fetch(42)).status,',
      '];',
    ].join('\n');
    await tools.write_file.execute({ path, content });
    const report = await tools.check_tool.execute({ path });
    expect(report).toMatchObject({ valid: false, typesChecked: true });
    const wrong = report.diagnostics.filter(({ rule }) => rule === 'types');
    expect(wrong.map(({ rule, line, column }) => `${rule} ${line}:${column}`)).toEqual([
      'types 7:10',
      'types 8:17',
      'types 9:9',
      'types 10:17',
      'types 11:20',
    ]);
    expect(report.errors[0]).toBe(
      "tools/t.ts:7:10: Argument of type 'string' is not assignable to parameter of type 'number'. (TS2345)",
    );
  });

  it('follow every change of the tool and of what it imports', async () => {
    const { tools } = await createKernel();
    const lib = 'tools/lib/f.ts';
    await tools.write_file.execute({ path: lib, content: 'export default (n: number): number => n;\n' });
    await tools.write_file.execute({
      path,
      content: "import f from './lib/f';\n/** Calls. */\nexport default (args: { n: number }) => f(args.n);\n",
    });
    expect((await tools.check_tool.execute({ path })).valid).toBe(true);
    await tools.write_file.execute({ path: lib, content: 'export default (text: string): string => text;\n' });
    expect((await tools.check_tool.execute({ path })).errors).toEqual([expect.stringContaining('TS2345')]);
    await tools.patch_file.execute({ path, search: 'f(args.n)', replace: 'f(String(args.n))' });
    expect((await tools.check_tool.execute({ path })).valid).toBe(true);
  });

  it('include the functions that the application adds', async () => {
    const rootDir = join(await tempRoot(), '.tgp');
    const kernel = new TGP({ config: { rootDir }, sandboxAPI: { send_mail: async () => true } });
    onTestFinished(() => kernel.shutdown());
    const content =
      '/** Sends. */\nexport default async (args: { to: string }) => [await tgp.send_mail(args.to), tgp.send_fax];\n';
    await tgpTools(kernel).write_file.execute({ path, content });
    const { errors } = await kernel.check(path);
    expect(errors).toEqual([expect.stringContaining("'send_fax' does not exist")]);
  });

  it('have a severity, can be disabled, and can be accepted with a reason', async () => {
    const levels = /** @type {const} */ ([
      ['warning', true, 1],
      ['off', true, 0],
    ]);
    for (const [level, valid, count] of levels) {
      const { tools } = await createKernel({ rules: { types: level } });
      await tools.write_file.execute({ path, content: WRONG });
      const report = await tools.check_tool.execute({ path });
      expect(report).toMatchObject({ valid, typesChecked: level !== 'off' });
      expect(report.diagnostics).toHaveLength(count);
    }
    const { tools } = await createKernel();
    await tools.write_file.execute({
      path,
      content: WRONG.replace('export', '// tgp-ignore types: on purpose\nexport'),
    });
    expect(await tools.check_tool.execute({ path })).toMatchObject({
      valid: true,
      diagnostics: [],
      typesChecked: true,
    });
  });
});

describe('without a type checker', () => {
  it('check_tool reports why types were not checked', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/bad.ts', content: 'const x = ;' });
    await tools.write_file.execute({ path: 'tools/plain.js', content: '/** One. */\nmodule.exports = () => 1;\n' });
    expect(await tools.check_tool.execute({ path: 'tools/bad.ts' })).toMatchObject({
      valid: false,
      typesChecked: false,
      notice: 'Types were not checked: tools/bad.ts does not compile.',
    });
    expect(await tools.check_tool.execute({ path: 'tools/plain.js' })).toMatchObject({
      valid: true,
      diagnostics: [],
      typesChecked: false,
      notice: expect.stringContaining('TypeScript files only'),
    });
  });

  it('a missing, hanging or crashing checker yields a notice within its timeout', async () => {
    const app = await tempRoot();
    const sources = {
      files: [{ path, text: GOOD }],
      packages: [],
      severity: /** @type {const} */ ('error'),
      ignoredLines: [],
    };
    const version = { name: 'typescript', version: '7.0.0' };
    const platform = `@typescript/typescript-${process.platform}-${process.arch}`;
    const lib = join(app, 'node_modules', platform, 'lib');
    await mkdir(lib, { recursive: true });
    await mkdir(join(app, 'node_modules/typescript'), { recursive: true });
    await writeFile(join(app, 'node_modules/typescript/package.json'), JSON.stringify(version));
    await writeFile(
      join(app, 'node_modules', platform, 'package.json'),
      JSON.stringify({ name: platform, version: '7.0.0' }),
    );
    for (const script of ['#!/bin/sh\nexit 3\n', '#!/bin/sh\nexec sleep 60\n', 'no program at all']) {
      await writeFile(join(lib, 'tsc'), script, { mode: 0o755 });
      const checker = new TypeChecker(app, [], { startMs: 300, checkMs: 300 }, join(lib, 'tsc'));
      expect(await checker.check(sources)).toEqual({
        notice: expect.stringMatching(/^Types were not checked: the type checker/),
      });
      checker.stop();
    }
  });

  it('a server that was killed between two checks is started again', async () => {
    const checker = new TypeChecker(process.cwd(), []);
    onTestFinished(() => checker.stop());
    const sources = {
      files: [{ path, text: WRONG }],
      packages: [],
      severity: /** @type {const} */ ('error'),
      ignoredLines: [],
    };
    expect(await checker.check(sources)).toMatchObject({ diagnostics: [{ line: 2 }] });
    const [server] = servers();
    process.kill(Number(server), 'SIGKILL');
    expect(await checker.check(sources)).toMatchObject({ diagnostics: [{ line: 2 }] });
  });
});

describe('the type checker reads only what tools may import', () => {
  it('imports, types, references and links that lead out of the root are refused', async () => {
    const outside = await tempRoot();
    await writeFile(join(outside, 'secret.ts'), "export const KEY = 'hunter2-very-secret' as const;\n");
    const { kernel, tools, rootDir } = await createKernel();
    await kernel.boot();
    const up = `../../..${outside}/secret`;
    const leaks = [
      `import { KEY } from '${up}';\nexport default (): never => KEY;`,
      `import { KEY } from '${outside}/secret';\nexport default (): never => KEY;`,
      `import type { KEY } from '${up}.ts';\nexport default (a: typeof KEY): never => a;`,
      `type Key = typeof import('${up}').KEY;\nexport default (a: Key): never => a;`,
      `/// <reference path="${outside}/secret.ts" />\nexport default (): never => KEY;`,
      `import { KEY } from './linked/secret';\nexport default (): never => KEY;`,
    ];
    await mkdir(join(rootDir, 'tools'), { recursive: true });
    await symlink(outside, join(rootDir, 'tools/linked'));
    for (const content of leaks) {
      await tools.write_file.execute({ path, content });
      const report = await tools.check_tool
        .execute({ path })
        .catch((error) => ({ valid: false, error: error.message }));
      expect(report.valid, content).toBe(false);
      expect(JSON.stringify(report), content).not.toContain('hunter2');
    }
    await tools.write_file.execute({ path: 'tools/lib/leak.ts', content: leaks[0] ?? '' });
    const through = "import leak from './lib/leak';\n/** Leaks. */\nexport default (): number => leak();\n";
    await tools.write_file.execute({ path, content: through });
    const report = await tools.check_tool.execute({ path });
    expect(report.notice).toMatch(/may not be imported/);
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  it('no message contains a host path', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/lib/types.ts',
      content: 'export class A { #secret = 1; get() { return this.#secret } }\n',
    });
    const content =
      "import { A } from './lib/types';\n/** Wrong. */\nexport default (args: { a: A }): typeof import('./lib/types') => args.a;\n";
    await tools.write_file.execute({ path, content });
    const text = JSON.stringify(await tools.check_tool.execute({ path }));
    expect(text).toContain('TS');
    for (const part of [tmpdir(), process.cwd(), 'tgp-types-']) expect(text).not.toContain(part);
  });
});

describe('shutdown', () => {
  it('ends the type checker', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path, content: GOOD });
    await tools.check_tool.execute({ path });
    const [server] = servers();
    expect(server).toBeDefined();
    await kernel.shutdown();
    await expect.poll(servers).not.toContain(server);
    await expect(kernel.check(path)).rejects.toMatchObject({ code: 'ERR_SHUTDOWN' });
  });
});
