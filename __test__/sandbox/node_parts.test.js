import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const CASES = fileURLToPath(new URL('../fixtures/node_parts/cases.cjs', import.meta.url));

/**
 * An application with one package, and a kernel whose tools import it as `kit`.
 * @param {Record<string, string>} files of the package; a package.json is added if it is missing
 * @param {string[]} [more] further packages that tools may import
 */
async function application(files, more = []) {
  const folder = await tempRoot();
  const packageDir = join(folder, 'node_modules/kit');
  for (const [name, text] of Object.entries({ 'package.json': '{"name":"kit","main":"index.js"}', ...files })) {
    await mkdir(dirname(join(packageDir, name)), { recursive: true });
    await writeFile(join(packageDir, name), text);
  }
  const configFile = join(folder, 'tgp.config.json');
  const sandbox = { timeoutMs: 2000 };
  await writeFile(configFile, JSON.stringify({ allowedImports: ['kit', ...more], sandbox }));
  const kernel = new TGP({ configFile });
  onTestFinished(() => kernel.shutdown());
  /** @param {string} body @param {import('../../index.js').ExecOptions} [options] */
  const run = async (body, options) => {
    const content = body.includes('export default')
      ? body
      : `import kit from 'kit';\nexport default async () => ${body};\n`;
    await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content });
    return (await kernel.exec('tools/t.ts', {}, options)).result;
  };
  return { folder, packageDir, run, check: (/** @type {string} */ path) => kernel.check(path) };
}

describe('a package that imports parts of Node', () => {
  it('gets equivalents that work as in Node', async () => {
    const { packageDir, run } = await application({});
    await copyFile(CASES, join(packageDir, 'index.js'));
    const cases = createRequire(import.meta.url)(CASES);
    for (const [name, action] of Object.entries(cases)) {
      const expected = JSON.parse(JSON.stringify(await action()));
      expect(await run(`kit[${JSON.stringify(name)}]()`), name).toEqual(expected);
    }
  });

  it('may load unsupported parts, and gets an error when it uses them', async () => {
    const { run } = await application({
      'index.js': `
        const fs = require('fs'); const { promises, constants } = require('node:fs'); const http = require('http');
        const { promisify } = require('util');
        class Agent extends http.Agent {}
        exports.probed = [typeof fs.readFileSync, typeof promises.readFile, typeof promisify(fs.readFile), constants.R_OK, http.STATUS_CODES[404]];
        exports.read = () => fs.readFileSync('/etc/passwd', 'utf8');
        exports.readLater = async () => promises.readFile('/etc/passwd');
        exports.agent = () => new Agent();
        exports.exit = () => process.exit(0);
        exports.spawn = () => require('child_process').execSync('id');`,
    });
    expect(await run('kit.probed')).toEqual(['function', 'function', 'function', 4, 'Not Found']);
    for (const [call, what] of [
      ['read', 'fs.readFileSync'],
      ['readLater', 'fs.promises.readFile'],
      ['agent', 'http.Agent'],
      ['exit', 'process.exit'],
      ['spawn', 'child_process.execSync'],
    ]) {
      const message = expect.stringContaining(`${what} is part of Node and not available in the sandbox.`);
      await expect(run(`kit.${call}()`), call).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN', message });
    }
  });

  it('learns nothing of the host', async () => {
    const { folder, run } = await application({
      'index.js': `
        const os = require('os');
        exports.seen = JSON.stringify([process, os.hostname(), os.homedir(), os.tmpdir(), os.cpus(), process.cwd(), __dirname,
          require('module'), require('fs'), require('worker_threads')]);`,
    });
    process.env.TGP_TEST_SECRET = 'only the host knows';
    const seen = await run('kit.seen');
    delete process.env.TGP_TEST_SECRET;
    for (const own of ['only the host knows', folder, process.cwd(), process.version, process.execPath]) {
      expect(seen).not.toContain(own);
    }
    // The process ids are compared by value: their digits may occur elsewhere.
    expect(JSON.parse(seen)[0]).toMatchObject({ pid: 1, ppid: 0 });
  });

  it('gets the same random numbers from the same seed', async () => {
    const { run } = await application({
      'index.js': `const { randomBytes, randomInt, randomUUID } = require('crypto');
        exports.draw = () => [randomBytes(8).toString('hex'), randomInt(1e9), randomUUID()];`,
    });
    const first = await run('kit.draw()', { seed: 7 });
    expect(await run('kit.draw()', { seed: 7 })).toEqual(first);
    expect(await run('kit.draw()', { seed: 8 })).not.toEqual(first);
  });

  it('tools cannot use these parts unless the application allows a part by name', async () => {
    const { run, check } = await application({ 'index.js': 'exports.b = Buffer.from("a")' }, ['path', 'url', 'fs']);
    expect(
      await run(
        "import kit from 'kit';\nexport default () => [kit.b.length, typeof Buffer, typeof process, typeof global, typeof setImmediate]",
      ),
    ).toEqual([1, 'undefined', 'undefined', 'undefined', 'undefined']);
    expect(
      await run(
        "import path, { join } from 'path'; import { parse } from 'node:url';\nexport default () => [join('a', '..', 'b'), path.sep, parse('http://a/b').path]",
      ),
    ).toEqual(['b', '/', '/b']);
    expect(await check('tools/t.ts')).toMatchObject({ valid: true, typesChecked: true });
    await expect(run("import fs from 'fs';\nexport default () => fs")).rejects.toMatchObject({
      code: 'ERR_COMPILATION',
      message: expect.stringContaining('it needs "fs" of Node, which the sandbox does not have.'),
    });
  });
});

describe('a package that also supports browsers', () => {
  it('is resolved by its field `browser`: main file, other files, packages and parts of Node', async () => {
    const browser = { './node.js': './browser.js', 'only-in-node': false, fs: false, crypto: './crypto.js' };
    const { run } = await application({
      'package.json': JSON.stringify({ name: 'kit', main: 'index.js', browser }),
      'index.js':
        "module.exports = [require('./node.js'), require('only-in-node'), Object.keys(require('fs')), require('crypto')]",
      'node.js': "module.exports = 'node'",
      'browser.js': "module.exports = 'browser'",
      'crypto.js': "module.exports = 'its own'",
    });
    expect(await run('kit')).toEqual(['browser', {}, [], 'its own']);
    const other = await application({
      'package.json': JSON.stringify({ name: 'kit', main: 'index.js', browser: 'browser.js' }),
      'index.js': "module.exports = 'node'",
      'browser.js': "module.exports = 'browser'",
    });
    expect(await other.run('kit')).toBe('browser');
  });

  it('gets streams even if it leaves them out for browsers because of their size', async () => {
    const browser = { stream: false, fs: false };
    const { run } = await application({
      'package.json': JSON.stringify({ name: 'kit', main: 'index.js', browser }),
      'index.js': "module.exports = [typeof require('stream').Transform, typeof require('fs').readFileSync]",
    });
    expect(await run('kit')).toEqual(['function', 'undefined']);
  });

  it('uses its Node files if its browser files need a document', async () => {
    const { run } = await application({
      'package.json': JSON.stringify({ name: 'kit', main: 'index.js', browser: { './index.js': './page.js' } }),
      'page.js': "const page = document.implementation.createHTMLDocument(''); module.exports = 'needs a page';",
      'index.js':
        "const { sep } = require('path'); const document = { createElement: (name) => name };\n module.exports = document.createElement(sep);",
    });
    expect(await run('kit')).toBe('/');
    const both = await application({
      'package.json': JSON.stringify({ name: 'kit', main: 'index.js', browser: 'page.js' }),
      'page.js': "module.exports = () => typeof document === 'undefined' ? 'browser' : document.createElement('a');",
      'index.js': "module.exports = () => document.createElement('a');",
    });
    expect(await both.run('kit()')).toBe('browser');
  });

  it('is resolved by the kind of import: `import` and `require` may select different files', async () => {
    const { folder, run } = await application({
      'index.js':
        "const Base = require('dual'); module.exports = [new (class extends Base {})().name, require('marked')]",
    });
    const install = async (/** @type {string} */ name, /** @type {Record<string, string>} */ files) => {
      await mkdir(join(folder, 'node_modules', name), { recursive: true });
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, 'node_modules', name, file), text);
    };
    await install('dual', {
      'package.json': '{"name":"dual","exports":{"import":"./a.mjs","default":"./a.cjs"}}',
      'a.mjs': 'export default 1',
      'a.cjs': "module.exports = class { name = 'for require' }",
    });
    await install('marked', {
      'package.json': '{"name":"marked","main":"a.js"}',
      'a.js': 'exports.__esModule = true; exports.named = 1',
    });
    expect(await run('kit')).toEqual(['for require', { __esModule: true, named: 1 }]);
  });

  it('with `__esModule` and no default export is its own default export, as in Node', async () => {
    const { run } = await application({ 'index.js': 'exports.__esModule = true; exports.named = 1;' });
    expect(await run("import kit, { named } from 'kit';\nexport default () => [kit.named, named]")).toEqual([1, 1]);
  });
});

describe('a package that compiles code from text', () => {
  it('gets the global object through Function and eval, and an EvalError for any other code', async () => {
    const { run } = await application({
      'index.js': `
        exports.roots = [Function('return this')(), new Function("return this;")(), (0, eval)('this'), global, self]
          .every((root) => root === globalThis);
        exports.same = [(() => 1) instanceof Function, (() => 1).constructor === Function, typeof eval, typeof Function, eval(5)];
        exports.text = "new Function('a') and Function('b')";
        exports.makers = {
          evaluated: () => eval('1 + 1'),
          indirect: () => (0, eval)('1 + 1'),
          made: () => new Function('a', 'return a')(1),
          called: () => Function('return 1')(),
          applied: () => Function.apply(null, ['a', 'return a'])(1),
          hidden: () => (() => 1).constructor('return 1')(),
        };`,
    });
    expect(await run('[kit.roots, kit.same, kit.text]')).toEqual([
      true,
      [true, true, 'function', 'function', 5],
      "new Function('a') and Function('b')",
    ]);
    expect(
      await run(
        "Object.entries(kit.makers).map(([name, make]: [string, any]) => { try { return make() } catch (error: any) { return [name, error.name, error.message.includes('from text')] } })",
      ),
    ).toEqual([
      ['evaluated', 'EvalError', true],
      ['indirect', 'EvalError', true],
      ['made', 'EvalError', true],
      ['called', 'EvalError', true],
      ['applied', 'EvalError', true],
      ['hidden', 'EvalError', false],
    ]);
  });

  it('can define its own `Function`', async () => {
    const { run } = await application({
      'index.js': `exports.all = [require('./a').made, require('./b').made, require('./c').made(class { constructor(v) { this.v = v } })];`,
      'a.js': 'class Function { constructor(v) { this.v = v } } exports.made = new Function(1);',
      'b.js': 'const Function = (v) => ({ v }); exports.made = Function(2);',
      'c.js': 'exports.made = function (Function) { return new Function(3) };',
    });
    expect(await run('kit.all')).toEqual([{ v: 1 }, { v: 2 }, { v: 3 }]);
  });
});
