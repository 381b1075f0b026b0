/** Module semantics after the conversion to functions. Each case is a file that may import itself. */

const lines = (/** @type {string[]} */ ...parts) => parts.join('\n');
const SELF = "import * as self from './case.mjs';";

/** @type {import('../outcome.mjs').Case[]} */
export const cases = [
  { name: 'hoisted functions', code: 'export default () => f();\nexport function f() { return 1 }', expected: 1 },
  { name: 'this', code: 'const kind = typeof this;\nexport default () => kind', expected: 'undefined' },
  { name: 'strict mode', code: 'export default () => (function () { return this === undefined })()', expected: true },
  {
    name: 'live bindings',
    code: lines(SELF, 'export let n = 1;', 'export default () => { n = 2; return self.n }'),
    expected: 2,
  },
  {
    name: 'names that are texts',
    code: lines(
      "import { 'a b' as c } from './case.mjs';",
      'const x = 1;',
      "export { x as 'a b' };",
      'export default () => c',
    ),
    expected: 1,
  },
  {
    name: 'names of a namespace',
    code: lines(SELF, 'export const b = 1, a = 2;', 'export default () => Object.keys(self).sort()'),
    expected: ['a', 'b', 'default'],
  },
  {
    name: 'what is not exported',
    code: lines(SELF, 'export default () => [self.nothing, "nothing" in self]'),
    expected: [null, false],
  },
  {
    name: 'export all',
    code: lines("export * from './case.mjs';", 'export const a = 1;', SELF, 'export default () => self.a'),
    expected: 1,
  },
  {
    name: 'export all as a name',
    code: lines("export * as me from './case.mjs';", SELF, 'export const a = 1;', 'export default () => self.me.a'),
    expected: 1,
  },
  {
    name: 'a default class',
    code: lines("import C from './case.mjs';", 'export default class { static x = 1 }', 'export const y = () => C.x'),
    error: 'TypeError',
  },
  {
    name: 'assigning to an import',
    code: lines(
      SELF,
      "import { a as b } from './case.mjs';",
      'export let a = 1;',
      'const caught = (act) => { try { return act() } catch (error) { return error.name } };',
      'export default () => [() => { b = 2 }, () => b++, () => { b += 1 }, () => { [b] = [2] }, () => { ({ b } = { b: 2 }) },',
      '  () => { for (b of [1]); }, () => { self = 1 }, () => { b &&= 2 }, () => b ||= 2, () => b ??= 2, () => b].map(caught)',
    ),
    expected: [...Array(8).fill('TypeError'), 1, 1, 1],
  },
  {
    name: 'before it is there',
    code: lines(
      "import { a as b } from './case.mjs';",
      'let early = "no";',
      'try { b } catch (error) { early = error.name }',
      'export const a = 1;',
      'export default () => early',
    ),
    expected: 'ReferenceError',
  },
  {
    name: 'import at run time',
    code: "export const a = 1;\nexport default async () => (await import('./case.mjs')).a",
    expected: 1,
  },
  {
    name: 'import of what is not there',
    code: "export default async () => import('./no' + 'where.mjs').catch((error) => error instanceof Error)",
    expected: true,
  },
  { name: 'await at the top', code: 'const a = await Promise.resolve(1);\nexport default () => a', expected: 1 },
  {
    name: 'import.meta',
    code: 'export default () => [typeof import.meta.url, import.meta.filename === __filename]',
    expected: ['string', true],
  },
  {
    name: 'names of the wrapper',
    code: 'const module = 1, exports = 2, require = 3;\nexport default () => [module, exports, require]',
    expected: [1, 2, 3],
  },
  {
    name: 'globals that are declared',
    code: 'const Object = 1, Promise = 2;\nexport default async () => [Object, Promise]',
    expected: [1, 2],
  },
  {
    name: 'methods called as functions',
    code: lines(
      "import { f as g } from './case.mjs';",
      'export function f() { return this === undefined }',
      'export default () => g()',
    ),
    expected: true,
  },
  {
    name: 'shorthand of an import',
    code: lines("import { a as b } from './case.mjs';", 'export const a = 1;', 'export default () => ({ b })'),
    expected: { b: 1 },
  },
].map((each) => ({ ...each, file: 'case.mjs' }));
