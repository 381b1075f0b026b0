/** Runs per second by number of workers: for a small tool, and for one that computes for a while. */

import { availableParallelism } from 'node:os';
import { createKernel } from './kernel.mjs';
import { percentile } from './measure.mjs';
import { QUICK, record } from './record.mjs';

const WORKERS = [...new Set([1, 2, 3, 4, availableParallelism(), 2 * availableParallelism()])]
  .filter((count) => count <= 64)
  .sort((a, b) => a - b);
const WINDOWS = QUICK ? 3 : 15;
const WINDOW_MS = QUICK ? 250 : 1000;
/** The number of queued runs per worker. */
const LANES_EACH = 4;
const TOOLS = {
  'a small tool': { path: 'tools/next.ts', content: 'export default (args: { n: number }) => args.n + 1' },
  'a tool of 5 ms': {
    path: 'tools/work.ts',
    content: 'const end = Date.now() + 5; while (Date.now() < end); return args.n + 1',
  },
};

/** @type {Record<string, string>} */
const sources = Object.fromEntries(Object.values(TOOLS).map(({ path, content }) => [path, content]));
for (const isolation of /** @type {const} */ (['process', 'thread'])) {
  for (const workers of WORKERS) {
    const { kernel, close } = await createKernel(sources, { isolation, workers, warm: workers, timeoutMs: 1000 });
    for (const [name, { path }] of Object.entries(TOOLS)) {
      /** @type {number[]} */
      const rates = [];
      for (let window = -1; window < WINDOWS; window++) {
        const begun = performance.now();
        let done = 0;
        const lane = async () => {
          while (performance.now() - begun < WINDOW_MS) {
            const { result } = await kernel.exec(path, { n: done });
            if (typeof result !== 'number') throw new Error(`a number came back as ${result}`);
            done++;
          }
        };
        await Promise.all(Array.from({ length: LANES_EACH * workers }, lane));
        if (window >= 0) rates.push((1000 * done) / (performance.now() - begun));
      }
      record(`${isolation}, ${name}`, rates, { group: 'over workers', at: workers, unit: 'runs/s' });
      process.stdout.write(
        `  ${isolation.padEnd(8)} ${String(workers).padStart(2)} workers  ${name.padEnd(16)} ${percentile(rates, 0.5).toFixed(0).padStart(7)} runs/s\n`,
      );
    }
    await close();
  }
}
