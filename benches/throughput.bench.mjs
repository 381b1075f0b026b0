/** Many runs at once on two workers, and whether the hundred thousandth costs what the first did. `RUNS=100000` for all. */

import { readdirSync, readFileSync } from 'node:fs';
import { createKernel } from './kernel.mjs';
import { percentile } from './measure.mjs';

const RUNS = Number(process.env.RUNS ?? 20_000);
const LANES = 16;
const WINDOWS = 10;

/** Resident memory of this process's workers, in MB. */
function workersMb() {
  let kb = 0;
  if (process.platform !== 'linux') return Number.NaN;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (!status.startsWith('Name:\ttgp-sandbox') || !status.includes(`PPid:\t${process.pid}\n`)) continue;
      kb += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    } catch {
      // The process ended while it was looked at.
    }
  }
  return kb / 1024;
}

for (const isolation of /** @type {const} */ (['process', 'thread'])) {
  const tool = { 'tools/next.ts': 'export default (args: { n: number }) => args.n + 1' };
  const { kernel, close } = await createKernel(tool, { isolation, workers: 2, warm: 2 });
  await kernel.exec('tools/next.ts', { n: 0 });
  process.stdout.write(`\n${isolation}: ${RUNS} runs, ${LANES} at once, 2 workers\n`);
  const all = performance.now();
  for (let window = 0; window < WINDOWS; window++) {
    let left = Math.ceil(RUNS / WINDOWS);
    /** @type {number[]} */
    const times = [];
    const started = performance.now();
    const lane = async () => {
      while (left-- > 0) {
        const asked = performance.now();
        await kernel.exec('tools/next.ts', { n: left });
        times.push(performance.now() - asked);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const rate = (times.length / (performance.now() - started)) * 1000;
    const host = process.memoryUsage.rss() / 1048576;
    process.stdout.write(
      `  after ${String((window + 1) * times.length).padStart(7)}: ${rate.toFixed(0).padStart(6)} runs/s  p50 ${percentile(times, 0.5).toFixed(2)} ms  host ${host.toFixed(0)} MB  workers ${workersMb().toFixed(0)} MB\n`,
    );
  }
  process.stdout.write(`  overall ${((RUNS / (performance.now() - all)) * 1000).toFixed(0)} runs/s\n`);
  await close();
}
