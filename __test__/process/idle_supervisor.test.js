import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const TASKS = '/proc/self/task';

const supervisors = () => readdirSync(TASKS).filter((task) => nameOf(task) === 'tgp-supervisor');

/** @param {string} task */
function nameOf(task) {
  try {
    return readFileSync(`${TASKS}/${task}/comm`, 'utf8').trim();
  } catch {
    // The thread has ended since it was listed.
    return undefined;
  }
}

/** The number of context switches of the pool's supervisor. */
const wakeUps = async () => {
  await expect.poll(supervisors).toHaveLength(1);
  const status = readFileSync(`${TASKS}/${supervisors()[0]}/status`, 'utf8');
  const counts = [...status.matchAll(/voluntary_ctxt_switches:\s*(\d+)/g)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

describe.runIf(platform === 'linux')('the supervisor of a pool', () => {
  it('does not wake while nothing runs', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1, warm: 1, wallMs: 2_000 } });
    await forge('return args.n', { n: 1 });
    expect((await kernel.exec('tools/test/forged.ts', { n: 2 })).result).toBe(2);
    // The supervisor may check the deadline of a run, and of a worker's start, once after it has passed.
    await pause(3_500);
    let woken = Number.POSITIVE_INFINITY;
    // That check may come late on a busy machine.
    for (let attempt = 0; attempt < 3 && woken > 0; attempt++) {
      const before = await wakeUps();
      await pause(1_000);
      woken = (await wakeUps()) - before;
    }
    expect(woken).toBe(0);
  });

  it('does not wake for runs within their limits', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1, warm: 1, wallMs: 20_000 } });
    await forge('return args.n', { n: 1 });
    const before = await wakeUps();
    const until = Date.now() + 500;
    for (let n = 0; Date.now() < until; n++) expect((await kernel.exec('tools/test/forged.ts', { n })).result).toBe(n);
    expect((await wakeUps()) - before).toBeLessThanOrEqual(1);
  });
});
