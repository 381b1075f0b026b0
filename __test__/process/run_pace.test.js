import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';

const NEXT = 'export default (args: { n: number }) => args.n + 1';

describe('a caller that awaits each run', () => {
  it('gets a second worker if the first has no time to prepare between runs', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 2, warm: 1 } });
    await forge(NEXT, { n: 0 });
    const known = workers();
    // On a busy machine the first worker has time to prepare now and then.
    for (const end = Date.now() + 120_000; Date.now() < end && workers().length <= known.length; ) {
      for (let i = 0; i < 100; i++) expect((await kernel.exec('tools/test/forged.ts', { n: i })).result).toBe(i + 1);
    }
    expect(workers().length).toBe(known.length + 1);
  });

  it('keeps one worker if there is time between runs', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 2, warm: 1 } });
    await forge(NEXT, { n: 0 });
    const known = workers();
    for (let n = 0; n < 40; n++) {
      await pause(3);
      await kernel.exec('tools/test/forged.ts', { n });
    }
    expect(workers()).toEqual(known);
  });
});
