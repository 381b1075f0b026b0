import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const CUT = '[log truncated: the limit of sandbox.logBytes is reached]';

describe('THREAT: log lines that use more memory than their text', () => {
  for (const isolation of /** @type {const} */ (['process', 'thread'])) {
    it(`are counted, including empty lines (${isolation})`, async () => {
      const { forge } = await createKernel({ sandbox: { isolation } });
      const { logs } = await forge('for (let i = 0; i < 3e5; i++) console.log(); return 1', {}, { timeoutMs: 10_000 });
      expect(logs.length).toBeGreaterThan(1000);
      expect(logs.length).toBeLessThan(10_000);
      expect(logs.at(-1)?.message).toContain(CUT);
    });
  }

  it('are counted when they come from nested runs', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/inner.ts',
      content: "export default () => { for (let i = 0; i < 5000; i++) console.log(''); }",
    });
    await tools.write_file.execute({
      path: 'tools/outer.ts',
      content: "export default async () => { for (let i = 0; i < 4; i++) await tgp.exec_tool('tools/inner.ts') }",
    });
    const { logs } = await kernel.exec('tools/outer.ts', {}, { timeoutMs: 5000 });
    expect(logs.length).toBeLessThan(10_000);
    expect(logs.at(-1)?.message).toContain(CUT);
  });

  it('of many short runs do not crash the worker', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/inner.ts',
      content: "export default () => { for (let i = 0; i < 1e6; i++) console.log('') }",
    });
    await tools.write_file.execute({
      path: 'tools/outer.ts',
      content: `export default async () => {
        const runs = Array.from({ length: 60 }, () => tgp.exec_tool('tools/inner.ts').then(() => 'ok', (error: any) => error.code));
        return [...new Set(await Promise.all(runs))];
      }`,
    });
    const { result } = await kernel.exec('tools/outer.ts', {}, { timeoutMs: 5000 });
    for (const outcome of result) expect(outcome).toBeOneOf(['ok', 'ERR_ISOLATE_TIMEOUT', 'ERR_LIMIT']);
  });

  it('within the limit are complete', async () => {
    const { forge } = await createKernel({ sandbox: { logBytes: 100 * (32 + 1) } });
    const { logs } = await forge("for (let i = 0; i < 100; i++) console.log('x'); return 1");
    expect(logs.map(({ message }) => message)).toEqual(Array(100).fill('x'));
    const more = await forge("for (let i = 0; i < 101; i++) console.log('x'); return 1");
    expect([more.logs.length, more.logs.at(-1)?.message]).toEqual([101, `… ${CUT}`]);
  });
});
