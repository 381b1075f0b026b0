import { describe, expect, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

/** @param {number} at */
const nameOf = (at) => `tool_${String(at).padStart(4, '0')}`;
/** @param {number} at */
const pathOf = (at) => `tools/${nameOf(at)}.ts`;
/** @param {number} at */
const sourceOf = (at) =>
  `/** Does job number ${at}. */\nexport default (args: { value: number }): number => args.value + ${at};\n`;

/**
 * A kernel with many tools.
 * @param {number} count
 * @param {import('../../index.js').TGPConfigInput} [config]
 */
async function kernelWith(count, config = {}) {
  /** @type {string[]} */
  const warned = [];
  const logger = { info() {}, error() {}, debug() {}, warn: (/** @type {string} */ text) => void warned.push(text) };
  const made = await createKernel(config, { logger });
  await made.kernel.boot();
  for (let at = 0; at < count; at++) await made.kernel.vfs.writeFile(pathOf(at), sourceOf(at));
  await made.kernel.registry.hydrate();
  return { ...made, budgetWarnings: () => warned.filter((text) => text.includes('offered by name')) };
}

/** @param {Record<string, any>} tools */
const charsOf = (tools) =>
  Object.entries(tools).reduce(
    (sum, [name, { description, parameters }]) =>
      sum + name.length + description.length + JSON.stringify(parameters).length,
    0,
  );

describe('tools by name have a budget', () => {
  test('of a thousand tools the defaults allow a part, which is logged once', async () => {
    const { kernel, budgetWarnings } = await kernelWith(1_000);
    const tools = await kernel.tools();
    expect(Object.keys(tools).length).toBeGreaterThan(50);
    expect(Object.keys(tools).length).toBeLessThanOrEqual(100);
    expect(charsOf(tools)).toBeLessThanOrEqual(32_000);
    const live = await kernel.liveTools(tgpTools(kernel));
    expect(Object.keys(live).length - Object.keys(tgpTools(kernel)).length).toBe(Object.keys(tools).length);
    expect(budgetWarnings()).toEqual([
      expect.stringMatching(/of 1000 forged tools are offered by name .*find_tool .*exec_tool/),
    ]);
  });

  test('the most used tools are offered, and find_tool and exec_tool reach the others', async () => {
    const { kernel, tools } = await kernelWith(12, { agent: { liveTools: 3 } });
    for (const at of [11, 7, 7]) await kernel.exec(pathOf(at), { value: 1 });
    expect(Object.keys(await kernel.tools())).toHaveLength(3);
    expect(Object.keys(await kernel.tools())).toEqual(expect.arrayContaining([nameOf(7), nameOf(11)]));
    const found = await tools.find_tool.execute({ query: 'does job number 4' });
    expect(found.map(({ path }) => path)).toContain(pathOf(4));
    const report = await tools.exec_tool.execute({ path: pathOf(4), args: { value: 1 } });
    expect(report).toMatchObject({ success: true, result: 5 });
  });

  test('a new tool is offered at once, and most of the others stay', async () => {
    const { kernel, tools } = await kernelWith(12, { agent: { liveTools: 3 } });
    const live = await kernel.liveTools({});
    const before = Object.keys(live);
    expect(before).toHaveLength(3);
    await tools.write_file.execute({ path: 'tools/zz_new.ts', content: sourceOf(99) });
    expect(Object.keys(live)).toHaveLength(3);
    expect(Object.keys(live)).toContain('zz_new');
    expect(before.filter((name) => name in live)).toHaveLength(2);
    expect(await live.zz_new?.execute({ value: 1 })).toMatchObject({ result: 100 });
  });

  test('a tool with a huge schema is skipped for smaller ones; a named choice is not limited', async () => {
    const { kernel, tools, budgetWarnings } = await kernelWith(5, { agent: { liveToolChars: 1_000 } });
    const members = Array.from({ length: 200 }, (_, at) => `member_${at}: string`).join('; ');
    const content = `export default (args: { ${members} }): number => 1;`;
    await tools.write_file.execute({ path: 'tools/huge.ts', content });
    const offered = Object.keys(await kernel.tools());
    expect(offered).not.toContain('huge');
    expect(offered.length).toBeGreaterThan(2);
    expect(Object.keys(await kernel.tools({ limit: 6 }))).toHaveLength(6);
    expect(budgetWarnings()).toHaveLength(1);
  });

  test('if all tools fit, all are offered and nothing is logged', async () => {
    const { kernel, budgetWarnings } = await kernelWith(20);
    expect(Object.keys(await kernel.tools())).toHaveLength(20);
    expect(budgetWarnings()).toEqual([]);
  });
});
