/** Pruning: the owner removes old events, which is recorded and frees disk space. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFile } from '../helpers/ledger.js';

/** A workspace with ten checkpoints. */
async function filledLedger() {
  const { kernel, rootDir } = await createKernel({ ledger: { checkpointEvents: 1_000_000 } });
  for (let n = 0; n < 10; n++) {
    for (let m = 0; m < 20; m++) await kernel.ledger.append({ n, text: 'x'.repeat(3_000) });
    await kernel.ledger.checkpoint();
  }
  return { kernel, rootDir, folder: join(rootDir, '..') };
}

test('prune removes events up to a checkpoint, records that, and makes the file smaller', async () => {
  const { kernel: filler, rootDir } = await filledLedger();
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

test('tgp ledger prune counts with --dry-run, prunes, and requires a limit', async () => {
  const { kernel, folder } = await filledLedger();
  await kernel.shutdown();
  const prune = (/** @type {string[]} */ ...args) => runCli(folder, ['ledger', 'prune', '--json', ...args]);
  const dry = await prune('--keep', '30', '--dry-run');
  const { events, first } = JSON.parse(dry.stdout);
  expect(events).toBeGreaterThan(100);
  expect(JSON.parse((await prune('--keep', '30')).stdout)).toEqual({ events, first });
  const nothing = await prune();
  expect(nothing.code).not.toBe(0);
  expect(nothing.stdout).toMatch(/keep.*before/);
});

test('times are ISO texts, UTC without a zone; other formats are refused', async () => {
  const { kernel } = await createKernel();
  await kernel.ledger.append({ n: 1 });
  const text = String((await kernel.ledger.tail({ type: 'APPLICATION' }))[0]?.ts);
  vi.stubEnv('TZ', 'America/New_York');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(new Date(2026, 0, 1).getUTCHours(), 'the zone of this process').toBe(5);
  for (const same of [text, text.slice(0, -1), text.slice(0, -1).replace('T', ' '), `${text.slice(0, -1)}+00:00`]) {
    expect(await kernel.ledger.query({ since: same, type: 'APPLICATION' }), same).not.toEqual([]);
    expect(await kernel.ledger.query({ until: same, type: 'APPLICATION' }), same).toEqual([]);
  }
  for (const early of ['2020-01-01', '2020-01-01T10:00', '2020-01-01T10:00Z', '2020-01-01 10:00+02:00']) {
    expect(await kernel.ledger.prune({ before: early, dryRun: true }), early).toMatchObject({ events: 0 });
  }
  for (const bad of ['12.11.2026', '2026-02-30', '90', 'last year 12', '2026-13-01', '11/12/2026', '']) {
    await expect(kernel.ledger.prune({ before: bad, dryRun: true }), bad).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
  }
  await expect(kernel.ledger.prune({ before: new Date(Date.now() + 60_000) })).rejects.toThrow('is in the future');
});

test('verify refuses --key without --file', async () => {
  const { folder, kernel } = await filledLedger();
  await kernel.shutdown();
  const { code, stdout } = await runCli(folder, ['ledger', 'verify', '--json', '--key', 'other.pub']);
  expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining('--file') });
});

test('times before 1970 are accepted', async () => {
  const { kernel } = await createKernel();
  await kernel.ledger.append({ n: 1 });
  const past = new Date(-1_000);
  expect(await kernel.ledger.query({ since: past })).toHaveLength(1);
  expect(await kernel.ledger.query({ until: past })).toHaveLength(0);
  expect(await kernel.ledger.prune({ before: past })).toEqual({ events: 0, first: 1 });
});
