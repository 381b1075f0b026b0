import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JOBS } from '../fixtures/reuse_set.js';
import { createKernel } from '../helpers/create_kernel.js';
import { applicationWithMemory, hasWeights } from '../helpers/memory_model.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/**
 * @param {string} description
 * @param {string} parameters
 * @param {string} body
 */
const tool = (description, parameters, body) =>
  `/** ${description} */\nexport default function (args: { ${parameters} }) {\n  ${body}\n}\n`;

const PRICE = 'tools/finance/gross_price.ts';
const KNOWN = tool('Price of an article with tax.', 'net: number; rate: number', 'return args.net * (1 + args.rate);');
const TWIN = tool(
  'What an article costs when its tax is in the price.',
  'share: number; amount: number',
  'return args.amount + args.amount * args.share;',
);
const OTHER = tool(
  'The tax in the price of an article.',
  'share: number; amount: number',
  'return args.amount * args.share;',
);

/** @param {import('../../index.js').TGPConfigInput} config */
async function scene(config) {
  const { kernel, tools, rootDir } = await createKernel({ memory: 'off', ...config });
  const write = (/** @type {string} */ path, /** @type {string} */ content) =>
    tools.write_file.execute({ path, content });
  await write(PRICE, KNOWN);
  // Only runs of the agent itself are compared.
  await tools.exec_tool.execute({ path: PRICE, args: { net: 100, rate: 0.2 } });
  await tools.exec_tool.execute({ path: PRICE, args: { net: 50, rate: 0.07 } });
  return { kernel, tools, rootDir, write };
}

describe('a tool for a job that another one does', () => {
  it('is detected by equal results for the same arguments, under any names', async () => {
    const { write } = await scene({});
    expect((await write('tools/shop/total.ts', TWIN)).similar).toEqual([{ path: PRICE, score: expect.any(Number) }]);
    expect(await write('tools/shop/tax_share.ts', OTHER)).not.toHaveProperty('similar');
  });

  it('is refused if reuse is strict, with the call of the existing tool, and not written', async () => {
    const { kernel, rootDir, write } = await scene({ reuse: 'strict' });
    const refused = await write('tools/shop/total.ts', TWIN).then(
      () => undefined,
      (error) => error,
    );
    expect(refused).toMatchObject({
      name: 'DuplicateError',
      code: 'ERR_DUPLICATE',
      details: {
        path: 'tools/shop/total.ts',
        existing: PRICE,
        call: `exec_tool({ path: "${PRICE}", args: { net, rate } })`,
      },
    });
    expect(refused.message).toContain(`Call exec_tool({ path: "${PRICE}"`);
    expect(existsSync(join(rootDir, 'tools/shop/total.ts'))).toBe(false);
    expect(await write('tools/shop/tax_share.ts', OTHER)).toMatchObject({ success: true });
    // Changing or moving the tool itself is not a duplicate.
    expect(await write(PRICE, KNOWN.replace('with tax', 'with the tax'))).toMatchObject({ success: true });
    await kernel.git.move(PRICE, 'tools/shop/gross.ts');
    expect(existsSync(join(rootDir, 'tools/shop/gross.ts'))).toBe(true);
  });

  it('is refused if it has the same code, whatever its name, comments and white space', async () => {
    const { kernel, tools } = await createKernel({ memory: 'off', reuse: 'strict' });
    const write = (/** @type {string} */ path, /** @type {string} */ content) =>
      tools.write_file.execute({ path, content });
    const bare = 'export default (args: { n: number }) => args.n + 1;\n';
    await write('tools/a/successor.ts', bare);
    await write('tools/a/gross.ts', KNOWN);
    for (const [path, content, existing] of /** @type {const} */ ([
      ['tools/b/next_integer.ts', bare, 'tools/a/successor.ts'],
      ['tools/b/total.ts', KNOWN, 'tools/a/gross.ts'],
      [
        'tools/b/total.ts',
        KNOWN.replace('Price of an article with tax.', 'Weekly mail to customers.'),
        'tools/a/gross.ts',
      ],
      ['tools/b/total.ts', KNOWN.replace('return', '// With tax.\n\n    return'), 'tools/a/gross.ts'],
    ])) {
      await expect(write(path, content), path).rejects.toMatchObject({
        code: 'ERR_DUPLICATE',
        message: expect.stringContaining(`${path} was not written: ${existing} has the same code (reuse is 'strict').`),
        details: { existing },
      });
    }
    // The same text imports another file in another folder.
    const importer = (/** @type {string} */ base) =>
      `import base from './base';\n${base}export default () => base();\n`;
    await write('tools/a/base.ts', '/** Price of apples. */\nexport default () => 1;\n');
    await write('tools/b/base.ts', '/** Parcels that were counted today. */\nexport default () => 2;\n');
    await write('tools/a/use.ts', importer(''));
    expect(await write('tools/b/apply.ts', importer(''))).toMatchObject({ success: true });
    // A move is not a copy.
    await kernel.git.move('tools/a/gross.ts', 'tools/c/gross.ts');
    expect(await write('tools/a/successor.ts', bare)).toMatchObject({ success: true });
  });

  it('is not checked if reuse is off', async () => {
    const { write } = await scene({ reuse: 'off' });
    expect(await write('tools/shop/total.ts', TWIN)).not.toHaveProperty('similar');
  });

  it('is not detected by inconclusive runs: a single one, or runs with equal results', async () => {
    const { tools } = await createKernel({ memory: 'off' });
    const write = (/** @type {string} */ path, /** @type {string} */ content) =>
      tools.write_file.execute({ path, content });
    await write('tools/a/is_adult.ts', tool('Whether a person is of age.', 'age: number', 'return args.age >= 18;'));
    for (const age of [20, 30, 40]) await tools.exec_tool.execute({ path: 'tools/a/is_adult.ts', args: { age } });
    const senior = tool('Whether a person is of pension age.', 'years: number', 'return args.years >= 18.5;');
    expect(await write('tools/b/is_senior.ts', senior)).not.toHaveProperty('similar');
  });

  it('runs in trials without host functions', async () => {
    /** @type {unknown[]} */
    const called = [];
    const { tools } = await createKernel(
      { memory: 'off' },
      { sandboxAPI: { charge: (/** @type {unknown} */ amount) => void called.push(amount) } },
    );
    const write = (/** @type {string} */ path, /** @type {string} */ content) =>
      tools.write_file.execute({ path, content });
    await write(PRICE, KNOWN);
    for (const net of [1, 2, 3]) await tools.exec_tool.execute({ path: PRICE, args: { net, rate: 0.5 } });
    const charging = TWIN.replace('return', 'tgp.charge(args.amount);\n  return');
    await write('tools/shop/total.ts', charging);
    expect(called).toEqual([]);
  });
});

describe('kernel.stats()', () => {
  it('counts forged, reused, duplicate and refused tools by day, persistently', async () => {
    const { kernel, rootDir, write } = await scene({});
    await write('tools/shop/total.ts', TWIN);
    await write('tools/shop/tax_share.ts', OTHER);
    const total = { forged: 2, reused: 1, duplicate: 1, refused: 0 };
    const stats = await kernel.stats();
    expect(stats.total).toEqual(total);
    expect(stats.days).toEqual([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...total }]);
    expect(stats.memory).toMatchObject({ by: 'words' });
    await kernel.shutdown();

    const { kernel: next, tools } = await createKernel({ rootDir, memory: 'off', reuse: 'strict' });
    for (const net of [1, 2]) await tools.exec_tool.execute({ path: PRICE, args: { net, rate: 0.5 } });
    await tools.write_file.execute({ path: 'tools/shop/third.ts', content: TWIN }).catch(() => {});
    expect((await next.stats()).total).toEqual({ ...total, reused: 3, refused: 1 });
  });
});

it('counts are kept by a process that ends without a shutdown', async () => {
  const folder = await tempRoot();
  const program = `
    const kernel = new TGP({ config: { rootDir: './.tgp', memory: 'off' } });
    const tools = tgpTools(kernel);
    await tools.write_file.execute({ path: 'tools/one.ts', content: '/** One. */ export default () => 1;' });
    for (let run = 0; run < 3; run++) await kernel.exec('tools/one.ts');
    console.log(JSON.stringify((await kernel.stats()).total));`;
  const counted = { forged: 1, reused: 2, duplicate: 0, refused: 0 };
  expect(await runProgram(folder, program)).toEqual(counted);
  const { kernel } = await createKernel({ rootDir: join(folder, '.tgp'), memory: 'off' });
  expect((await kernel.stats()).total).toEqual(counted);
  await kernel.registry.hydrate();
  expect(kernel.registry.list()).toMatchObject([{ path: 'tools/one.ts', uses: 3 }]);
});

describe('the development set', () => {
  /** @param {import('../fixtures/reuse_set.js').Written} written */
  const source = ({ description, parameters, body }) => tool(description, parameters, body);

  it.skipIf(!hasWeights)('every duplicate is reported, and no tool that is only similar', async () => {
    const { kernel, tools } = await applicationWithMemory();
    for (const { path, known, runs } of JOBS) {
      await tools.write_file.execute({ path, content: source(known) });
      for (const args of runs) await tools.exec_tool.execute({ path, args });
    }
    await kernel.registry.remember();
    /** @type {string[]} */
    const wrong = [];
    for (const { path, twin, other } of JOBS) {
      const [, , file = ''] = path.split('/');
      for (const [written, isSame] of /** @type {const} */ ([
        [twin, true],
        [other, false],
      ])) {
        const content = source(written);
        const { similar = [] } = await tools.write_file.execute({ path: `tools/new/${isSame}_${file}`, content });
        if (similar.some((same) => same.path === path) !== isSame) wrong.push(`${written.description} ${isSame}`);
        await kernel.git.remove(`tools/new/${isSame}_${file}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
