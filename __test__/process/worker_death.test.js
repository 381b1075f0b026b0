import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { signalWorkers, workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';

async function until(condition, what) {
  for (let i = 0; i < 3000; i++) {
    if (condition()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`not within 30 s: ${what}`);
}

/** A kernel with one worker, and a promise that resolves when a run calls `tgp.begun()`. */
async function kernelWithBegun() {
  let resolveBegun = () => {};
  const begun = new Promise((done) => {
    resolveBegun = () => done(undefined);
  });
  const made = await createKernel({ sandbox: { workers: 1 } }, { sandboxAPI: { begun: () => resolveBegun() } });
  return { ...made, begun };
}

describe('a worker that is killed or stopped', () => {
  it('between runs: the next run works', async () => {
    const { forge } = await createKernel({ sandbox: { workers: 1 } });
    for (let round = 0; round < 10; round++) {
      expect((await forge('return args.n', { n: round })).result).toBe(round);
      signalWorkers();
    }
    expect((await forge('return 1')).result).toBe(1);
  });

  it('during a run: that run is ERR_ISOLATE_CRASHED, the next one works', async () => {
    const { forge, begun } = await kernelWithBegun();
    await forge('return 1');
    const run = forge('await tgp.begun(); while (true) {}', {}, { timeoutMs: 20_000 }).catch((error) => error);
    await begun;
    signalWorkers();
    expect(await run).toMatchObject({ code: 'ERR_ISOLATE_CRASHED' });
    expect((await forge('return 2')).result).toBe(2);
  });

  it('with SIGSTOP: the host ends it after the wall-clock limit', async () => {
    const { forge, begun } = await kernelWithBegun();
    await forge('return 1');
    const limits = { timeoutMs: 3_000, wallMs: 3_000 };
    const run = forge('await tgp.begun(); while (true) {}', {}, limits).catch((error) => error);
    await begun;
    signalWorkers('SIGSTOP');
    expect(await run).toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    expect((await forge('return 2')).result).toBe(2);
  });
});

describe('the host', () => {
  it('has no worker, descriptor or thread of the kernel after shutdown', async () => {
    const count = (folder) => readdirSync(`/proc/self/${folder}`).length;
    const warmup = await createKernel();
    await warmup.forge('return 1');
    await warmup.kernel.shutdown();
    await until(() => workers().length === 0, 'workers are gone');
    const before = { fd: count('fd'), task: count('task') };
    for (let i = 0; i < 5; i++) {
      const { kernel, forge } = await createKernel({ sandbox: { workers: 2, warm: 2 } });
      await Promise.allSettled([forge('return 1'), forge('while (true) {}'), forge('return Array(1e9).fill(0)')]);
      await kernel.shutdown();
      await kernel.shutdown();
      await expect(forge('return 1')).rejects.toMatchObject({ code: 'ERR_SHUTDOWN' });
    }
    await until(() => workers().length === 0, 'workers are gone');
    await until(
      () => count('fd') <= before.fd && count('task') <= before.task,
      'descriptors and threads are back to the baseline',
    );
  });

  it('shutdown ends current and queued runs', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1 } });
    await forge('return 1');
    const runs = [1, 2, 3].map((n) =>
      kernel.exec('tools/test/forged.ts', { n }, { timeoutMs: 10_000 }).catch((error) => error),
    );
    const endless = forge('while (true) {}', {}, { timeoutMs: 10_000 }).catch((error) => error);
    await new Promise((done) => setTimeout(done, 100));
    await kernel.shutdown();
    await Promise.all(runs);
    expect(await endless).toMatchObject({ code: 'ERR_SHUTDOWN' });
    await until(() => workers().length === 0, 'workers are gone');
  });

  it('gives a worker no environment and no open files', async () => {
    const { forge } = await createKernel({ sandbox: { workers: 1 } });
    await forge('return 1');
    for (const pid of workers()) {
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
      expect(readdirSync(`/proc/${pid}/fd`).map(Number).sort()).toEqual([0, 1, 2]);
    }
  });
});
