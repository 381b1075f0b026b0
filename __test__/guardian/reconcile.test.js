/** Reconciliations: one event for a file and a reference, whatever the number of calls and processes. */

import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { codeOf, guardedKernel, TOOL } from '../helpers/guarded_kernel.js';
import { runProgram } from '../helpers/run_program.js';

test('fifty concurrent reconciliations in three processes record one event and end the halt', async () => {
  const { kernel, rootDir, commit } = await guardedKernel();
  const diffRef = commit('tools/a.ts', undefined);
  expect(await codeOf(kernel.tools.write('tools/c.ts', TOOL))).toBe('ERR_HALT');
  const program = `
    const kernel = new TGP({ config: { rootDir: ${JSON.stringify(rootDir)} } });
    const edit = { filePath: 'tools/a.ts', diffRef: ${JSON.stringify(diffRef)} };
    const answers = await Promise.all(Array.from({ length: 10 }, () => kernel.guardian.reconcile(edit)));
    await kernel.shutdown();
    console.log(JSON.stringify(answers.every(({ ok }) => ok)));`;
  const own = Promise.all(
    Array.from({ length: 30 }, () => kernel.guardian.reconcile({ filePath: './tools/a.ts', diffRef })),
  );
  const [answers, ...others] = await Promise.all([
    own,
    runProgram(dirname(rootDir), program),
    runProgram(dirname(rootDir), program),
  ]);
  expect(answers.every(({ ok }) => ok)).toBe(true);
  expect(others).toEqual([true, true]);
  const events = await kernel.ledger.tail({ type: 'RECONCILIATION' });
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    path: 'tools/a.ts',
    diffRef,
    git: 'absent',
    actor: { agent: 'guardian', id: 'reconciler' },
  });
  expect((await kernel.chronicle.read('tools/a.ts.sage')).at(-1)).toMatchObject({
    type: 'RECONCILIATION',
    filePath: 'tools/a.ts',
    diffRef,
  });
  expect(await codeOf(kernel.tools.write('tools/c.ts', TOOL))).toBeUndefined();
  expect((await kernel.guardian.check()).ok).toBe(true);
});

test('another reference is another event, and an accepted file can contradict again', async () => {
  const { kernel, commit } = await guardedKernel();
  await kernel.guardian.reconcile({ filePath: 'tools/a.ts', diffRef: 'one' });
  await kernel.guardian.reconcile({ filePath: 'tools/a.ts', diffRef: 'two' });
  expect(await kernel.ledger.tail({ type: 'RECONCILIATION' })).toHaveLength(2);
  commit('tools/a.ts', undefined);
  expect(await codeOf(kernel.tools.write('tools/c.ts', TOOL))).toBe('ERR_HALT');
  await kernel.guardian.reconcile({ filePath: 'tools/a.ts', diffRef: 'three' });
  commit('tools/a.ts', TOOL);
  expect(await codeOf(kernel.tools.write('tools/c.ts', TOOL))).toBe('ERR_HALT');
});

test('arguments are validated', async () => {
  const { kernel } = await guardedKernel({});
  for (const edit of [
    {},
    { filePath: '', diffRef: 'x' },
    { filePath: 'a', diffRef: '' },
    { filePath: 'a', diffRef: 'x'.repeat(257) },
  ]) {
    expect(await codeOf(kernel.guardian.reconcile(/** @type {any} */ (edit)))).toBe('ERR_VALIDATION');
  }
});

test('applications and agents cannot write events of the guardian', async () => {
  const { kernel } = await guardedKernel({});
  for (const type of ['HALT', 'RECONCILIATION', 'VALVE_PERSONA_TRIGGER', 'COMMIT', 'CALL']) {
    expect(await codeOf(kernel.ledger.append(/** @type {any} */ ({ type, path: 'tools/a.ts' })))).toBe(
      'ERR_VALIDATION',
    );
    expect(await codeOf(kernel.chronicle.append('tools/a.ts', { type, diffRef: 'x' }))).toBe('ERR_VALIDATION');
  }
});
