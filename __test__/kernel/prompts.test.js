/**
 * The prompts of five configurations, for review: `../fixtures/prompts/`. After an intended change of a text,
 * `npx vitest run __test__/kernel/prompts.test.js -u` writes the files again.
 */

import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { sqlite, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** The limit without the list of tools. */
const MAX_TOKENS = 1500;

const REACH = {
  allowedImports: ['zod', 'date-fns'],
  allowedFetchUrls: ['https://api.stripe.com/v1', 'https://api.github.com'],
  fs: { allowedDirs: ['./public/exports'] },
};
const FUNCTIONS = { send_mail: () => {}, current_user: () => {} };

const database = async () => sqlite(join(await tempRoot(), 'app.db'));

/** @type {Record<string, () => Promise<Awaited<ReturnType<typeof createKernel>>>>} */
const CONFIGURATIONS = {
  none: () => createKernel({ allowedImports: [], fs: { allowedDirs: [] } }),
  sql: async () => createKernel({}, { sql: { source: await database(), readOnly: true } }),
  reach: () => createKernel(REACH),
  functions: () => createKernel({}, { sandboxAPI: FUNCTIONS }),
  all: async () => {
    const made = await createKernel(REACH, { sql: await database(), sandboxAPI: FUNCTIONS });
    for (let index = 0; index < 40; index++) {
      const content = `/** Report number ${index}, by region. */\nexport default (args: { year: number; region?: string }): number => args.year;\n`;
      await made.tools.write_file.execute({
        path: `tools/reports/report_${String(index).padStart(2, '0')}.ts`,
        content,
      });
    }
    return made;
  },
};

describe('the prompt of the configuration', () => {
  test.each(Object.keys(CONFIGURATIONS))('%s equals the reviewed file', async (name) => {
    const { kernel } = await /** @type {any} */ (CONFIGURATIONS)[name]();
    await kernel.boot();
    const prompt = kernel.getSystemPrompt();
    const fixed = prompt.slice(0, prompt.indexOf('\n# Tools that exist'));
    const counts = { all: encode(prompt).length, fixed: encode(fixed).length };
    expect(counts.fixed).toBeLessThanOrEqual(MAX_TOKENS);
    const head = `<!-- ${counts.all} tokens, ${counts.fixed} without the tools that exist (o200k_base) -->`;
    await expect(`${head}\n\n${prompt}\n`).toMatchFileSnapshot(`../fixtures/prompts/${name}.md`);
  });
});

describe('the prompt describes the workspace:', () => {
  test('limits, packages, addresses and folders', async () => {
    const sandbox = { timeoutMs: 250, wallMs: 5000, memoryMb: 96, resultBytes: 3 << 20 };
    const { kernel } = await createKernel({ ...REACH, sandbox });
    await kernel.boot();
    const prompt = kernel.getSystemPrompt();
    for (const fact of ['250 ms of CPU time', '5 s in all', '96 MB of memory', 'result 3 MB'])
      expect(prompt).toContain(fact);
    for (const fact of ['zod, date-fns', 'https://api.stripe.com/v1', './public/exports'])
      expect(prompt).toContain(fact);
    expect(prompt).toMatch(/Never call Date\.now\(\).*Math\.random\(\)/);
  });

  test('the dialect and placeholders of the database, and no SQL without one', async () => {
    const without = await createKernel();
    expect(without.kernel.getSystemPrompt()).not.toMatch(/exec_sql|Database/);
    const { kernel } = await createKernel({}, { sql: { source: await database(), readOnly: true } });
    expect(kernel.getSystemPrompt()).toMatch(/Database: SQLite .*placeholders \? or :name.*Read-only/);
    expect(kernel.getSystemPrompt()).toContain('exec_sql<Row');
  });

  test('no fetch without allowed addresses', async () => {
    const { kernel } = await createKernel();
    expect(kernel.getSystemPrompt()).toContain('Network: none.');
    expect(kernel.getSystemPrompt()).not.toMatch(/fetch|postJson/);
  });

  test('one order of work: find_tool first, and the meaning of its scores', async () => {
    const { kernel, tools } = await createKernel();
    const prompt = kernel.getSystemPrompt();
    expect(prompt).toMatch(
      /^1\. Search: call find_tool .*above 0\.85.*0\.4 to 0\.85: read_file it, then use or extend it/m,
    );
    const starts = Object.entries(tgpTools(kernel)).filter(([, { description }]) => /start here/i.test(description));
    expect(starts.map(([name]) => name)).toEqual(['find_tool']);
    expect(tools.find_tool.description).toContain('From 0.4 to 0.85');
  });

  test('in strict mode the test comes first, and run_code is for where it is exempt', async () => {
    const options = async () => ({ sql: { source: await database(), readOnly: true } });
    const { kernel } = await createKernel({ mode: 'strict' }, await options());
    await kernel.boot();
    for (const maxTokens of [50, 150, 300, 600, 1500, 4000]) {
      const prompt = kernel.getSystemPrompt({ maxTokens });
      expect(prompt, String(maxTokens)).not.toContain('run_code');
      expect(prompt, String(maxTokens)).toContain('test_tool');
    }
    expect(kernel.getSystemPrompt()).toMatch(/repair the cause, check, test, run again[\s\S]*else with a tool\./);
    const exempt = await createKernel({ mode: 'strict', exempt: ['tools/.code.ts'] }, await options());
    await exempt.kernel.boot();
    expect(exempt.kernel.getSystemPrompt()).toMatch(/goes through run_code[\s\S]*else with run_code\./);
    const { kernel: usual } = await createKernel();
    await usual.boot();
    expect(usual.getSystemPrompt({ mode: 'strict' })).not.toContain('run_code');
    expect(usual.getSystemPrompt()).toMatch(/goes through run_code/);
  });

  test('live tools with the names for models', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/money/convert.ts',
      content: '/** Converts. */ export default () => 1',
    });
    expect(kernel.getSystemPrompt()).toContain('- tools/money/convert.ts {}');
    const live = await kernel.liveTools(tools);
    const name = Object.keys(live).find((key) => !(key in tools));
    expect(kernel.getSystemPrompt()).toContain(`- tools/money/convert.ts = ${name} {}`);
  });
});
