import { expect, it } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const RESULTS = `
  const { readFileSync } = await import('node:fs');
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--expose-gc');
  const collect = (await import('node:vm')).runInNewContext('gc');
  const megabytes = () => {
    collect();
    return Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  };
  const sandbox = { timeoutMs: 5000, memoryMb: 256, resultBytes: 64 << 20 };
  const kernel = new TGP({ config: { rootDir: './.tgp', ledger: false, sandbox } });
  const content = 'export default (args: { megabytes: number }) => "x".repeat(args.megabytes * 1048576)';
  await tgpTools(kernel).write_file.execute({ path: 'tools/large.ts', content });
  const run = (megabytes) => kernel.exec('tools/large.ts', { megabytes });
  await Promise.all([1, 1, 1, 1].map(run));
  const before = megabytes();
  for (let round = 0; round < 12; round++) await Promise.all([3, 11, 19, 27].map((size) => run(size + (round % 3))));
  // V8 frees the memory of large strings some time after their collection.
  let more = Infinity;
  for (let attempt = 0; attempt < 20 && more > 40; attempt++) {
    await run(1);
    await new Promise((done) => setTimeout(done, 500));
    more = Math.min(more, megabytes() - before);
  }
  console.log(JSON.stringify({ more }));
  await kernel.shutdown();`;

it.runIf(process.platform === 'linux')(
  'the host process frees the memory of large results, whatever the allocator keeps',
  async () => {
    const { more } = await runProgram(await tempRoot(), RESULTS, { MALLOC_MMAP_THRESHOLD_: undefined });
    expect(more).toBeLessThan(40);
  },
);
