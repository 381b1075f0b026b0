/** One session is worked on once, also within one process: by a second copy of the package, or in another thread. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { agentModel } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';
import { until } from '../helpers/policy_kernel.js';

const THREAD = new URL('../helpers/agent_thread.mjs', import.meta.url);

/** A session whose model has been asked and answers when it is told to. */
async function worked() {
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

test('a second copy of the package does not work on it', async () => {
  const { rootDir, session, end } = await worked();
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

test('another thread does not work on it', async () => {
  const { rootDir, session, end } = await worked();
  const thread = async () => {
    const worker = new Worker(THREAD, { workerData: { rootDir, session } });
    const [heard] = await once(worker, 'message');
    await worker.terminate();
    return heard;
  };
  expect(await thread()).toContain('is in use by another thread of process');
  expect(await end()).toBe('done');
  expect(await thread()).toBe('done');
});
