import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

test('an abort in the same event loop turn as the call starts no run, also in a running kernel', async () => {
  const { kernel, forge } = await createKernel();
  await forge('return 1');
  const started = async () => (await kernel.ledger.query({ type: 'CALL', tool: 'exec_tool', limit: 1_000 })).length;
  const before = await started();
  expect(before).toBeGreaterThan(0);
  for (let count = 0; count < 20; count++) {
    const controller = new AbortController();
    const run = kernel.exec('tools/test/forged.ts', {}, { signal: controller.signal });
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: 'ERR_ABORTED' });
  }
  expect(await started()).toBe(before);
});
