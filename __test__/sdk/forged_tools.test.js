import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KERNEL_TOOL_NAMES, ToolNames } from '../../dist/forged/tool_names.js';
import { createSqlTools, handleToolCall, sqlite, tgpTools, toAnthropicTools, toOpenAITools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote } from '../helpers/git_remote.js';

const DOWNGRADE = `/** Who moves to a smaller plan. */
export default function (args: { month: string; plans?: ('small' | 'large')[]; since: Date }): object {
  return { month: args.month, plans: args.plans ?? [] };
}
`;

describe('kernel.tools()', () => {
  test('has every tool that can be run, by name, with its own description and schema', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/reports/downgrade.ts', content: DOWNGRADE });
    await tools.write_file.execute({ path: 'tools/lib/shared.ts', content: 'export const rate = 2;' });
    const forged = await kernel.tools();
    expect(Object.keys(forged)).toEqual(['reports_downgrade']);
    const { description, parameters, inputSchema } = /** @type {any} */ (forged.reports_downgrade);
    expect(description).toBe('Who moves to a smaller plan. [tools/reports/downgrade.ts]');
    expect(parameters).toBe(inputSchema);
    expect({ ...parameters }).toEqual({
      type: 'object',
      properties: {
        month: { type: 'string' },
        plans: { type: 'array', items: { enum: ['small', 'large'] } },
        since: { type: 'string', format: 'date-time' },
      },
      required: ['month', 'since'],
    });
    const report = await forged.reports_downgrade?.execute({ month: 'May', since: '2026-05-01' });
    expect(report).toMatchObject({ success: true, result: { month: 'May', plans: [] }, logs: [], stats: {} });
  });

  test.each([
    ['a missing field', { since: '' }, 'month', '"month" is missing'],
    ['a wrong type', { month: 5, since: '' }, 'month', '"month" is not valid'],
    ['a value deep inside', { month: 'May', since: '', plans: ['small', 'huge'] }, 'plans.1', '"plans.1" is not valid'],
    ['a value that is not an object', 'May', '', 'the value is not valid'],
  ])('refuses %s before anything runs, and names it', async (_, args, field, message) => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/reports/downgrade.ts', content: DOWNGRADE });
    const { reports_downgrade: tool } = await kernel.tools();
    const outcome = tool?.execute(args);
    await expect(outcome).rejects.toMatchObject({ code: 'ERR_VALIDATION', details: { field } });
    await expect(outcome).rejects.toThrow(`reports_downgrade: ${message}`);
    await expect(outcome).rejects.toThrow('[ERR_VALIDATION]');
    expect(tool?.inputSchema.validate(args)).toMatchObject({ success: false });
    expect((await kernel.registry.list())[0]?.uses).toBe(0);
  });

  test('reports exceptions, timeouts and aborts like exec_tool', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { timeoutMs: 20_000 } });
    await tools.write_file.execute({ path: 'tools/throws.ts', content: "throw new Error('no')" });
    await tools.write_file.execute({ path: 'tools/loop.ts', content: 'while (true) {}' });
    const { throws, loop } = await kernel.tools();
    expect(await throws?.execute({})).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', line: 1 });
    const abortSignal = AbortSignal.timeout(100);
    expect(await loop?.execute({}, { abortSignal })).toMatchObject({ success: false, code: 'ERR_ABORTED' });
  });

  test('wraps arguments that are not an object, and accepts anything without a schema', async () => {
    const { kernel, tools } = await createKernel();
    const sources = {
      twice: 'export default (n: number): number => n * 2',
      either: "export default (a: { kind: 'x'; n: number } | { kind: 'y' }): string => a.kind",
      unknown: 'export default (a: any) => a.x',
      pair: 'export default (args: { at: [number, number] }) => args.at[1]',
    };
    for (const [name, content] of Object.entries(sources)) {
      await tools.write_file.execute({ path: `tools/${name}.ts`, content });
    }
    const { twice, either, unknown, pair } = await kernel.tools();
    expect(twice?.parameters).toMatchObject({ type: 'object', required: ['args'] });
    expect(await twice?.execute({ args: 21 })).toMatchObject({ result: 42 });
    await expect(twice?.execute({ args: 'x' })).rejects.toMatchObject({ details: { field: 'args' } });
    expect(await either?.execute({ args: { kind: 'y' } })).toMatchObject({ result: 'y' });
    expect({ ...unknown?.parameters }).toEqual({ type: 'object', properties: {} });
    expect(await unknown?.execute({ x: 1 })).toMatchObject({ result: 1 });
    expect(pair?.parameters.properties.at).toHaveProperty('items');
    expect(await pair?.execute({ at: [1, 2] })).toMatchObject({ result: 2 });
  });

  test('selects tools by a query, or by their use', async () => {
    const { kernel, tools } = await createKernel();
    const content = (/** @type {string} */ text) => `/** ${text} */ export default () => 1`;
    await tools.write_file.execute({ path: 'tools/a.ts', content: content('Converts a currency.') });
    await tools.write_file.execute({ path: 'tools/b.ts', content: content('Sends an invoice.') });
    await kernel.exec('tools/b.ts');
    expect(Object.keys(await kernel.tools({ query: 'convert currencies', limit: 1 }))).toEqual(['a']);
    expect(Object.keys(await kernel.tools({ limit: 1 }))).toEqual(['b']);
    await expect(kernel.tools(/** @type {any} */ ({ limits: 1 }))).rejects.toThrow('did you mean "limit"');
  });

  test('does not trust a foreign meta.json', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/t.ts', content: 'export default (args: { s: string }) => args.s' });
    await kernel.shutdown();
    const file = join(rootDir, 'meta.json');
    const meta = JSON.parse(await readFile(file, 'utf8'));
    const hostile = { type: 'string', pattern: '^(a+)+$', $ref: '#', allOf: [{ $ref: '#' }] };
    const parameters = {
      type: 'object',
      properties: { s: hostile },
      required: ['s'],
      patternProperties: { '(x+)+y': {} },
    };
    meta.tools['tools/t.ts'].parameters = parameters;
    await writeFile(file, JSON.stringify(meta));
    const next = await createKernel({ rootDir });
    const { t } = await next.kernel.tools();
    const [listed] = await next.kernel.registry.list();
    expect(listed?.parameters).toEqual({ type: 'object', properties: { s: { type: 'string' } }, required: ['s'] });
    expect(JSON.stringify(t?.parameters)).not.toMatch(/pattern|\$ref|allOf/);
    expect(await t?.execute({ s: `${'a'.repeat(40)}!` })).toMatchObject({ success: true });
  });

  test('works with the adapters and handleToolCall', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/reports/downgrade.ts', content: DOWNGRADE });
    const all = { ...tools, ...(await kernel.tools()) };
    expect(toOpenAITools(all).at(-1)?.function).toMatchObject({
      name: 'reports_downgrade',
      parameters: { required: ['month', 'since'] },
    });
    expect(toAnthropicTools(all).at(-1)).toMatchObject({ name: 'reports_downgrade', input_schema: { type: 'object' } });
    const input = { month: 'May', since: '2026-05-01' };
    const good = await handleToolCall(all, { type: 'tool_use', id: '1', name: 'reports_downgrade', input });
    expect(good).toMatchObject({ is_error: false, content: expect.stringContaining('"success":true') });
    const bad = await handleToolCall(all, { type: 'tool_use', id: '2', name: 'reports_downgrade', input: {} });
    expect(bad).toMatchObject({ is_error: true, content: expect.stringContaining('"month" is missing') });
  });
});

/** @param {string[]} paths @returns {Map<string, string>} names by path */
function toolNames(paths) {
  const names = new ToolNames();
  for (const path of paths) names.add(path);
  return new Map(paths.map((path) => [path, names.of(path)]));
}

describe('names', () => {
  test.each([
    ['tools/reports/downgrade.ts', 'reports_downgrade'],
    ['tools/shipping/index.ts', 'shipping'],
    ['tools/größe/añadir.mjs', 'gro_e_anadir'],
    ['tools/2024/sum.ts', 'tool_2024_sum'],
    ['tools/売上.ts', 'tool'],
    ['tools/a b.c/d-e.ts', 'a_b_c_d-e'],
  ])('%s is called %s', (path, name) => {
    expect(toolNames([path]).get(path)).toBe(name);
  });

  test('are unique, short, of characters that providers accept, and depend only on the paths', () => {
    const long = `tools/${'deep/'.repeat(20)}end.ts`;
    const paths = [
      'tools/a/b.ts',
      'tools/a_b.ts',
      'tools/a_b.js',
      long,
      'tools/exec_tool.ts',
      'tools/__proto__.ts',
      'tools/toString.ts',
    ];
    const names = toolNames(paths);
    expect(new Set(names.values()).size).toBe(paths.length);
    for (const name of names.values()) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
    expect([...names.values()].filter((name) => name === 'a_b' || name in Object.prototype)).toEqual([]);
    expect(names.get('tools/exec_tool.ts')).toMatch(/^exec_tool_[0-9a-f]{8}$/);
    expect(toolNames(paths.toReversed())).toEqual(names);
    // A tool whose path gives the disambiguated name of another one does not collide with it.
    const squatter = `tools/${names.get('tools/a/b.ts')}.ts`;
    expect(new Set(toolNames([...paths, squatter]).values()).size).toBe(paths.length + 1);
  });

  test('of ASCII paths are not taken by transliterated ones', () => {
    const names = toolNames(['tools/spath.ts', 'tools/späth.ts', 'tools/ｓpath.ts']);
    expect(names.get('tools/spath.ts')).toBe('spath');
    for (const path of ['tools/späth.ts', 'tools/ｓpath.ts']) expect(names.get(path)).toMatch(/^spath_[0-9a-f]{8}$/);
    expect([...toolNames(['tools/späth.ts', 'tools/spãth.ts']).values()]).not.toContain('spath');
  });

  test('depend only on the current paths, in whatever order tools were added and removed', () => {
    const stems = [
      'a/b',
      'a_b',
      'a-b',
      'späth',
      'spath',
      'ｓpath',
      '売上',
      '売',
      'exec_tool',
      'toString',
      'x'.repeat(70),
    ];
    const paths = stems.flatMap((stem) => [`tools/${stem}.ts`, `tools/${stem}.js`, `tools/${stem}/index.ts`]);
    const names = new ToolNames();
    const present = new Set();
    let seed = 5;
    for (let step = 0; step < 2_000; step++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      const path = paths[(seed >> 8) % paths.length] ?? '';
      if (present.delete(path)) names.delete(path);
      else {
        names.add(path);
        present.add(path);
      }
      if (step % 20 > 0) continue;
      const whole = toolNames([...present]);
      expect(new Map([...present].map((left) => [left, names.of(left)]))).toEqual(whole);
      expect(new Set(whole.values()).size).toBe(present.size);
    }
  });

  test('of all kernel tools are in KERNEL_TOOL_NAMES', async () => {
    const { kernel } = await createKernel();
    const own = { ...tgpTools(kernel), ...createSqlTools(sqlite(':memory:')) };
    expect(Object.keys(own)).toEqual(KERNEL_TOOL_NAMES);
  });
});

/**
 * @param {import('../../index.js').TGP} kernel
 * @param {string} path
 */
async function remove(kernel, path) {
  await kernel.vfs.remove(path);
  await kernel.git.persist(`Remove: ${path}`, [path]);
}

describe('changes of the tools', () => {
  test('are passed to listeners before the call is done: forged, changed and removed tools', async () => {
    const { kernel, tools } = await createKernel();
    /** @type {any[]} */
    const changes = [];
    const stop = kernel.onToolsChanged((change) => changes.push(change));
    const path = 'tools/math/sum.ts';
    await tools.write_file.execute({ path: 'tools/other.ts', content: 'return 1' });
    await tools.write_file.execute({ path, content: 'export default () => 1' });
    await tools.patch_file.execute({ path, search: '1', replace: '2' });
    await tools.write_file.execute({ path: 'notes.txt', content: 'no tool' });
    await remove(kernel, path);
    const named = { name: 'math_sum', path };
    expect(changes.map(({ added, changed, removed }) => [added, changed, removed])).toEqual([
      [[{ name: 'other', path: 'tools/other.ts' }], [], []],
      [[named], [], []],
      [[], [named], []],
      [[], [], [named]],
    ]);
    stop();
    await tools.write_file.execute({ path, content: 'export default () => 3' });
    expect(changes).toHaveLength(4);
  });

  test('a listener that throws does not affect the call', async () => {
    /** @type {string[]} */
    const errors = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (/** @type {string} */ text) => errors.push(text) };
    const { kernel, tools } = await createKernel({}, { logger });
    kernel.onToolsChanged(() => {
      throw new Error('mine');
    });
    const written = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    expect(written).toMatchObject({ success: true, persisted: true });
    expect(errors).toEqual([expect.stringContaining('onToolsChanged')]);
  });

  test('a live set keeps the given tools under their names, and drops removed tools', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/base.ts', content: 'return 1' });
    const live = await kernel.liveTools({ ...tools, weather: tools.read_file });
    await tools.write_file.execute({ path: 'tools/weather.ts', content: 'return 1' });
    expect(live.weather).toBe(tools.read_file);
    const [forged] = Object.keys(live).filter((name) => name.startsWith('weather_'));
    expect(forged).toMatch(/^weather_[0-9a-f]{8}$/);
    await remove(kernel, 'tools/weather.ts');
    expect(Object.keys(live)).toEqual([...Object.keys(tools), 'weather', 'base']);
  });

  test('a live set has the tools of another instance after a sync', async () => {
    const { folder, remote } = await bareRemote();
    const git = /** @type {const} */ ({ repo: remote });
    const one = await createKernel({ rootDir: join(folder, 'one'), git });
    const two = await createKernel({ rootDir: join(folder, 'two'), git });
    await two.kernel.boot();
    const live = await two.kernel.liveTools();
    expect(Object.keys(live)).toEqual([]);
    await one.tools.write_file.execute({ path: 'tools/shared.ts', content: 'return 7' });
    await two.kernel.sync();
    expect(await live.shared?.execute({})).toMatchObject({ success: true, result: 7 });
  });
});
