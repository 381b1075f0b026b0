import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqlTools, handleToolCall, sqlite, TGP, tgpTools } from '../../index.js';
import { MISTAKES, PATH } from '../helpers/model_mistakes.js';

/**
 * The exact messages that models get for their mistakes, for review: `../fixtures/mistakes.md`. After a message was changed on
 * purpose, `npx vitest run __test__/sdk/mistakes.test.js -u` writes the file again.
 */
const FEWEST = 40;

const DIM_WEIGHT = `/** Dimensional weight of a parcel: its volume by a divisor. */
export default (args: { length: number; width: number; height: number; divisor: number }): number => {
  return (args.length * args.width * args.height) / args.divisor;
};
`;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @type {Record<'usual' | 'bare' | 'strict', { kernel: TGP, tools: any, root: string }>} */
let kernels;
let folder = '';
/** @type {string[]} */
const texts = [];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tgp-test-')));
  const database = sqlite(join(folder, 'app.db'));
  const sqlTools = createSqlTools(database);
  /**
   * @param {string} name
   * @param {import('../../index.js').TGPConfigInput} config
   * @param {object} options
   */
  const make = async (name, config, options) => {
    const root = join(folder, name);
    const kernel = new TGP({ config: { ...config, rootDir: root }, logger: silent, ...options });
    await kernel.boot();
    const tools = { ...tgpTools(kernel), ...sqlTools };
    await tools.write_file.execute({ path: 'tools/shipping/dim_weight.ts', content: DIM_WEIGHT });
    await tools.write_file.execute({ path: 'data/rates.json', content: '{}' });
    return { kernel, tools, root };
  };
  const sandboxAPI = {
    send_mail: (/** @type {string} */ to) => {
      if (!to.includes('@')) throw new Error(`"${to}" is no mail address`);
    },
  };
  kernels = {
    usual: await make(
      'usual',
      {
        allowedImports: ['zod', 'date-fns'],
        allowedFetchUrls: ['https://api.example.com/v1', 'http://127.0.0.1:9'],
        sandbox: { timeoutMs: 1000 },
      },
      { sql: database, sandboxAPI },
    ),
    bare: await make('bare', {}, {}),
    strict: await make('strict', { check: 'strict' }, {}),
  };
  const open = createSqlTools(database, { ddl: true });
  await open.exec_sql.execute({ sql: 'CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, plan TEXT)' });
});

afterAll(async () => {
  await Promise.all(Object.values(kernels).map(({ kernel }) => kernel.shutdown()));
  await rm(folder, { recursive: true, force: true });
});

describe('messages to a model after a mistake', () => {
  test.each(MISTAKES)('$mistake', async ({ mistake, tool, call, kernel = 'usual' }) => {
    const { kernel: tgp, tools, root } = kernels[kernel];
    if (tool !== undefined) {
      // Without the kernel: the report of write_file is not under test.
      await mkdir(dirname(join(root, PATH)), { recursive: true });
      await writeFile(join(root, PATH), tool);
      // The registry scans by itself only every second, and arguments are validated against its entries.
      await tgp.registry.hydrate();
    }
    const block = { type: 'tool_use', id: 'call', name: call.name, input: call.args };
    const { content } = await handleToolCall(tools, /** @type {any} */ (block));
    texts.push(entry(mistake, tool, call, content));
    expect(content, 'no path of the host').not.toContain(dirname(root));
    expect(content, 'no advice that only the owner can follow').not.toMatch(/\braise\b|\bnpm\b|allowedFetchUrls/i);
  });

  test('are the reviewed texts', async () => {
    expect(texts.length).toBeGreaterThanOrEqual(FEWEST);
    const heading = '# Mistakes that models make, and the exact text each of them gets\n';
    await expect([heading, ...texts].join('\n')).toMatchFileSnapshot('../fixtures/mistakes.md');
  });
});

/**
 * @param {string} mistake
 * @param {string | undefined} tool
 * @param {{ name: string, args: unknown }} call
 * @param {string} text
 */
function entry(mistake, tool, { name, args }, text) {
  const source = tool === undefined ? [] : ['```ts', tool, '```', ''];
  const given = typeof args === 'string' ? args : JSON.stringify(args);
  return [`## ${mistake}`, '', ...source, `\`${name}\` ${given}`, '', '```text', normalised(text), '```', ''].join(
    '\n',
  );
}

/**
 * Replaces values that differ between runs.
 * @param {string} text
 */
function normalised(text) {
  return text
    .replace(/"(cpuMs|wallMs|queueMs|heapPeakBytes)":[\d.]+/g, '"$1":0')
    .replace(/"commit":"[0-9a-f]+"/g, '"commit":"…"')
    .replace(/\bin commit [0-9a-f]{40}\b/g, 'in commit …');
}
