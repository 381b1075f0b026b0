import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMemoryVFS, createSqlTools, handleToolCall, sqlite, TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const DEFAULT_CHARS = 16_000;
const ROWS = `export default (args: { n: number }): object[] =>
  Array.from({ length: args.n }, (_, id) => ({ id, name: 'customer ' + id }));
`;
const TEXT = `export default (args: { n: number; ends?: string }): string => 'x'.repeat(args.n) + (args.ends ?? '');\n`;
const LOGS = `export default (args: { n: number }): number => {
  for (let line = 0; line < args.n; line++) console.log('step ' + line + ' of many steps');
  return args.n;
};
`;
const TOOLS = { 'tools/rows.ts': ROWS, 'tools/text.ts': TEXT, 'tools/logs.ts': LOGS };
const N = 6_000;

/**
 * @param {import('../../index.js').TGPConfigInput} [config]
 * @param {Omit<import('../../index.js').TGPOptions, 'config' | 'configFile'>} [options]
 */
async function kernelWithTools(config = {}, options = {}) {
  const made = await createKernel({ sandbox: { timeoutMs: 20_000 }, fs: { fileBytes: 100_000 }, ...config }, options);
  for (const [path, content] of Object.entries(TOOLS)) await made.tools.write_file.execute({ path, content });
  return made;
}

/** @param {unknown} result */
const charsOf = (result) => (typeof result === 'string' ? result.length : JSON.stringify(result).length);

/** @param {any} report */
const filesNamedIn = (report) => [...report.notice.matchAll(/"(\.results\/[^"]+)"/g)].map(([, path]) => path);

/**
 * The complete text of a file, read page by page as its notes advise.
 * @param {import('../../index.js').TGPTools} tools
 * @param {string} path
 */
async function readByPages(tools, path) {
  let text = '';
  /** @type {{ offset?: number, column?: number }} */
  let place = {};
  for (;;) {
    const page = await tools.read_file.execute({ path, ...place });
    expect(page.length).toBeLessThanOrEqual(DEFAULT_CHARS);
    const note =
      /\n\[(?:Lines \d+ to \d+ of \d+\.|Line \d+ of \d+ continues: \d+ more characters\.) Continue with offset: (\d+)(?:, column: (\d+))?\.\]$/;
    const [tail, offset, column] = note.exec(page) ?? [];
    if (tail === undefined) return text + page;
    text += page.slice(0, -tail.length) + (column === undefined ? '\n' : '');
    place = { offset: Number(offset), ...(column !== undefined && { column: Number(column) }) };
  }
}

describe('a result that is too long', () => {
  test.each([
    ['rows', { n: N }],
    ['text', { n: 250_000 }],
    ['logs', { n: 2_000 }],
  ])('%s: the model gets a part, by exec_tool and by name; the application gets everything', async (name, args) => {
    const { kernel, tools } = await kernelWithTools();
    const whole = await kernel.exec(`tools/${name}.ts`, args);
    expect(charsOf(whole)).toBeGreaterThan(4 * DEFAULT_CHARS);
    const forged = await kernel.tools();
    for (const report of [
      await tools.exec_tool.execute({ path: `tools/${name}.ts`, args }),
      await forged[name]?.execute(args),
    ]) {
      expect(charsOf(report)).toBeLessThanOrEqual(DEFAULT_CHARS);
      expect(charsOf(report), 'the limit is used').toBeGreaterThan(DEFAULT_CHARS / 2);
      expect(report).toMatchObject({ success: true, notice: expect.stringContaining('read_file') });
      const pages = await Promise.all(filesNamedIn(report).map((path) => readByPages(tools, path)));
      const kept = pages.join('');
      const wanted = name === 'logs' ? whole.logs : whole.result;
      expect(name === 'text' ? kept : JSON.parse(kept), 'the files have the complete result').toEqual(wanted);
    }
  });

  test('agent.resultChars sets the length, and maxChars of a call overrides it', async () => {
    const { tools } = await kernelWithTools({ agent: { resultChars: 2_000 } });
    const call = { path: 'tools/rows.ts', args: { n: N } };
    expect(charsOf(await tools.exec_tool.execute(call))).toBeLessThanOrEqual(2_000);
    const report = await tools.exec_tool.execute(call, { maxChars: 50_000 });
    expect(charsOf(report)).toBeGreaterThan(25_000);
    expect(charsOf(report)).toBeLessThanOrEqual(50_000);
    const message = await handleToolCall(
      tools,
      { id: '1', type: 'function', function: { name: 'exec_tool', arguments: JSON.stringify(call) } },
      { maxChars: 1_000 },
    );
    expect(message.content.length).toBeLessThanOrEqual(1_000);
    expect(JSON.parse(message.content)).toMatchObject({ success: true, notice: expect.any(String) });
  });

  test('a failure keeps its code, however long its message is', async () => {
    const { tools } = await createKernel();
    const path = 'tools/fail.ts';
    await tools.write_file.execute({
      path,
      content: "export default () => { throw new Error('y'.repeat(100_000)); };",
    });
    const report = await tools.exec_tool.execute({ path });
    expect(charsOf(report)).toBeLessThanOrEqual(DEFAULT_CHARS);
    expect(report).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', notice: expect.any(String) });
  });

  test('unusual results are cut too: long keys, deep nesting, escapes, many members', async () => {
    const { tools } = await createKernel({ sandbox: { timeoutMs: 20_000 } });
    const shapes = {
      keys: "({ ['k'.repeat(100_000)]: 1, b: 2 })",
      members: "Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => ['member' + i, i]))",
      escapes: "({ a: '\\u0000\\n\"'.repeat(50_000), b: 'kept' })",
      deep: "Array.from({ length: 200 }).reduce((inner) => [inner, 'z'.repeat(200)], 'core')",
      pairs: "'😀'.repeat(50_000)",
    };
    for (const [name, expression] of Object.entries(shapes)) {
      const path = `tools/${name}.ts`;
      await tools.write_file.execute({ path, content: `export default (): unknown => ${expression};` });
      const report = await tools.exec_tool.execute({ path });
      expect(charsOf(report), name).toBeLessThanOrEqual(DEFAULT_CHARS);
      expect(report, name).toMatchObject({ success: true, notice: expect.any(String) });
      expect(JSON.stringify(report).isWellFormed?.() ?? true, name).toBe(true);
    }
    const report = /** @type {any} */ (await tools.exec_tool.execute({ path: 'tools/escapes.ts' }));
    expect(report.result.b, 'small values are complete').toBe('kept');
  });

  test('handleToolCall cuts the result of an application tool to the same length', async () => {
    const mine = {
      description: '',
      parameters: {},
      inputSchema: {},
      execute: async () => ({ rows: 'w'.repeat(50_000) }),
    };
    const call = /** @type {const} */ ({ type: 'tool_use', id: '1', name: 'mine', input: {} });
    const { content } = await handleToolCall({ mine }, call);
    expect(content.length).toBeLessThanOrEqual(DEFAULT_CHARS);
    expect(JSON.parse(content)).toMatchObject({ notice: expect.stringContaining('Shown in part') });
  });
});

describe('result files', () => {
  const run = { path: 'tools/rows.ts', args: { n: 1_000 } };

  test('are not in the repository, in lists or in searches, and agents cannot write them', async () => {
    const { tools, rootDir } = await kernelWithTools();
    const [path] = filesNamedIn(await tools.exec_tool.execute(run));
    expect(execFileSync('git', ['status', '--porcelain', '--ignored=no'], { cwd: rootDir }).toString()).toBe('');
    expect(await tools.list_files.execute({ dir: '' })).toEqual(['meta.json', ...Object.keys(TOOLS).sort()]);
    const pattern = 'customer 77"';
    // Other calls do not find it.
    for (const glob of [undefined, '.results/*', '**'])
      expect(await tools.search_files.execute({ pattern, glob })).toMatchObject({ matches: [] });
    const listed = await tools.run_code.execute({ code: "return [tgp.list_files('.results'), tgp.list_files('')];" });
    expect(JSON.stringify(listed)).not.toContain(path);
    const near = await tools.read_file.execute({ path: path.replace(/.\.json$/, '-.json') }).catch((error) => error);
    expect(JSON.stringify([near.message, near.details])).not.toContain(path);
    for (const dir of ['.results', ''])
      expect(JSON.stringify(await tools.list_files.execute({ dir }))).not.toContain(path);
    expect(await tools.search_files.execute({ pattern, glob: path })).toMatchObject({ matches: [{ path, line: 79 }] });
    const written = tools.write_file.execute({ path, content: 'mine' });
    await expect(written).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });

  test('are limited in number, and removed by shutdown', async () => {
    const { kernel, tools, rootDir } = await kernelWithTools();
    const folder = join(rootDir, '.results');
    await mkdir(folder);
    await writeFile(join(folder, 'notes.txt'), 'somebody else wrote this');
    let last = '';
    for (let at = 0; at < 40; at++) [last = ''] = filesNamedIn(await tools.exec_tool.execute(run));
    const names = await readdir(folder);
    expect(names.length).toBeLessThanOrEqual(33);
    expect(names).toContain(last.replace('.results/', ''));
    await kernel.shutdown();
    expect(await readdir(folder), 'only its own files are removed').toEqual(['notes.txt']);
  });

  test('are not written if a small root has no room for them', async () => {
    const { tools } = await kernelWithTools({ fs: { fileBytes: 100_000, rootBytes: 200_000 } });
    const report = await tools.exec_tool.execute(run);
    expect(charsOf(report)).toBeLessThanOrEqual(DEFAULT_CHARS);
    expect(report).toMatchObject({ notice: expect.stringContaining('Let the tool return or log less.') });
    expect(await tools.list_files.execute({ dir: '.results' })).toEqual([]);
  });

  test('are not written for a long report of write_file', async () => {
    const { tools } = await kernelWithTools();
    const file = { path: 'notes.txt', content: 'x' };
    const written = await tools.write_file.execute(file, { maxChars: 60 });
    expect(written).toMatchObject({ success: true, notice: expect.stringMatching(/characters\. Ask for less\.$/) });
  });

  test('of killed kernels are removed at the next boot if they are old', async () => {
    const rootDir = join(await tempRoot(), '.tgp');
    const folder = join(rootDir, '.results');
    await mkdir(folder, { recursive: true });
    const hoursAgo = (/** @type {number} */ hours) => `${Date.now() - hours * 3_600_000}-0123abcd.json`;
    const fresh = hoursAgo(0);
    for (const name of [hoursAgo(3), hoursAgo(30), fresh]) await writeFile(join(folder, name), '[]');
    const { kernel } = await createKernel({ rootDir });
    await kernel.boot();
    expect(await readdir(folder)).toEqual([fresh]);
  });

  test('are not written to a VFS adapter of the application', async () => {
    const vfs = createMemoryVFS();
    const kernel = new TGP({ vfs, config: { sandbox: { timeoutMs: 20_000 } } });
    const tools = tgpTools(kernel);
    await tools.write_file.execute({ path: 'tools/rows.ts', content: ROWS });
    const [path = ''] = filesNamedIn(await tools.exec_tool.execute(run));
    expect(await tools.read_file.execute({ path, limit: 1 })).toContain('[');
    await tools.write_file.execute({ path: 'tools/text.ts', content: TEXT });
    expect((await vfs.listFiles('', true)).filter((name) => name.startsWith('.results'))).toEqual([]);
    await kernel.shutdown();
  });
});

describe('pages', () => {
  test('read_file pages through a long file with lines of any length', async () => {
    const { tools } = await createKernel();
    const texts = {
      'lines.txt': Array.from({ length: 5_000 }, (_, at) => `line ${at}`).join('\n'),
      'one.txt': '😀é'.repeat(40_000),
      'mixed.txt': `short\n${'long'.repeat(10_000)}\n\n\nend\n`,
    };
    for (const [path, content] of Object.entries(texts)) {
      await tools.write_file.execute({ path, content });
      expect(await readByPages(tools, path), path).toBe(content);
    }
    expect(await tools.read_file.execute({ path: 'lines.txt', offset: 10, limit: 2 })).toBe(
      'line 9\nline 10\n[Lines 10 to 11 of 5000. Continue with offset: 12.]',
    );
    const beyond = tools.read_file.execute({ path: 'lines.txt', offset: 9_999 });
    await expect(beyond).rejects.toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'offset' } });
  });

  test('list_files pages through many files', async () => {
    const { kernel, tools } = await createKernel();
    const names = Array.from(
      { length: 1_500 },
      (_, at) => `data/a_rather_long_name_${String(at).padStart(5, '0')}.txt`,
    );
    await kernel.boot();
    for (const name of names) await kernel.vfs.writeFile(name, '');
    /** @type {string[]} */
    const found = [];
    for (let after; ; ) {
      const page = await tools.list_files.execute({ dir: 'data', ...(after && { after }) });
      expect(charsOf(page)).toBeLessThanOrEqual(DEFAULT_CHARS);
      const note = /^\[\d+ of \d+ paths\. Continue with after: "([^"]+)"/.exec(page.at(-1) ?? '');
      found.push(...(note ? page.slice(0, -1) : page));
      if (!note) break;
      after = note[1];
    }
    expect(found).toEqual(names);
    expect(await tools.list_files.execute({ dir: 'data', limit: 1 })).toEqual([
      names[0],
      expect.stringContaining(`[1 of 1500 paths. Continue with after: "${names[0]}"`),
    ]);
  });

  test('exec_sql and search_files return the part that fits, with advice on how to get the rest', async () => {
    const { tools } = await createKernel();
    const sql = createSqlTools(sqlite(':memory:'));
    const many = (/** @type {number} */ n, /** @type {string} */ column) =>
      `with recursive c(x) as (select 1 union all select x + 1 from c where x < ${n}) select x, ${column} as text from c`;
    const rows = await sql.exec_sql.execute({ sql: many(5_000, "'some text'") });
    expect(charsOf(rows)).toBeLessThanOrEqual(DEFAULT_CHARS);
    expect(rows.at(-1)).toEqual({ notice: expect.stringMatching(/^\d+ of 5000 are shown\. .*LIMIT and OFFSET/) });
    const wide = await sql.exec_sql.execute({ sql: many(2, 'hex(zeroblob(50000))') });
    expect(charsOf(wide)).toBeLessThanOrEqual(DEFAULT_CHARS);
    expect(wide[0]).toMatchObject({ x: 1 });
    const more = createSqlTools(sqlite(':memory:'), { resultChars: 1_000_000 });
    expect(await more.exec_sql.execute({ sql: many(5_000, "'some text'") })).toHaveLength(5_000);

    const content = `${'needle '.repeat(40)}\n`.repeat(1_000);
    await tools.write_file.execute({ path: 'hay.txt', content });
    const found = await tools.search_files.execute({ pattern: 'needle', limit: 1_000 });
    expect(charsOf(found)).toBeLessThanOrEqual(DEFAULT_CHARS);
    expect(found).toMatchObject({ truncated: true, notice: expect.stringMatching(/^\d+ of 1000 matches are shown/) });
  });

  test('a result that fits is unchanged', async () => {
    const { tools, rootDir } = await kernelWithTools();
    expect(await tools.read_file.execute({ path: 'tools/rows.ts' })).toBe(ROWS);
    const report = await tools.exec_tool.execute({ path: 'tools/rows.ts', args: { n: 1 } });
    expect(Object.keys(report)).toEqual(['success', 'result', 'logs', 'stats']);
    await expect(readFile(join(rootDir, '.results'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
