/** A session is used by one run at a time, also across copies of the package and threads within one process. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { agentModel } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';
import { until } from '../helpers/policy_kernel.js';

const THREAD = new URL('../helpers/agent_thread.mjs', import.meta.url);

/** A running session whose model answers when `end` is called. */
async function runningSession() {
  const { kernel, rootDir } = await createKernel();
  /** @type {((value?: undefined) => void)[]} */
  const answer = [];
  const model = agentModel(async () => {
    await new Promise((done) => answer.push(() => done(undefined)));
    return { text: 'done' };
  });
  const session = 'one';
  const { result } = kernel.agent({ model }).run('go', { session });
  await until(() => answer.length > 0);
  const end = async () => {
    for (const each of answer) each();
    return (await result).outcome;
  };
  return { rootDir, session, end };
}

test('a second copy of the package cannot use a running session', async () => {
  const { rootDir, session, end } = await runningSession();
  vi.resetModules();
  const { TGP } = await import('../../index.js');
  const other = new TGP({ config: { rootDir } });
  onTestFinished(() => other.shutdown());
  const again = () => other.agent({ model: agentModel([{ text: 'done' }]) }).run('go', { session }).result;
  const message = expect.stringContaining('is in use by this process');
  expect(await again()).toMatchObject({ outcome: 'failed', error: { message } });
  expect(await end()).toBe('done');
  expect(await again()).toMatchObject({ outcome: 'done' });
});

test('another thread cannot use a running session', async () => {
  const { rootDir, session, end } = await runningSession();
  const thread = async () => {
    const worker = new Worker(THREAD, { workerData: { rootDir, session } });
    const [reply] = await once(worker, 'message');
    await worker.terminate();
    return reply;
  };
  expect(await thread()).toContain('is in use by another thread of process');
  expect(await end()).toBe('done');
  expect(await thread()).toBe('done');
});
