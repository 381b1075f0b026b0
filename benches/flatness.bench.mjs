/**
 * Whether the hundred thousandth warm run costs as much as the thousandth, and the memory of host and workers by then. Cost is
 * the CPU time of host and workers together, which does not depend much on other load. `RUNS=100000` is the default.
 */

import { treeCpuMs, treeMemory } from '../tools/process_tree.mjs';
import { createKernel } from './kernel.mjs';
import { percentile } from './measure.mjs';
import { record } from './record.mjs';

const RUNS = Number(process.env.RUNS ?? 100_000);
const MARKS = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000].filter((mark) => mark <= RUNS);
const LANES = 4;

for (const isolation of /** @type {const} */ (['process', 'thread'])) {
  const tool = { 'tools/next.ts': 'export default (args: { n: number }) => args.n + 1' };
  const { kernel, close } = await createKernel(tool, { isolation, workers: 2, warm: 2 });
  await kernel.exec('tools/next.ts', { n: 0 });
  process.stdout.write(`\n${isolation}: ${RUNS} warm runs, ${LANES} at once, 2 workers\n`);
  let done = 0;
  for (const mark of MARKS) {
    /** @type {number[]} */
    const times = [];
    const before = { cpu: treeCpuMs(process.pid), runs: done };
    const lane = async () => {
      while (done < mark) {
        const n = done++;
        const start = performance.now();
        const { result } = await kernel.exec('tools/next.ts', { n });
        if (result !== n + 1) throw new Error(`${n} + 1 came back as ${result}`);
        times.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const cpu = (treeCpuMs(process.pid) - before.cpu) / (done - before.runs);
    const { host, workers } = treeMemory(process.pid);
    record(isolation, times, { group: 'a run', at: done, facts: { cpuMs: cpu, hostMb: host, workersMb: workers } });
    const cells = [
      `run ${String(before.runs).padStart(6)} to ${String(done).padStart(6)}`,
      `CPU ${cpu.toFixed(3)} ms a run`,
      `p50 ${percentile(times, 0.5).toFixed(2)} ms`,
      `p95 ${percentile(times, 0.95).toFixed(2)} ms`,
      `host ${host.toFixed(0).padStart(4)} MB (JavaScript ${(process.memoryUsage().heapUsed / 1048576).toFixed(0)} MB)`,
      `workers ${workers.toFixed(0).padStart(4)} MB`,
    ];
    process.stdout.write(`  ${cells.join('  ')}\n`);
  }
  await close();
}
