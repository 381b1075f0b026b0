import { describe, expect, it, vi } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const HEAD = `import { describe, expect, test } from '@tgp/std/test';\n`;

/** @param {string} text @param {string} [tool] */
async function run(text, tool = 'export default (): number => 1;\n') {
  const { kernel } = await createKernel();
  await kernel.vfs.writeFile('tools/a.ts', tool);
  await kernel.vfs.writeFile('tools/a.test.ts', `${HEAD}${text}`);
  return kernel.test('tools/a.ts', { timeoutMs: 3000, caseMs: 500 });
}

/** Code at the start of a test file that tries to report a failing case as passed. */
const TRICKS = {
  'a patched promise': `Promise.prototype.then = function (done) { return done('passed'); };`,
  'a patched promise constructor': `Object.defineProperty(Promise.prototype, 'constructor', { get() { return class { constructor(work) { work(() => {}, () => {}); } static resolve() { return this; } then(done) { done(); } }; } });`,
  'a polluted prototype': `for (const [key, value] of Object.entries({ how: 'done', ok: true, ended: 'passed', mode: 'skip', next: null, toJSON() { return 'passed'; } })) Object.defineProperty(Object.prototype, key, { value, writable: true, configurable: true });`,
  'setters for recorded properties': `for (const key of ['how', 'error', 'ok', '0', '1', 'value']) Object.defineProperty(Object.prototype, key, { get() { return 'done'; }, set() {}, configurable: true });`,
  'arrays that store nothing': `Array.prototype.push = () => 0; Array.prototype[Symbol.iterator] = function* () {}; Object.defineProperty(Array.prototype, '0', { set() {}, get() { return 'passed'; }, configurable: true });`,
  'patched JSON': `JSON.stringify = () => '[]'; JSON.parse = () => [];`,
  'patched strings': `String.prototype.slice = () => 'passed'; globalThis.String = () => 'passed'; Object.defineProperty = (a) => a; Function.prototype.call = () => 'passed'; Function.prototype.bind = () => () => 'passed';`,
  'patched timers': `globalThis.setTimeout = (work) => { work(); return 1; }; globalThis.clearTimeout = () => {};`,
  'a call to the kernel': `const ask = tgp['#test']; ask?.('plan', '[["a","run"]]'); ask?.('begin', 0); ask?.('end', 0, 'passed', '', '', ''); ask?.('done');`,
  'a log of success': `console.log('1 passed, 0 failed'); tgp.log({ ok: true, passed: 1, failed: 0 });`,
  'a forged report': `module.exports = { default: () => ({ ok: true, passed: 1 }) };`,
  'a forged export': `export default () => ({ ok: true, passed: 1, failed: 0 });`,
};

describe('a test file that forges its result', () => {
  it.each(Object.entries(TRICKS))('fails with %s', async (_, trick) => {
    const result = await run(`${trick}\ntest('fails', () => { throw new Error('red'); });`);
    expect(result.ok, result.text).toBe(false);
    expect(result.passed).toBe(0);
    expect(result.cases.map(({ message }) => message)).toEqual(['Error: red']);
    const late = await run(
      `test('never', () => new Promise(() => {}));\ntest('fails', () => { ${trick.replace('export default', 'globalThis.report =')}\nthrow new Error('red'); });`,
    );
    expect(late.ok, late.text).toBe(false);
    expect(late.cases.map(({ ok, message }) => [ok, message])).toEqual([
      [false, 'It did not end within 500 ms.'],
      [false, 'Error: red'],
    ]);
  });

  it('cannot add, run or end cases by itself', async () => {
    const added = await run(`test('a', () => { test('b', () => {}); });`);
    expect(added).toMatchObject({ ok: false, passed: 0 });
    const inner = await run(
      `const { run } = require('@tgp/std/test_cases');\nrun();\ntest('a', () => { throw new Error(); });`,
    );
    expect(inner).toMatchObject({ ok: false, passed: 0 });
    const driver = await run(
      `const driver = require('@tgp/std/test_driver.ts');\ndriver.default();\ntest('a', () => {});`,
    );
    expect(driver).toMatchObject({ ok: false, passed: 0 });
    const rejected = await run(`test('a', () => { void Promise.reject(new Error('nobody hears')); });`);
    expect(rejected.ok).toBe(false);
  });

  it('cannot be made to pass by its tool', async () => {
    const tool = `${TRICKS['a patched promise']}\nexport default (): number => 1;\n`;
    expect((await run(`import a from './a';\ntest('a', () => { expect(a()).toBe(2); });`, tool)).passed).toBe(0);
  });

  it('is reported as changed if a file changes during the run', async () => {
    const { kernel } = await createKernel();
    await kernel.vfs.writeFile('tools/a.ts', 'export default (): number => 1;\n');
    await kernel.vfs.writeFile(
      'tools/a.test.ts',
      `${HEAD}import a from './a';\ntest('slow', async () => { while ((await tgp.exec_tool('tools/a.ts', {})) === 1) await new Promise((go) => setTimeout(go, 50)); expect(a()).toBe(1); });`,
    );
    const running = kernel.test('tools/a.ts', { caseMs: 30_000, timeoutMs: 10_000 });
    // It runs once the ledger has its first call.
    const begun = { type: /** @type {const} */ ('CALL'), tool: 'exec_tool', path: 'tools/a.ts' };
    await vi.waitFor(async () => expect(await kernel.ledger.query(begun)).not.toEqual([]), { timeout: 30_000 });
    await kernel.vfs.writeFile('tools/a.ts', 'export default (): number => 2;\n');
    const result = await running;
    expect(result.files[0]?.reason?.kind).toBe('changed');
    expect(result.ok).toBe(false);
    expect(result.tool).toBeUndefined();
  });
});
