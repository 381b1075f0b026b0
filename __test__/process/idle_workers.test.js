import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { describe, expect, it, vi } from 'vitest';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const SLEEP = 'await new Promise((done) => setTimeout(done, 150)); return args.n';
const eventually = (/** @type {number} */ count) =>
  vi.waitFor(() => expect(workers().length).toBe(count), { timeout: 15_000, interval: 20 });

/**
 * A kernel with tools that return the number of workers during their run.
 * @param {import('../../index.js').TGPConfigInput['sandbox']} sandbox
 */
async function countingKernel(sandbox) {
  let met = 0;
  let open = () => {};
  const all = new Promise((resolve) => {
    open = () => resolve(undefined);
  });
  const { kernel, tools } = await createKernel(
    { sandbox },
    {
      sandboxAPI: {
        look: () => workers().length,
        meet: async () => {
          if (++met === 3) open();
          await all;
          return workers().length;
        },
      },
    },
  );
  await tools.write_file.execute({ path: 'tools/look.ts', content: 'return tgp.look()' });
  await tools.write_file.execute({ path: 'tools/meet.ts', content: 'return tgp.meet()' });
  return {
    countInRun: async () => (await kernel.exec('tools/look.ts')).result,
    /** The counts of three runs at the same time. */
    countInThreeRuns: async () => {
      const runs = await Promise.all([1, 2, 3].map(() => kernel.exec('tools/meet.ts')));
      return runs.map(({ result }) => result);
    },
  };
}

describe.runIf(platform === 'linux')('unneeded workers', () => {
  it('end after sandbox.idleMs; the warm ones end later, and start again on demand', async () => {
    const { countInRun, countInThreeRuns } = await countingKernel({ workers: 3, warm: 1, idleMs: 500 });
    expect(await countInThreeRuns()).toEqual([3, 3, 3]);
    await eventually(1);
    await eventually(0);
    expect(await countInRun()).toBe(1);
  });

  it('all end with warm: 0', async () => {
    const { countInRun } = await countingKernel({ warm: 0, idleMs: 200 });
    expect(await countInRun()).toBe(1);
    await eventually(0);
    expect(await countInRun()).toBe(1);
  });

  it('end while other workers are used', async () => {
    const { countInRun, countInThreeRuns } = await countingKernel({ workers: 3, warm: 0, idleMs: 1000 });
    expect(await countInThreeRuns()).toEqual([3, 3, 3]);
    await vi.waitFor(async () => expect(await countInRun()).toBe(1), { timeout: 15_000, interval: 50 });
  });
});

describe.runIf(platform === 'linux')('several kernels of one root in one process', () => {
  it('keep idle workers only in the newest kernel, and all of them work', async () => {
    const { kernel: first, rootDir, forge } = await createKernel({ sandbox: { workers: 2, warm: 1, idleMs: 1000 } });
    expect((await forge('return args.n', { n: 0 })).result).toBe(0);
    const kernels = [first];
    for (let n = 1; n <= 5; n++) {
      const { kernel } = await createKernel({ rootDir, sandbox: { workers: 2, warm: 1, idleMs: 1000 } });
      expect((await kernel.exec('tools/test/forged.ts', { n })).result).toBe(n);
      kernels.push(kernel);
    }
    await eventually(1);
    const results = await Promise.all(kernels.map((kernel, n) => kernel.exec('tools/test/forged.ts', { n })));
    expect(results.map(({ result }) => result)).toEqual([0, 1, 2, 3, 4, 5]);
    await eventually(1);
  });

  it('keep idle workers in an older kernel again when the newer ones have shut down', async () => {
    const sandbox = { workers: 2, warm: 2 };
    const { kernel: first, rootDir, forge } = await createKernel({ sandbox });
    expect((await forge('return args.n', { n: 0 })).result).toBe(0);
    const { kernel: second } = await createKernel({ rootDir, sandbox });
    const { kernel: third } = await createKernel({ rootDir, sandbox });
    for (const kernel of [second, third]) await kernel.exec('tools/test/forged.ts', { n: 1 });
    await second.shutdown();
    await eventually(2);
    await third.shutdown();
    await eventually(0);
    expect((await first.exec('tools/test/forged.ts', { n: 2 })).result).toBe(2);
    await eventually(2);
  });

  it('do not interrupt a run when a newer kernel starts', async () => {
    const { kernel, rootDir, forge } = await createKernel();
    await forge(SLEEP, { n: 0 });
    const under = kernel.exec('tools/test/forged.ts', { n: 1 });
    const { kernel: newer } = await createKernel({ rootDir });
    expect((await newer.exec('tools/test/forged.ts', { n: 2 })).result).toBe(2);
    expect((await under).result).toBe(1);
  });
});

/** Counts threads and descriptors with two kernels, and with many of the same root that are all kept, as `next dev` does. */
const KEPT = `
  import { readdirSync } from 'node:fs';
  const count = () => ({ threads: readdirSync('/proc/self/task').length, files: readdirSync('/proc/self/fd').length });
  const kernels = [];
  const use = async () => {
    const kernel = new TGP({ config: { rootDir: './.tgp', sandbox: { idleMs: 200, warm: 1 } } });
    kernels.push(kernel);
    const content = 'import { sum } from "@tgp/std/stats"; export default (args: { n: number }): number => sum([args.n, 1]);';
    await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content });
    const { result } = await kernel.exec('tools/t.ts', { n: 1 });
    if (result !== 2) throw new Error('The run gave ' + result);
  };
  const settled = async (isEnough) => {
    for (let attempt = 0; attempt < 300 && !isEnough(); attempt++) await new Promise((done) => setTimeout(done, 50));
    return count();
  };
  await use();
  await use();
  const known = count();
  const before = await settled(() => count().threads < known.threads);
  for (let n = 0; n < 8; n++) await use();
  const after = await settled(() => count().threads <= before.threads && count().files <= before.files);
  for (const kernel of kernels) if ((await kernel.exec('tools/t.ts', { n: 2 })).result !== 3) throw new Error('A kernel did not run again.');
  console.log(JSON.stringify({ before, after }));
  process.exit();
`;

describe.runIf(platform === 'linux')('many kept kernels of one root', () => {
  it('use a bounded number of threads and descriptors, and all of them work', async () => {
    const { before, after } = await runProgram(await tempRoot(), KEPT);
    expect(after.threads).toBeLessThanOrEqual(before.threads);
    expect(after.files).toBeLessThanOrEqual(before.files);
  });
});

/** Functions of a program that count its resources and wait for garbage collection. */
const COUNTING = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const field = (text, name) => Number(new RegExp('^' + name + ':\\\\s+(\\\\d+)', 'm').exec(text)?.[1] ?? 0);
  const status = (pid) => { try { return readFileSync('/proc/' + pid + '/status', 'utf8'); } catch { return ''; } };
  const children = () => readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map(status)
    .filter((text) => field(text, 'PPid') === process.pid && !/^State:\\s+Z/m.test(text)).length;
  const settle = async (isEnough) => {
    for (let attempt = 0; attempt < 300 && !isEnough(); attempt++) {
      collect();
      await new Promise((done) => setTimeout(done, 20));
    }
  };
`;

/** Counts the resources of a process before and after it creates kernels without keeping them. */
const DROPPED = `
  ${COUNTING}
  const count = () => ({
    children: children(),
    threads: field(status('self'), 'Threads'),
    files: readdirSync('/proc/self/fd').length,
  });
  const known = [];
  const use = async (name) => {
    const kernel = new TGP({
      config: { rootDir: './' + name, check: 'strict', sandbox: { warm: 1 } },
      sandboxAPI: { echo: async (text) => { await kernel.find('anything'); return text; } },
    });
    known.push(new WeakRef(kernel));
    await tgpTools(kernel).write_file.execute({
      path: 'tools/t.ts',
      content: '/** Adds one. */\\nexport default async function add(args: { n: number }): Promise<number> {\\n  return args.n + 1;\\n}\\n',
    });
    const { result } = await kernel.exec('tools/t.ts', { n: 1 });
    if (result !== 2) throw new Error('The run gave ' + result);
    await kernel.check('tools/t.ts');
  };
  await use('first');
  await settle(() => children() === 0);
  const before = count();
  for (let n = 0; n < 8; n++) await use('root' + n);
  const during = count();
  await settle(() => children() === 0 && count().threads <= before.threads && count().files <= before.files);
  const after = count();
  const alive = known.filter((kernel) => kernel.deref()).length;
  console.log(JSON.stringify({ before, during, after, alive }));
`;

/** Drops kernels whose functions have created timers and pools that stay alive. */
const LAZY = `
  import { AsyncResource } from 'node:async_hooks';
  ${COUNTING}
  const shared = [];
  const lazily = () => {
    shared.push(setInterval(() => {}, 1e6).unref(), new AsyncResource('pool'));
    return shared.length;
  };
  const use = async (name) => {
    const kernel = new TGP({ config: { rootDir: './' + name, sandbox: { warm: 1 } }, sandboxAPI: { lazily } });
    await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content: 'return tgp.lazily()' });
    await kernel.exec('tools/t.ts');
  };
  for (let n = 0; n < 3; n++) await use('root' + n);
  await settle(() => children() === 0);
  console.log(JSON.stringify({ made: shared.length, children: children() }));
`;

describe.runIf(platform === 'linux')('a kernel that the application drops without a shutdown', () => {
  it('is collected, although its functions created timers and pools that are still alive', async () => {
    expect(await runProgram(await tempRoot(), LAZY)).toEqual({ made: 6, children: 0 });
  });

  it('is collected with its processes, threads and descriptors', async () => {
    const { before, during, after, alive } = await runProgram(await tempRoot(), DROPPED);
    expect(during.children).toBeGreaterThan(0);
    expect(alive).toBe(0);
    expect(after.children).toBe(0);
    expect(after.threads).toBeLessThanOrEqual(before.threads);
    expect(after.files).toBeLessThanOrEqual(before.files);
  });

  it('closes the database that its config file has opened', async () => {
    const root = await tempRoot();
    await writeFile(
      join(root, 'tgp.config.mjs'),
      `export default { rootDir: './.tgp', sql: {
        connect: async () => ({ query: async () => ({ rows: [], rowCount: 0 }), release() {} }),
        query: async () => ({ rows: [] }),
        end: async () => { globalThis.ended = true; },
      } };`,
    );
    const ended = await runProgram(
      root,
      `
      import { setFlagsFromString } from 'node:v8';
      import { runInNewContext } from 'node:vm';
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc');
      const use = async () => { await new TGP({ configFile: './tgp.config.mjs' }).boot(); };
      await use();
      for (let attempt = 0; attempt < 300 && !globalThis.ended; attempt++) {
        collect();
        await new Promise((done) => setTimeout(done, 20));
      }
      console.log(JSON.stringify(globalThis.ended === true));`,
    );
    expect(ended).toBe(true);
  });

  it('is not collected while a call is pending', async () => {
    const root = await tempRoot();
    const result = await runProgram(
      root,
      `
      import { setFlagsFromString } from 'node:v8';
      import { runInNewContext } from 'node:vm';
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc');
      const slow = () => new Promise((done) => setTimeout(done, 400, 'done'));
      const start = async () => {
        const kernel = new TGP({ config: { rootDir: './.tgp' }, sandboxAPI: { slow } });
        await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content: 'return tgp.slow()' });
      };
      await start();
      const run = new TGP({ config: { rootDir: './.tgp' }, sandboxAPI: { slow } }).exec('tools/t.ts');
      const collecting = setInterval(collect, 10);
      const { result } = await run;
      clearInterval(collecting);
      console.log(JSON.stringify(result));`,
    );
    expect(result).toBe('done');
  });
});
