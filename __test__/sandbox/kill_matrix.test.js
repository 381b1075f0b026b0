import { readdirSync } from 'node:fs';
import { memoryUsage, platform } from 'node:process';
import { describe, expect, it } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { BOMBS } from '../../tools/bombs.mjs';
import { workers } from '../../tools/workers.mjs';
import { tempRoot } from '../helpers/temp_root.js';

/** Maximum growth of the host's memory after all bombs, in bytes. */
const GROWTH = 96 << 20;
/** Workers of this process; counted on Linux only. */
const liveWorkers = () => (platform === 'linux' ? workers() : []);
/** Threads of this process; counted on Linux only. */
const threads = () => (platform === 'linux' ? readdirSync('/proc/self/task').length : 0);
/** Maximum duration of a bomb: its CPU time, the grace period of an unresponsive worker, and slack for a busy machine. */
const WAIT_MS = 15_000;

describe('THREAT: guest code that ends, hangs or bloats the host', () => {
  it(`${BOMBS.length} bombs are ${BOMBS.length} typed errors, and the run after each works`, async () => {
    expect(BOMBS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(BOMBS.map(({ name }) => name)).size).toBe(BOMBS.length);
    const kernel = new TGP({ config: { rootDir: await tempRoot(), sandbox: { workers: 2, warm: 2 } } });
    const { write_file } = tgpTools(kernel);
    await write_file.execute({ path: 'tools/good.ts', content: 'export default (a: { n: number }) => a.n + 1' });
    for (const [index, { source }] of BOMBS.entries()) {
      await write_file.execute({ path: `tools/bomb_${index}.ts`, content: source });
    }
    await kernel.exec('tools/good.ts', { n: 0 });
    const before = { workers: liveWorkers(), rss: memoryUsage.rss(), threads: threads() };

    const wrong = [];
    for (const [index, { name, codes, timeoutMs }] of BOMBS.entries()) {
      const started = performance.now();
      const error = await kernel.exec(`tools/bomb_${index}.ts`, {}, { timeoutMs }).catch((error) => error);
      const took = performance.now() - started;
      const next = await kernel.exec('tools/good.ts', { n: index }).catch((error) => error);
      const typed = codes.includes(error.code) && typeof error.details?.stats?.wallMs === 'number';
      if (!typed || error.details.stats.wallMs <= 0 || took > WAIT_MS || next.result !== index + 1) {
        wrong.push({ name, code: error.code, message: error.message, stats: error.details?.stats, took, next });
      }
    }
    expect(wrong).toEqual([]);
    await expect.poll(threads).toBeLessThanOrEqual(before.threads);
    // The bombs ended only workers, and each was replaced by at most one.
    await expect.poll(() => liveWorkers().length).toBeLessThanOrEqual(before.workers.length);
    expect(liveWorkers().filter((worker) => before.workers.includes(worker))).toEqual([]);
    await kernel.shutdown();
    expect(liveWorkers()).toEqual([]);
    expect(memoryUsage.rss() - before.rss).toBeLessThan(GROWTH);
  });
});

describe('THREAT: one tool takes all workers', () => {
  it('a good tool does not wait for 100 bombs that were started before it', async () => {
    const kernel = new TGP({ config: { rootDir: await tempRoot(), sandbox: { workers: 2, warm: 2 } } });
    const { write_file } = tgpTools(kernel);
    await write_file.execute({ path: 'tools/good.ts', content: 'return args.n' });
    for (let index = 0; index < 10; index++) {
      await write_file.execute({ path: `tools/bomb_${index}.ts`, content: 'while (true) {}' });
    }
    await kernel.exec('tools/good.ts', { n: 0 });
    const started = performance.now();
    const bombs = Array.from({ length: 100 }, (_, index) =>
      kernel.exec(`tools/bomb_${index % 10}.ts`).catch((error) => error.code),
    );
    const latencies = [];
    for (let n = 0; n < 10; n++) {
      const submitted = performance.now();
      expect((await kernel.exec('tools/good.ts', { n })).result).toBe(n);
      latencies.push(performance.now() - submitted);
    }
    expect(await Promise.all(bombs)).toEqual(Array(100).fill('ERR_ISOLATE_TIMEOUT'));
    const all = performance.now() - started;
    // In a plain queue it would wait for all bombs; in a fair queue it waits only for those that run already.
    expect(Math.max(...latencies)).toBeLessThan(all / 3);
    await kernel.shutdown();
  });
});
