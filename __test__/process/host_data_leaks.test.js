import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const SECRET = 'token-d41d8cd98f00b204';
const PACKAGE = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Tools that fail, each in another way. */
const FAILURES = [
  'const x = ;',
  "import fs from 'fs'; export default () => fs",
  "import x from 'zod/none'; export default () => x",
  "import x from 'not-installed'; export default () => x",
  "import x from './missing'; export default () => x",
  "throw new Error('thrown')",
  "throw new AggregateError([new Error('a')], 'b', { cause: new Error('c') })",
  'throw { a: 1 }',
  'null.x',
  'return () => 1',
  'const o = {}; o.o = o; return o',
  'while (true) {}',
  'return new Uint8Array(1e9)',
  'return [].sort.call({ length: 2 ** 31 })',
  'const f = () => f() + 1; return f()',
  "return tgp.read_file('../../etc/passwd')",
  "return tgp.read_file('/etc/passwd')",
  "return tgp.read_file('.git/config')",
  "return tgp.read_file('none.txt')",
  "return tgp.write_file('/lib/x.ts', '')",
  "return tgp.write_file('out/' + 'x'.repeat(300), '')",
  "return tgp.write_file('out/a/b/c.txt', 'x'.repeat(9e6))",
  "return tgp.list_files('none')",
  "return tgp.exec_tool('tools/none.ts')",
  "return tgp.exec_tool('tools/fail_5.ts')",
  "return tgp.fetch('http://127.0.0.1:9/secret')",
  "return tgp.fetch('http://127.0.0.1:1/')",
  "return tgp.exec_sql('SELEC 1')",
  "return tgp.exec_sql('ATTACH DATABASE ? AS x', ['/etc/passwd'])",
  "return tgp.exec_sql('SELECT * FROM none')",
  "return require('node:' + 'fs')",
  'return new Error().stack + JSON.stringify(Object.getOwnPropertyNames(globalThis)) + String(tgp.read_file) + console.log',
  "console.log(new Error('logged')); console.error(tgp, args, globalThis); throw new Error('after')",
  'return [Intl.DateTimeFormat().resolvedOptions().locale, new Date().toString(), typeof process, typeof __dirname, typeof __filename]',
];

const program = `
  const kernel = new TGP({
    config: {
      rootDir: './.tgp',
      fs: { allowedDirs: ['./out'] },
      allowedImports: ['zod', 'not-installed'],
      allowedFetchUrls: ['http://127.0.0.1:1'],
      check: 'off',
    },
    sql: sqlite('./data.db'),
  });
  const tools = tgpTools(kernel);
  const outputs = [];
  const note = async (what) => {
    try { outputs.push(JSON.stringify(await what())); }
    catch (error) { outputs.push(JSON.stringify([error.name, error.code, error.message, error.details, error.code === 'ERR_TOOL_THROWN' && error.details.stack && error.stack])); }
  };
  const failures = ${JSON.stringify(FAILURES)};
  for (const [index, content] of failures.entries()) {
    const path = 'tools/fail_' + index + '.ts';
    await tools.write_file.execute({ path, content });
    await note(() => tools.exec_tool.execute({ path }));
    await note(() => kernel.exec(path));
    await note(() => tools.check_tool.execute({ path }));
  }
  for (const path of ['tools/none.ts', '../x', '/etc/passwd', 'tools', '.git/config', 'a\\0b', 'x'.repeat(5000)]) {
    for (const call of [
      () => tools.read_file.execute({ path }),
      () => tools.write_file.execute({ path, content: 'x' }),
      () => tools.patch_file.execute({ path, search: 'a', replace: 'b' }),
      () => tools.apply_diff.execute({ path, diff: 'x' }),
      () => tools.list_files.execute({ dir: path }),
      () => tools.exec_tool.execute({ path }),
    ]) await note(call);
  }
  await note(() => kernel.find('anything'));
  await note(async () => kernel.getSystemPrompt());
  await kernel.shutdown();
  console.log(JSON.stringify(outputs));
`;

describe('THREAT: output that reveals the machine', () => {
  it('no result, report, log or error contains a host path, an environment value or the home folder', async () => {
    const cwd = await tempRoot();
    const home = join(cwd, 'home-of-somebody');
    mkdirSync(home);
    const { child, ended } = startProgram(cwd, program, { HOME: home, API_TOKEN: SECRET, USER: 'somebody-known' });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const { exitCode, stderr } = await ended;
    expect(exitCode, stderr).toBe(0);
    const outputs = JSON.parse(printed);
    expect(outputs.length).toBeGreaterThan(FAILURES.length * 3);
    const codes = outputs.filter((/** @type {string} */ text) => text.includes('ERR_'));
    expect(codes.length).toBeGreaterThan(FAILURES.length * 2);
    for (const text of outputs) {
      for (const hidden of [cwd, home, SECRET, 'somebody-known', PACKAGE, process.execPath, 'root:x:']) {
        expect(text).not.toContain(hidden);
      }
    }
  });
});
