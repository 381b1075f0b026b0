import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';

const TOOL = `/** Adds up the amounts. */
export default function total(args: { rows: { amount: number }[] }): number {
  if (args.rows.length === 0) throw new RangeError('no rows');
  return args.rows.reduce((sum, row) => sum + row.amount, 0);
}
`;

const HEAD = `import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, fn, it, mockHost, setNow, setSeed, test } from '@tgp/std/test';\n`;
const TEST = `${HEAD}import total from './total';

describe('total', () => {
  test('adds', () => {
    expect(total({ rows: [{ amount: 1 }, { amount: 2 }] })).toBe(3);
  });
  test('refuses nothing', () => {
    expect(() => total({ rows: [] })).toThrow('no rows');
  });
});
`;

const sha256 = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex');

/** @param {import('../../index.js').TGPConfigInput} [config] @param {any} [options] */
async function withTest(text = TEST, tool = TOOL, config = undefined, options = undefined) {
  const made = await createKernel(config, options);
  if (tool !== '') await made.kernel.vfs.writeFile('tools/a/total.ts', tool);
  await made.kernel.vfs.writeFile('tools/a/total.test.ts', text);
  return made;
}

/** @param {string} body of a test file */
async function casesOf(body) {
  const { kernel } = await withTest(`${HEAD}${body}`);
  const { cases, files } = await kernel.test();
  return { cases, file: files[0] };
}

describe('test_tool', () => {
  it('is green for exactly the texts that ran', async () => {
    const { kernel, tools } = await withTest();
    const result = await kernel.test('tools/a/total.ts');
    expect(result).toMatchObject({
      ok: true,
      passed: 2,
      failed: 0,
      skipped: 0,
      cases: [
        { name: 'total > adds', ok: true },
        { name: 'total > refuses nothing', ok: true },
      ],
      tests: [{ path: 'tools/a/total.test.ts', sha256: sha256(TEST) }],
      tool: { path: 'tools/a/total.ts', sha256: sha256(TOOL) },
      text: '2 passed, 0 failed in 1 file.',
    });
    for (const path of [undefined, 'tools/a/total.test.ts', 'tools/a', 'tools/a/total', 'tools/**/*.test.ts']) {
      expect(await kernel.test(path)).toMatchObject({ ok: true, passed: 2 });
    }
    expect(await tools.test_tool.execute({ path: 'tools/a/total.ts' })).toMatchObject({ ok: true, passed: 2 });
    expect((await kernel.test('tools/b')).ok).toBe(false);
  });

  it('is red with line, message and difference', async () => {
    const { tools } = await withTest(TEST, TOOL.replace('sum + row.amount', 'sum - row.amount'));
    const result = await tools.test_tool.execute({ path: 'tools/a/total.ts' });
    expect(result).toMatchObject({ ok: false, passed: 1, failed: 1 });
    expect(result.cases[0]).toEqual({
      name: 'total > adds',
      ok: false,
      line: 6,
      message: 'expected -3 to be 3 // Object.is equality',
      diff: '- Expected\n+ Received\n\n- 3\n+ -3',
    });
    expect(result.text).toContain('FAIL tools/a/total.test.ts:6 total > adds\n  expected -3 to be 3');
  });

  it('is red before the tool exists, and has the hash of the test', async () => {
    for (const check of /** @type {const} */ (['warn', 'strict'])) {
      const { tools, kernel } = await createKernel({ check });
      const written = await tools.write_file.execute({ path: 'tools/a/total.test.ts', content: TEST });
      expect(written).toMatchObject({ persisted: true });
      expect(written.findings ?? []).toEqual([]);
      const result = await kernel.test('tools/a/total.ts');
      expect(result).toMatchObject({ ok: false, failed: 1, tests: [{ sha256: sha256(TEST) }] });
      expect(result.tool).toBeUndefined();
      expect(result.files[0]?.reason).toMatchObject({ kind: 'no-tool', line: 2 });
      await tools.write_file.execute({ path: 'tools/a/total.ts', content: TOOL });
      expect(await tools.test_tool.execute({ path: 'tools/a/total.ts' })).toMatchObject({ ok: true, passed: 2 });
    }
  });

  it('keeps tests out of the tools, and in the history', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a/total.ts', content: TOOL });
    await tools.write_file.execute({ path: 'tools/a/total.test.ts', content: TEST });
    expect((await kernel.registry.list()).map(({ path, uses }) => [path, uses])).toEqual([['tools/a/total.ts', 0]]);
    expect(Object.keys(await kernel.tools())).toEqual(['a_total']);
    expect(await tools.check_tool.execute({ path: 'tools/a/total.test.ts' })).toMatchObject({ valid: true });
    await kernel.test();
    expect((await kernel.registry.list()).map(({ uses }) => uses)).toEqual([0]);
    expect(git(rootDir, 'ls-files', 'tools')).toContain('tools/a/total.test.ts');
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
  });

  it.each([
    ['missing', 'tools/a/other.ts', ''],
    ['empty', 'tools/a/total.ts', HEAD],
    ['empty', 'tools/a/total.ts', `${HEAD}test.skip('later', () => {});\ntest.todo('more');`],
    ['compile', 'tools/a/total.ts', `${HEAD}const = 1;`],
    ['compile', 'tools/a/total.ts', `${HEAD}import x from './none';\ntest('a', () => x());`],
    ['threw', 'tools/a/total.ts', `${HEAD}throw new Error('no');`],
    [
      'timeout',
      'tools/a/total.ts',
      `${HEAD}test('a', () => {});\ntest('b', () => { for (;;) {} });\ntest('c', () => {});`,
    ],
    [
      'memory',
      'tools/a/total.ts',
      `${HEAD}test('b', () => { const all = []; for (;;) all.push(new Array(1e5).fill(1)); });`,
    ],
  ])('fails as a whole with the reason %s', async (kind, path, text) => {
    const { kernel } = await withTest(text);
    const result = await kernel.test(path, { timeoutMs: 1500 });
    expect(result.files[0]?.reason?.kind).toBe(kind);
    expect(result.ok).toBe(false);
    expect(result.failed).toBeGreaterThan(0);
    expect(result.text).toContain(kind);
    if (kind === 'timeout') {
      expect(result.cases.map(({ name, ok }) => [name, ok])).toEqual([
        ['a', true],
        ['b', false],
        ['c', false],
      ]);
    }
  });

  it('reports the lines that ran, whatever ran before', async () => {
    const { kernel } = await withTest(TEST.replace("test('refuses", "test.skip('refuses"));
    await kernel.test('tools/a/total.ts');
    for (let i = 0; i < 2; i++) {
      const { coverage, text } = await kernel.test('tools/a/total.ts', { coverage: true });
      expect(coverage).toEqual({ lines: { covered: 4, total: 4 }, uncovered: [] });
      expect(text).toContain('tools/a/total.ts: 4 of 4 lines ran');
    }
    const longer = TOOL.replace(' throw', '\n    throw').replace(
      'return',
      'const never = () => {\n    return 1;\n  };\n  return',
    );
    await kernel.vfs.writeFile('tools/a/total.ts', longer);
    const { coverage } = await kernel.test('tools/a/total.ts', { coverage: true });
    expect(coverage?.uncovered).toEqual([4, 6, 7]);
    expect((await kernel.test('tools/a/total.ts')).coverage).toBeUndefined();
  });

  it('reports coverage to agents', async () => {
    const { tools } = await withTest(TEST);
    expect(await tools.test_tool.execute({ path: 'tools/a/total.ts' })).toMatchObject({
      ok: true,
      coverage: { lines: { covered: 4, total: 4 }, uncovered: [] },
      text: expect.stringContaining('tools/a/total.ts: 4 of 4 lines ran'),
    });
  });

  it('ends a case that never settles, and continues', async () => {
    const { kernel } = await withTest(
      `${HEAD}test('never', () => new Promise(() => {}));\ntest('short', () => new Promise(() => {}), 20);\ntest('after', () => {});`,
    );
    const { cases } = await kernel.test(undefined, { caseMs: 100 });
    expect(cases).toMatchObject([
      { ok: false, message: 'It did not end within 100 ms.' },
      { ok: false, message: 'It did not end within 20 ms.' },
      { ok: true },
    ]);
  });

  it('has no access to network, database or application, also in nested runs', async () => {
    const hostCalls = /** @type {string[]} */ ([]);
    const reach = `/** Reaches. */\nexport default async function reach(args: { what: string }): Promise<string> {
  const host = tgp as unknown as Record<string, (...args: string[]) => unknown>;
  if (args.what === 'fetch') return (await fetch('http://127.0.0.1:9/')).text();
  return String(await host[args.what]!('x', 'y'));\n}\n`;
    const text = `${HEAD}import reach from './total';
test.each(['fetch', 'ask', 'exec_sql', 'write_file'])('%s', async (what) => {
  await expect(reach({ what })).rejects.toThrow(what === 'fetch' ? 'was refused' : 'mockHost({ ' + what);
  await expect(tgp.exec_tool('tools/a/total.ts', { what })).rejects.toThrow('was refused');
});
test('reading is no effect', async () => {
  expect(tgp.read_file('tools/a/total.ts')).toContain('Reaches');
  expect(tgp.write_file('/tmp/x', '1')).toMatchObject({ success: true });
});\n`;
    const { kernel } = await withTest(
      text,
      reach,
      { allowedFetchUrls: ['http://127.0.0.1:9/'] },
      { sandboxAPI: { ask: () => hostCalls.push('ask'), exec_sql: () => hostCalls.push('sql') } },
    );
    const result = await kernel.test();
    expect(result.text).toBe('5 passed, 0 failed in 1 file.');
    expect(hostCalls).toEqual([]);
  });
});

describe('@tgp/std/test', () => {
  it('has groups, hooks, tables and skipped cases', async () => {
    const { cases, file } = await casesOf(`
const seen: string[] = [];
beforeAll(() => { seen.push('all'); });
afterAll(() => { seen.push('end'); });
beforeEach(async () => { seen.push('each'); });
describe('outer', () => {
  beforeEach(() => { seen.push('inner'); });
  afterEach(() => { seen.push('after'); });
  describe('deep', () => {
    test('first', () => { expect(seen).toEqual(['all', 'each', 'inner']); });
  });
  it('second', () => { expect(seen.slice(3)).toEqual(['after', 'each', 'inner']); });
});
test.each([[1, 2, 3], [2, 3, 5]])('%i + %i is %i', (a, b, sum) => { expect(a + b).toBe(sum); });
test.each([{ name: 'x', n: 1 }])('$name has $n', ({ n }) => { expect(n).toBe(1); });
test.skip('left', () => { throw new Error(); });
test.todo('one day');
test.fails('wrong', () => { expect(1).toBe(2); });
test.skipIf(true)('not here', () => {});
describe.skip('none', () => { test('of these', () => {}); });
`);
    expect(cases.map(({ name, ok }) => [name, ok])).toEqual([
      ['outer > deep > first', true],
      ['outer > second', true],
      ['1 + 2 is 3', true],
      ['2 + 3 is 5', true],
      ['x has 1', true],
      ['wrong', true],
    ]);
    expect(file?.skipped).toEqual([
      { name: 'left', why: 'skip' },
      { name: 'one day', why: 'todo' },
      { name: 'not here', why: 'skip' },
      { name: 'none > of these', why: 'skip' },
    ]);
  });

  it('runs only the cases of test.only', async () => {
    const { cases, file } = await casesOf(`test('a', () => {});\ntest.only('b', () => {});`);
    expect(cases).toEqual([{ name: 'b', ok: true, hollow: true }]);
    expect(file?.skipped).toEqual([{ name: 'a', why: 'skip' }]);
  });

  it('fails all cases of a group whose beforeAll fails', async () => {
    const { cases } = await casesOf(`
describe('g', () => { beforeAll(() => { throw new Error('no start'); }); test('a', () => {}); test('b', () => {}); });
test('c', () => {});
describe('h', () => { afterAll(() => { throw new Error('no end'); }); test('d', () => {}); });`);
    expect(cases.map(({ name, ok, message }) => [name, ok, message])).toEqual([
      ['g > a', false, 'Error: no start'],
      ['g > b', false, 'Error: no start'],
      ['c', true, undefined],
      ['h > d', true, undefined],
      ['h > afterAll', false, 'Error: no end'],
    ]);
  });

  it('fails a case that has an expect without a matcher', async () => {
    const { cases, file } = await casesOf(`
test('forgotten', () => { expect(1); });
test('one of two', () => { expect(1).toBe(1); expect(2); });
test('not what', () => { expect(1).not; });
test('not called', () => { expect(1).toBe; });
test('no answer', async () => { expect(Promise.resolve(1)).resolves; });
test('said', async () => {
  expect(1).toBe(1);
  expect(1).not.toBe(2);
  await expect(Promise.resolve(1)).resolves.toBe(1);
  await expect(Promise.reject(new Error('no'))).rejects.toThrow('no');
  expect(1).toSatisfy((n: number) => n === 1);
});`);
    expect(cases.map(({ name, ok }) => [name, ok])).toEqual([
      ['forgotten', false],
      ['one of two', false],
      ['not what', false],
      ['not called', false],
      ['no answer', false],
      ['said', true],
    ]);
    expect(cases[0]?.message).toContain('without a matcher');
    expect(file?.ok ?? false).toBe(false);
  });

  it('has the common matchers', async () => {
    const { file } = await casesOf(`
test('values', async () => {
  expect({ a: 1, b: undefined }).toEqual({ a: 1 });
  expect({ a: 1, b: undefined }).not.toStrictEqual({ a: 1 });
  expect({ a: 1, b: { c: 2, d: 3 } }).toMatchObject({ b: { c: 2 } });
  expect([1, 2]).toContain(2);
  expect([{ a: 1 }]).toContainEqual({ a: 1 });
  expect('abc').toHaveLength(3);
  expect('abc').toMatch(/b/);
  expect(0.1 + 0.2).toBeCloseTo(0.3);
  expect({ at: 'x1', n: 4 }).toEqual({ at: expect.stringMatching(/^x/), n: expect.any(Number) });
  expect([1, 2, 3]).toEqual(expect.arrayContaining([3, 1]));
  expect({ a: { b: [1] } }).toHaveProperty('a.b[0]', 1);
  expect(new Map([['a', 1]])).toEqual(new Map([['a', 1]]));
  expect(null).toBeNull();
  expect(3).toBeGreaterThan(2);
  await expect(Promise.resolve(1)).resolves.toBe(1);
  await expect(Promise.reject(new TypeError('x'))).rejects.toThrow(TypeError);
  const called = fn((n: number) => n + 1);
  called(1);
  expect(called).toHaveBeenCalledWith(1);
  expect(called).toHaveReturnedWith(2);
});
test('counts', () => { expect.assertions(1); expect(1).toBe(1); });`);
    expect(file).toMatchObject({ ok: true, passed: 2 });
    const { cases } = await casesOf(`test('counts', () => { expect.assertions(2); expect(1).toBe(1); });
test('any', () => { expect.hasAssertions(); });`);
    expect(cases.map(({ ok }) => ok)).toEqual([false, false]);
  });

  it('mocks the host, time and random numbers for one case', async () => {
    const { file } = await casesOf(`
test('host', async () => {
  const host = mockHost({
    fetch: (url: string) => ({ url }),
    exec_sql: () => [{ n: 1 }],
    read_file: (path: string) => 'text of ' + path,
    invoice: { paid: true },
  });
  const tools = tgp as unknown as Record<string, (...args: unknown[]) => unknown>;
  expect(await (await fetch('https://a.example/x')).json()).toEqual({ url: 'https://a.example/x' });
  expect(await tools.exec_sql!('SELECT ?', [1])).toEqual([{ n: 1 }]);
  expect(await tools.invoice!({ id: 1 })).toEqual({ paid: true });
  expect(tgp.read_file('a.txt')).toBe('text of a.txt');
  expect(host.exec_sql).toHaveBeenCalledExactlyOnceWith('SELECT ?', [1]);
  setNow('2020-02-29T12:00:00Z');
  expect(new Date().toISOString()).toBe('2020-02-29T12:00:00.000Z');
  expect(Date.now()).toBe(Date.now());
  setSeed(1);
  const first = Math.random();
  setSeed(1);
  expect(Math.random()).toBe(first);
});
test('is over', async () => {
  expect(new Date().getUTCFullYear()).toBe(2026);
  await expect(fetch('https://a.example/x')).rejects.toThrow('was refused');
  expect('invoice' in tgp).toBe(false);
});`);
    expect(file?.cases).toEqual([
      { name: 'host', ok: true },
      { name: 'is over', ok: true },
    ]);
  });

  it('is deterministic', async () => {
    const { kernel } = await withTest(`${HEAD}test('t', () => { expect([Date.now(), Math.random()]).toBe(1); });`);
    const first = await kernel.test();
    expect((await kernel.test()).text).toBe(first.text);
    expect((await kernel.test(undefined, { seed: 7, now: 0 })).text).not.toBe(first.text);
  });

  it('limits the messages of tests', async () => {
    const { file, cases } = await casesOf(`
test('long', () => { expect('x'.repeat(1e6)).toBe('y'.repeat(1e6)); });
test('throws', () => { throw new Error('z'.repeat(1e6)); });
for (let i = 0; i < 300; i++) test('n'.repeat(1000) + i, () => { console.log('l'.repeat(1000)); throw new Error('w'.repeat(5000)); });`);
    expect(file?.failed).toBe(302);
    expect(JSON.stringify(cases).length).toBeLessThan(1_500_000);
    const { tools } = await withTest(
      `${HEAD}for (let i = 0; i < 500; i++) test('a' + i, () => { throw new Error('w'.repeat(5000)); });`,
    );
    const report = await tools.test_tool.execute({});
    expect(JSON.stringify(report).length).toBeLessThan(40_000);
    expect(report.failed).toBe(500);
  });

  it('is for test files only', async () => {
    const { kernel } = await createKernel();
    const { result } = await kernel.run(
      `import { test } from '@tgp/std/test';\nexport default () => { try { test('a', () => {}); } catch (error) { return String(error); } };`,
      {},
      { timeoutMs: 2000 },
    );
    expect(result).toContain('test_tool');
    for (const inner of ['test_cases', 'test_host', 'expect', 'test_driver']) {
      await expect(kernel.run(`import '@tgp/std/${inner}';\nexport default () => 1;`)).rejects.toThrow('Violation');
    }
  });
});
