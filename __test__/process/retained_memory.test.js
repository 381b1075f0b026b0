import { describe, expect, it } from 'vitest';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';

/** Tools that leave `args.mb` megabytes in the isolate. */
const LEFTOVERS = {
  'registered symbols':
    "for (let i = 0; i < args.mb; i++) Symbol.for(args.n + '-' + i + 'x'.repeat(1 << 20)); return 0",
  'many small registered symbols':
    "for (let i = 0; i < args.mb * 4096; i++) Symbol.for('x'.repeat(200) + args.n + '-' + i); return 0",
  'a finalization registry that is never cleaned up': `
    const registry = new FinalizationRegistry(() => {});
    for (let i = 0; i < args.mb; i++) registry.register({}, new Array(1 << 17).fill(i + 0.5));
    globalThis.kept = registry;
    return 0`,
  'objects behind weak references':
    'globalThis.refs = Array.from({ length: args.mb }, (_, i) => new WeakRef(new Array(1 << 17).fill(i + 0.5))); return 0',
  'regular expressions and property names': `
    for (let i = 0; i < args.mb * 10; i++) new RegExp('a' + args.n + '-' + i + 'b'.repeat(2000)).test('c');
    const o: any = {};
    for (let i = 0; i < args.mb * 80; i++) o['k'.repeat(10_000) + args.n + '-' + i] = i;
    return 0`,
};

/** Needs most of the default memory. */
const INNOCENT =
  'const held = Array.from({ length: 50 }, (_, i) => new Array(1 << 17).fill(i + 0.5)); return held.length';

describe('THREAT: memory that a run leaves behind', () => {
  for (const isolation of /** @type {const} */ (['process', 'thread'])) {
    for (const [name, source] of Object.entries(LEFTOVERS)) {
      it(`${name}: the next run can use its full memory (${isolation})`, async () => {
        const { kernel, tools } = await createKernel({ sandbox: { isolation, workers: 1, timeoutMs: 10_000 } });
        await tools.write_file.execute({ path: 'tools/plant.ts', content: source });
        await tools.write_file.execute({ path: 'tools/innocent.ts', content: INNOCENT });
        for (const [rounds, mb] of [
          [1, 42],
          [20, 2],
        ]) {
          for (let n = 0; n < rounds; n++) await kernel.exec('tools/plant.ts', { mb, n: `${mb}-${n}` });
          expect((await kernel.exec('tools/innocent.ts')).result).toBe(50);
        }
      });
    }
  }

  it('leads to a new worker, and a clean worker is kept', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { workers: 1, timeoutMs: 10_000 } });
    await tools.write_file.execute({ path: 'tools/plant.ts', content: LEFTOVERS['registered symbols'] });
    await tools.write_file.execute({ path: 'tools/innocent.ts', content: INNOCENT });
    await kernel.exec('tools/innocent.ts');
    const first = workers();
    for (let n = 0; n < 20; n++) await kernel.exec('tools/innocent.ts');
    expect(workers()).toEqual(first);
    await kernel.exec('tools/plant.ts', { mb: 42, n: 0 });
    await expect.poll(workers).not.toEqual(first);
  });
});
