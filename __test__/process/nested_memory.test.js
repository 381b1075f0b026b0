import { describe, expect, it } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** A host that runs `fan.ts` and then a second tool, and reports the growth of its peak memory. */
const program = (/** @type {string} */ fan, /** @type {object} */ sandbox) => `
  import { readFileSync } from 'node:fs';
  const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  const kernel = new TGP({
    config: { rootDir: './.tgp', sandbox: ${JSON.stringify(sandbox)} },
    sandboxAPI: { hold: () => new Promise((done) => setTimeout(done, 300)) },
  });
  const { write_file } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/fan.ts', content: ${JSON.stringify(fan)} });
  await write_file.execute({ path: 'tools/good.ts', content: 'export default () => 1' });
  await kernel.exec('tools/good.ts');
  const idle = peak();
  const run = kernel.exec('tools/fan.ts', { n: 0 }, { timeoutMs: 4000, wallMs: 5000, memoryMb: 128 });
  const end = await run.then(() => 'value', (error) => error.code);
  const good = await kernel.exec('tools/good.ts').then(({ result }) => result, (error) => error.code);
  await kernel.shutdown();
  console.log(JSON.stringify({ end, good, growth: peak() - idle }));
`;

/** A small heap, so that uncollected garbage of Node does not count. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' };

const SHAPES = {
  'arguments of nested runs at every level': `export default async (a: { n: number }) => {
    const s = 'x'.repeat(3_000_000);
    for (let i = 0; i < 5; i++) await Promise.allSettled(Array.from({ length: 60 }, () => tgp.exec_tool('tools/fan.ts', { n: a.n + 1, s })));
    return a.n;
  }`,
  'results of nested runs': `export default async (a: { n: number }) => {
    if (a.n > 0) return 'x'.repeat(7_000_000);
    for (let i = 0; i < 5; i++) await Promise.allSettled(Array.from({ length: 60 }, () => tgp.exec_tool('tools/fan.ts', { n: 1 })));
    return 0;
  }`,
  'arguments of calls to the application': `export default async () => {
    const s = 'x'.repeat(3_000_000);
    for (let i = 0; i < 5; i++) await Promise.allSettled(Array.from({ length: 60 }, () => tgp.hold(s)));
    return 0;
  }`,
  'wide arguments': `export default async () => {
    const wide = Array(1_900_000).fill(0);
    for (let i = 0; i < 5; i++) try { (tgp as any).write_file('/tmp/x', wide) } catch {}
    return 0;
  }`,
};

describe.skipIf(process.platform !== 'linux')('THREAT: a run that bloats the host through nested runs', () => {
  for (const [shape, fan] of Object.entries(SHAPES)) {
    it(`stays below 200 MB: ${shape}`, async () => {
      const { good, growth } = await runProgram(
        await tempRoot(),
        program(fan, { workers: 2, nestedTimeoutMs: 60_000 }),
        SMALL_HEAP,
      );
      expect(good).toBe(1);
      expect(growth).toBeLessThan(200);
    });
  }
});
