import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const TASKS = '/proc/self/task';

/** How often the pool's supervisor has been given a processor. */
const wakeUps = () => {
  const tasks = readdirSync(TASKS).filter(
    (task) => readFileSync(`${TASKS}/${task}/comm`, 'utf8').trim() === 'tgp-supervisor',
  );
  expect(tasks.length).toBe(1);
  const status = readFileSync(`${TASKS}/${tasks[0]}/status`, 'utf8');
  const counts = [...status.matchAll(/voluntary_ctxt_switches:\s*(\d+)/g)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

describe.runIf(platform === 'linux')('the supervisor of a pool', () => {
  it('does not wake while there is nothing to watch', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1, warm: 1, wallMs: 100 } });
    await forge('return args.n', { n: 1 });
    expect((await kernel.exec('tools/test/forged.ts', { n: 2 })).result).toBe(2);
    // The deadline of a run, and of a worker's start, may be looked at once after it has passed.
    await pause(1500);
    const before = wakeUps();
    await pause(1000);
    expect(wakeUps() - before).toBe(0);
  });

  it('sleeps through runs that keep to their time', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1, warm: 1, wallMs: 20_000 } });
    await forge('return args.n', { n: 1 });
    const before = wakeUps();
    const until = Date.now() + 500;
    for (let n = 0; Date.now() < until; n++) expect((await kernel.exec('tools/test/forged.ts', { n })).result).toBe(n);
    expect(wakeUps() - before).toBeLessThanOrEqual(1);
  });
});
