/** Old events go by decision of the owner, recorded and with their room. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFile } from '../helpers/ledger.js';
import { runCli } from '../helpers/run_cli.js';

/** A workspace with ten checkpoints. */
async function filled() {
  const { kernel, rootDir } = await createKernel({ ledger: { checkpointEvents: 1_000_000 } });
  for (let n = 0; n < 10; n++) {
    for (let m = 0; m < 20; m++) await kernel.ledger.append({ n, text: 'x'.repeat(3_000) });
    await kernel.ledger.checkpoint();
  }
  return { kernel, rootDir, folder: join(rootDir, '..') };
}

test('prune counts, lets events go up to a checkpoint, records that, and makes the file smaller', async () => {
  const { kernel: filler, rootDir } = await filled();
  await filler.shutdown();
  const { kernel } = await createKernel({ rootDir });
  const { size } = await kernel.ledger.checkpoint();
  const counted = await kernel.ledger.prune({ keep: 30, dryRun: true });
  expect(counted.events).toBeGreaterThan(size - 60);
  expect(counted.first).toBe(counted.events + 1);
  expect(await kernel.ledger.verify()).toMatchObject({ ok: true, first: 1 });
  const before = statSync(ledgerFile(rootDir)).size;
  expect(await kernel.ledger.prune({ keep: 30 })).toEqual(counted);
  expect(await kernel.ledger.verify()).toMatchObject({ ok: true, first: counted.first });
  expect(await kernel.ledger.query({ type: 'RETENTION' })).toMatchObject([{ upTo: counted.events }]);
  expect(statSync(ledgerFile(rootDir)).size).toBeLessThan(before / 2);
});

test('tgp ledger prune', async () => {
  const { kernel, folder } = await filled();
  await kernel.shutdown();
  const prune = (/** @type {string[]} */ ...words) => runCli(folder, ['ledger', 'prune', '--json', ...words]);
  const dry = await prune('--keep', '30', '--dry-run');
  const { events, first } = JSON.parse(dry.stdout);
  expect(events).toBeGreaterThan(100);
  expect(JSON.parse((await prune('--keep', '30')).stdout)).toEqual({ events, first });
  const nothing = await prune();
  expect(nothing.code).not.toBe(0);
  expect(nothing.stdout).toMatch(/keep.*before/);
});

test('times before 1970 are taken', async () => {
  const { kernel } = await createKernel();
  await kernel.ledger.append({ n: 1 });
  const past = new Date(-1_000);
  expect(await kernel.ledger.query({ since: past })).toHaveLength(1);
  expect(await kernel.ledger.query({ until: past })).toHaveLength(0);
  expect(await kernel.ledger.prune({ before: past })).toEqual({ events: 0, first: 1 });
});
