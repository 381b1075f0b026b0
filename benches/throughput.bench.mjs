/** Throughput of many concurrent runs on two workers. `flatness.bench.mjs` measures the long-term cost. */

import { treeMemory } from '../tools/process_tree.mjs';
import { createKernel } from './kernel.mjs';
import { percentile } from './measure.mjs';
import { record } from './record.mjs';

const RUNS = Number(process.env.RUNS ?? 20_000);
const LANES = 16;
const WINDOWS = 10;
/** Warm-up windows. */
const WARMUP = 1;

for (const isolation of /** @type {const} */ (['process', 'thread'])) {
  const tool = { 'tools/next.ts': 'export default (args: { n: number }) => args.n + 1' };
  const { kernel, close } = await createKernel(tool, { isolation, workers: 2, warm: 2 });
  await kernel.exec('tools/next.ts', { n: 0 });
  process.stdout.write(`\n${isolation}: ${RUNS} runs, ${LANES} at once, 2 workers\n`);
  let all = performance.now();
  /** @type {number[]} */
  const rates = [];
  for (let window = -WARMUP; window < WINDOWS; window++) {
    if (window === 0) all = performance.now();
    let left = Math.ceil(RUNS / WINDOWS);
    /** @type {number[]} */
    const times = [];
    const started = performance.now();
    const lane = async () => {
      while (left-- > 0) {
        const start = performance.now();
        const n = left;
        const { result } = await kernel.exec('tools/next.ts', { n });
        if (result !== n + 1) throw new Error(`${n} + 1 came back as ${result}`);
        times.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const rate = (times.length / (performance.now() - started)) * 1000;
    if (window < 0) continue;
    rates.push(rate);
    const { host, workers } = treeMemory(process.pid);
    process.stdout.write(
      `  after ${String((window + 1) * times.length).padStart(7)}: ${rate.toFixed(0).padStart(6)} runs/s  p50 ${percentile(times, 0.5).toFixed(2)} ms  host ${host.toFixed(0)} MB  workers ${workers.toFixed(0)} MB\n`,
    );
  }
  process.stdout.write(`  overall ${((RUNS / (performance.now() - all)) * 1000).toFixed(0)} runs/s\n`);
  record(isolation, rates, { group: `${LANES} at once, 2 workers`, unit: 'runs/s' });
  await close();
}
