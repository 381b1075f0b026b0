/** Unusual but valid programs, compared with Node's own V8: sloppy-mode scripts, and corner cases of the grammar. */

const PROGRAMS = {
  'let as a name': 'var let = 1; let\n= 2; return let',
  'yield as a name': 'var yield = 1; return yield',
  'words that strict mode reserves':
    'var static = 1, implements = 2, interface = 3; return [static, implements, interface]',
  'a function in an if': 'if (1) function f() { return 1 } return typeof f',
  'a labelled function': 'a: function f() { return 1 } return f()',
  'a function in a block, outside of it': '{ function f() { return 1 } } return f()',
  'comments of HTML': 'let a = 1; <!-- a = 2\n--> a = 3\nreturn a',
  'for let in': 'var n = 0; for (var let in { a: 1 }) n++; return n',
  'a value in for-in': 'for (var i = 5 in {}) ; return i',
  'arguments and eval as targets': 'function f() { arguments = 1; return arguments } return f(2)',
  'octal numbers': 'return [0777, 08.5, 09, "\\101", "\\8"]',
  with: 'with ({ a: 1 }) { return a }',
  'delete of a name': 'var a = 1; return delete a',
  'a parameter twice': 'return (function (a, a) { return a })(1, 2)',
  callee: 'return (function () { return typeof arguments.callee })()',
  'arguments that follow parameters': 'return (function (a) { a = 2; return arguments[0] })(1)',
  'a name that is this': 'return (function () { return typeof this }).call(1)',
  'lone brackets in a pattern': "return ['a]{'.match(/]/).index, 'a]{'.match(/{/).index]",
  'a name with an escape': 'var \\u0061b\\u{63} = 1; return abc',
  'names of any script': 'const ünï = 1, 𠮷 = 2, $ = 3, _ = 4, ℮ = 5; return [ünï, 𠮷, $, _, ℮]',
  'a private name in': 'class A { #x; static has(o) { return #x in o } } return [A.has(new A()), A.has({})]',
  'fields with odd names':
    'class A { get; set; static; async; static static = 1; accessor = 2 } return Object.keys(new A()).length',
  'fields without semicolons':
    'class A { get\n x() { return 1 } static\n y = 2\n static async *g() {} } return [new A().x, A.y]',
  'methods with odd names':
    'const o = { get() { return 1 }, set() { return 2 }, async() { return 3 }, static() { return 4 }, await: 5 }; return [o.get(), o.set(), o.async(), o.static(), o.await]',
  'async over two lines': 'var async = (x) => x; const f = async\n(1); return f',
  'using as a name': 'var using = [1]; using[0] = 2; return using',
  'using in a loop over of': 'var using; for (using of [1, 2]) ; return using',
  'of as a name': 'var of = [1]; for (var of of of) ; return of',
  'an arrow called async': 'for (async of => {}; false;) ; return 1',
  'a regular expression behind a brace': 'if (1) {} /a/.test("a"); return {} / 1',
  'a division that looks like one': 'var a = 4, b = 2, g = 1; return a / b / g',
  'semicolons by line': 'var a = 1\nvar b = a\n++b\nreturn [a, b]',
  'an empty statement behind if': 'if (0) ; else return 1',
  'a property called __proto__':
    'return [Object.keys({ __proto__: null, ["__proto__"]: 1 }), { "__proto__"() {} }.hasOwnProperty("__proto__")]',
  'numbers with dots': 'return [1..toString(), 1.0.toFixed(1), .5e1, 0x1F, 0o17, 0B11]',
  'a getter and a setter of one name': 'const o = { get a() { return 1 }, set a(v) {}, a: 2 }; return o.a',
  'text over lines': "return 'a\\\nb'",
  'separators in texts': "return ['\\u2028'.length, '\u2028'.length, `\u2029`.length]",
  'a computed class':
    'const k = "m"; class A { [k]() { return 1 } static [k + 1] = 2; get [`$' +
    '{k}2`]() { return 3 } } return [new A().m(), A.m1, new A().m2]'.replace('${', '$' + '{'),
  'new with members':
    'const a = { b: { C: class { x = 1 } } }; return [new a.b.C().x, new (class { x = 2 })().x, new a.b["C"]().x]',
  'nested templates': 'return `a$' + '{`b$' + '{1 + 1}`}`',
  'comma in for': 'for (var i = 0, j = 3; i < j; i++, j--) ; return [i, j]',
  'a switch with blocks': 'switch (1) { case 1: { let a = 1; } default: let a = 2; return a }',
  'a catch without a parameter': 'try { throw 1 } catch { return 2 } finally { var f = 1 }',
  'var and a catch parameter': 'try { throw 1 } catch (a) { var a = 2 } return a',
  'typeof what is not there': 'return [typeof nothing, typeof globalThis]',
  'names of classes and functions':
    'const a = class B { static n = B.name }; const c = function d() { return d.name }; return [a.name, a.n, c()]',
  'a directive that is none': '("use strict"); return typeof (function () { return this })()',
  'a directive behind another': "'a'; 'use strict'; return (function () { return this === undefined })()",
};

/** @type {import('../outcome.mjs').Case[]} */
export const cases = Object.entries(PROGRAMS).map(([name, code]) => ({ name, code, file: 'case.js' }));
