import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** @param {string} path @param {string} content */
async function exec(path, content) {
  const { kernel, tools } = await createKernel({ sandbox: { timeoutMs: 1000 } });
  const written = await tools.write_file.execute({ path, content });
  expect(written).toMatchObject({ success: true });
  return kernel.exec(path, {});
}

describe('tools keep their source text, positions and results', () => {
  it('functions show their source text', async () => {
    const text = [
      'function  sum ( a /* left */, b = `x` ) { // adds',
      '  return a+b }',
      'const arrow = async  x=>  x ;',
      'class A  { static #p = 1 ; get  x ( ) { return 1 } }',
      'const o = { m ( ) { } , async * g ( ) { } , [ "k" ] : function ( ) { } };',
      "return [sum, arrow, A, o.m, o.g, o.k, Object.getOwnPropertyDescriptor(A.prototype, 'x').get].map(String)",
    ].join('\n');
    const expected = [
      'function  sum ( a /* left */, b = `x` ) { // adds\n  return a+b }',
      'async  x=>  x',
      'class A  { static #p = 1 ; get  x ( ) { return 1 } }',
      'm ( ) { }',
      'async * g ( ) { }',
      'function ( ) { }',
      'get  x ( ) { return 1 }',
    ];
    for (const path of ['tools/a.js', 'tools/a.cjs', 'tools/a.ts']) {
      expect((await exec(path, text)).result, path).toEqual(expected);
    }
  });

  it('functions of modules and functions with types show their source text', async () => {
    const text = [
      "import { sum } from './lib';",
      'enum Kind { A, B }',
      'export const add = ( a : number , /* b */ b = Kind.B ) : number  =>  a+b;',
      'class Box < T > { constructor ( private value : T ) { } static  of ( ) { return  1 } get  v ( ) : T { return this.value } }',
      'const o = { async  * each < T > ( x : T ) { yield x as T } , run : function  named ( ) { return  Kind.A } };',
      'export default  async function ( args : unknown ) { // the tool',
      "  const v = Object.getOwnPropertyDescriptor(Box.prototype, 'v')!.get!;",
      '  return [add, Box, Box.of, v, o.each, o.run, sum, ( ) =>  1].map(String).concat(String(Math.max), String(tool()));',
      '}',
      'function tool ( ) { return tool }',
    ].join('\n');
    const { kernel, tools } = await createKernel({ sandbox: { timeoutMs: 1000 } });
    const lib = 'export function  sum ( ...n : number[] ) { return n.length }';
    await tools.write_file.execute({ path: 'tools/lib.ts', content: lib });
    await tools.write_file.execute({ path: 'tools/a.ts', content: text });
    expect((await kernel.exec('tools/a.ts', {})).result).toEqual([
      '( a : number , /* b */ b = Kind.B ) : number  =>  a+b',
      'class Box < T > { constructor ( private value : T ) { } static  of ( ) { return  1 } get  v ( ) : T { return this.value } }',
      'of ( ) { return  1 }',
      'get  v ( ) : T { return this.value }',
      'async  * each < T > ( x : T ) { yield x as T }',
      'function  named ( ) { return  Kind.A }',
      'function  sum ( ...n : number[] ) { return n.length }',
      '( ) =>  1',
      'function max() { [native code] }',
      'function tool ( ) { return tool }',
    ]);
  });

  it('methods of any name and with any modifier show their source text', async () => {
    const { forge } = await createKernel({ sandbox: { timeoutMs: 1000 } });
    const { result } = await forge(`const d = (value: unknown, _: unknown) => value;
      class A { classify ( a: number ) { } class ( b: number ) { } static
        n ( c: number ) { } @d e ( f: number ) { } }
      const o = { static ( g: number ) { } };
      const { classify, class: named, e } = A.prototype;
      return [classify, named, A.n, e, o.static].map(String);`);
    expect(result).toEqual([
      'classify ( a: number ) { }',
      'class ( b: number ) { }',
      'n ( c: number ) { }',
      'e ( f: number ) { }',
      'static ( g: number ) { }',
    ]);
  });

  it('a final expression is the result, also inside blocks', async () => {
    for (const [text, result] of /** @type {[string, unknown][]} */ ([
      ['1 + 1', 2],
      ['if (args.no) { 1 } else { 2; }', 2],
      ["'use strict';\nconst a = 1;\n(a) // one", 1],
      ['try { throw 1 } catch { [1,\n2] }', [1, 2]],
      ['const module_ = 1; const exports = 2; exports', 2],
      ['await Promise.resolve(3)', 3],
      ['return await (async () => 3)()', 3],
      ['var await = (x) => x + 1; return await (2)', 3],
      ['#!/usr/bin/env node\n4', 4],
      ['label: { 5 }', 5],
      ['/* a */ "é😀" /* b */', 'é😀'],
      ['return this === module.exports', true],
    ])) {
      expect((await exec('tools/a.js', text)).result, text).toEqual(result);
    }
    expect((await exec('tools/a.ts', 'return typeof this')).result).toBe('object');
    expect((await exec('tools/a.js', 'return (function () { return this === undefined })()')).result).toBe(false);
    expect((await exec('tools/a.ts', 'return (function () { return this === undefined })()')).result).toBe(true);
  });

  it('errors have their positions in the source', async () => {
    const text = 'const é = "😀"; function f() { throw new Error("no") }\n\n  if (é) f()';
    const error = await exec('tools/a.js', text).catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_TOOL_THROWN', details: { line: 1, column: 38 } });
    expect(error.details.stack).toMatch(/at f \(tools\/a\.js:1:38\)\n.*\(tools\/a\.js:3:10\)/);
  });
});

describe('JavaScript and TypeScript programs', () => {
  it.each(
    /** @type {[string, string, number][]} */ ([
      ['tools/a.js', 'let a = 1;\n({ a: (b = 0) } = {}); (({ a })) = 1;', 2],
      ['tools/a.js', '1;\ncl\\u0061ss A {}', 2],
      ['tools/a.js', "'use strict';\n\nwith ({}) {}", 3],
      ['tools/a.js', 'class A {\n  m() { this.#missing }\n}', 2],
      ['tools/a.js', 'function f() {\n  break;\n}', 2],
      ['tools/a.js', '1;\n/(?<a>.)(?<a>.)/', 2],
      ['tools/a.mjs', 'var a;\nexport { a, a };', 2],
      ['tools/a.mjs', 'export default 1;\nexport { missing };', 2],
      ['tools/a.mjs', 'export default 1;\nfunction f() {}\nfunction f() {}', 3],
      ['tools/a.mjs', 'export default 1;\nvar await;', 2],
      ['tools/a.mjs', 'export default 1;\nnew.target;', 2],
      ['tools/a.mjs', 'export default 1;\n<!-- a comment of scripts', 2],
      ['tools/a.ts', 'export default () => 1;\nlet b; var b;', 2],
      ['tools/a.ts', 'export default () => 1;\nexport { missing };', 2],
    ]),
  )('%s: the syntax error in %s is reported with its line', async (path, text, line) => {
    const { kernel, tools } = await createKernel({ sandbox: { timeoutMs: 1000 } });
    await tools.write_file.execute({ path, content: text });
    const error = await kernel.exec(path, {}).catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_COMPILATION', details: { line } });
    expect(error.message).toMatch(`${path}:${line}:${error.details.column}: `);
  });

  it.each(
    /** @type {[string, unknown][]} */ ([
      // An arrow function is not a constructor: the TypeError comes at run time.
      ['class C extends (() => {}) {}\nreturn 1', 'TypeError'],
      ['class C extends (function () {}) {}\nreturn C.name', 'C'],
      ['let n = 1; try { class C extends (n++) {} } catch {}\nreturn n', 2],
      ['class C extends (async () => {}) {}\nreturn 1', 'TypeError'],
      ['let n = class {}; class C extends (n) {}\nreturn C.name', 'C'],
      [
        'const log = [];\nfor (using x = { [Symbol.dispose]() { log.push("end") } }, y = null, z = { n: 0 , [Symbol.dispose]() {} }; z.n < 2; z.n++) log.push(z.n);\nreturn log',
        [0, 1, 'end'],
      ],
      [
        'const log = [];\nouter: for (using x = { n: 0, [Symbol.dispose]() { log.push("end") } }; x.n < 3; x.n++) { for (;;) { if (x.n === 1) break outer; log.push(x.n); continue outer } }\nreturn log',
        [0, 'end'],
      ],
      [
        'const log = [];\nawait (async () => { for (await using x = { n: 0, async [Symbol.asyncDispose]() { log.push("end") } }; x.n < 1; x.n++) log.push(x.n) })();\nreturn log',
        [0, 'end'],
      ],
    ]),
  )('%s runs as a script and with types', async (code, expected) => {
    const { kernel } = await createKernel({ sandbox: { timeoutMs: 1000 } });
    for (const text of [
      code,
      `const typed: number = 1;\n${code}`,
      `import * as std from '@tgp/std';\nexport default async () => {\n${code}\n};`,
    ]) {
      const outcome = await kernel.run(text).then(
        ({ result }) => result,
        ({ details, message }) => details.name ?? message,
      );
      expect(outcome, text).toEqual(expected);
    }
  });
});
