import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const NOW = Date.UTC(2024, 1, 29, 12);

const SOURCE = `
  const first = new Date().toISOString();
  const before = Date.now();
  await new Promise((done) => setTimeout(done, args.wait));
  return [first, Date.now() - before >= args.wait, Date.now(), new Date(5).getTime(), Date().slice(0, 15), new Intl.DateTimeFormat('en-US').format(),
    new (Object.getPrototypeOf(new Date()).constructor)().getTime(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]];
`;

describe('the same seed and clock', () => {
  it('give the same output 1000 times', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { timeoutMs: 1000 } });
    await tools.write_file.execute({ path: 'tools/d.ts', content: SOURCE });
    const run = () => kernel.exec('tools/d.ts', { wait: 0 }, { seed: 42, now: NOW });
    const { result } = await run();
    expect(result[0]).toBe('2024-02-29T12:00:00.000Z');
    expect(result[3]).toBe(5);
    expect(result[5]).toBe('2/29/2024');
    expect(Math.abs(result[6] - NOW)).toBeLessThan(1000);
    const texts = new Set([JSON.stringify(result)]);
    for (let batch = 0; batch < 20; batch++) {
      const runs = await Promise.all(Array.from({ length: 50 }, run));
      for (const { result: again } of runs) texts.add(JSON.stringify(again));
    }
    expect(texts.size).toBe(1);
    const other = await kernel.exec('tools/d.ts', { wait: 0 }, { seed: 43, now: NOW });
    expect(other.result.slice(7)).not.toEqual(result.slice(7));
  });

  it('a clock that starts at `now` advances with timers and with every reading', async () => {
    const { forge } = await createKernel();
    const { result } = await forge(SOURCE, { wait: 300 }, { now: NOW });
    expect(result[1]).toBe(true);
    expect(result[2]).toBeGreaterThanOrEqual(NOW + 300);
    expect(
      (await forge('let n = 0; const end = Date.now() + 50; while (Date.now() < end) n++; return n', {}, { now: 0 }))
        .result,
    ).toBe(49);
  });

  it('can be set in the configuration', async () => {
    const { forge } = await createKernel({ sandbox: { seed: 7, now: NOW } });
    const source = 'return [Math.random(), Date.now()]';
    const { result } = await forge(source);
    expect((await forge(source)).result).toEqual(result);
    expect(result[1]).toBe(NOW);
    expect((await forge(source, {}, { seed: 8, now: 1 })).result).not.toEqual(result);
  });

  it('are off by default', async () => {
    const { forge } = await createKernel();
    const { result } = await forge('return [Date.now(), crypto.randomUUID()]');
    expect(Math.abs(result[0] - Date.now())).toBeLessThan(60_000);
    expect((await forge('return crypto.randomUUID()')).result).not.toBe(result[1]);
  });
});
