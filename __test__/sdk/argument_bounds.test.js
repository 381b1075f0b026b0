import { describe, expect, test } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

const LARGE = 'x'.repeat(40 << 20);
const TOO_LARGE = {
  code: 'ERR_VALIDATION',
  message: expect.stringMatching(/^The arguments of the call are more than \d+ bytes/),
};

/** @param {Promise<unknown>} call */
const failureOf = (call) =>
  call.then(
    () => undefined,
    (/** @type {any} */ { code, message }) => ({ code, message }),
  );

describe('arguments beyond every limit', () => {
  test('are refused before rules, approvals and the ledger see them', async () => {
    const approvals = [];
    const { kernel, tools } = await createKernel(
      { policy: { default: 'ask' } },
      {
        approve: async (/** @type {unknown} */ request) => {
          approvals.push(request);
          return false;
        },
      },
    );
    const many = Array.from({ length: 4_000_000 }, () => []);
    /** @type {[string, () => Promise<unknown>][]} */
    const calls = [
      ['write_file', () => tools.write_file.execute({ path: 'tools/a.ts', content: LARGE })],
      ['patch_file', () => tools.patch_file.execute({ path: 'tools/a.ts', search: LARGE, replace: '' })],
      ['exec_tool', () => tools.exec_tool.execute({ path: 'tools/a.ts', args: { text: LARGE } })],
      ['exec_tool, many values', () => tools.exec_tool.execute({ path: 'tools/a.ts', args: { many } })],
      ['exec_tool, a long name', () => tools.exec_tool.execute({ path: 'tools/a.ts', args: { [LARGE]: 1 } })],
      ['run_code', () => tools.run_code.execute({ code: 'export default () => 1', args: { text: LARGE } })],
      ['read_file', () => tools.read_file.execute({ path: LARGE })],
    ];
    for (const [name, call] of calls) expect(await failureOf(call()), name).toEqual(TOO_LARGE);
    expect(approvals).toEqual([]);
    await kernel.shutdown();
  });

  test('are measured against the configured limits', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { argsBytes: 64 << 20, timeoutMs: 20_000 } });
    const content = 'export default (args: { text: string }): number => args.text.length;\n';
    await tools.write_file.execute({ path: 'tools/long.ts', content });
    const text = LARGE.slice(0, 12 << 20);
    const done = await tools.exec_tool.execute({ path: 'tools/long.ts', args: { text } });
    expect(done).toMatchObject({ success: true, result: text.length });
    await kernel.shutdown();
  });

  test('are refused by tools for a database', async () => {
    const tools = createSqlTools(sqlite(':memory:'));
    expect(await failureOf(tools.exec_sql.execute({ sql: 'SELECT ?', params: [LARGE] }))).toEqual(TOO_LARGE);
    const [row] = await tools.exec_sql.execute({ sql: 'SELECT length(?) AS n', params: [Buffer.alloc(1 << 20)] });
    expect(row).toEqual({ n: 1 << 20 });
  });
});
