import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';

const RUNS = 400;

/** Resident memory of the only worker, in MB. */
function workerMb() {
  const [pid, ...others] = workers();
  expect(others).toEqual([]);
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

describe.runIf(process.platform === 'linux')('the memory of a worker', () => {
  it('is released when the worker is idle, and the worker stays', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1, warm: 1 } });
    await forge('export default (args: { n: number }): number => args.n + 1', { n: 1 });
    const [pid] = workers();
    const before = workerMb();
    let peak = before;
    for (let n = 0; n < RUNS; n++) {
      await kernel.exec('tools/test/forged.ts', { n });
      if (n % 20 === 0) peak = Math.max(peak, workerMb());
    }
    expect(peak).toBeGreaterThan(before + 10);
    const half = (before + peak) / 2;
    await vi.waitFor(() => expect(workerMb()).toBeLessThan(half), { timeout: 30_000, interval: 250 });
    expect(workers()).toEqual([pid]);
    expect((await kernel.exec('tools/test/forged.ts', { n: 41 })).result).toBe(42);
  }, 60_000);
});
