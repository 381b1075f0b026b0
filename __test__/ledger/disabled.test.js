/** `ledger: false`: everything works, and nothing is recorded. */

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadTGPConfig, TGP, TGPConfigSchema, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFiles } from '../helpers/ledger.js';
import { tempRoot } from '../helpers/temp_root.js';

test.each([[false], [{ on: false }]])('ledger: %j writes nothing, and queries report that', async (ledger) => {
  const { kernel, forge, rootDir } = await createKernel({ ledger });
  expect((await forge('return 7')).result).toBe(7);
  expect(kernel.config.ledger).toMatchObject({ on: false });
  const message = expect.stringContaining('The ledger is disabled');
  const off = { code: 'ERR_LEDGER', name: 'LedgerError', message };
  await expect(kernel.ledger.append({ what: 'x' })).rejects.toMatchObject(off);
  await expect(kernel.ledger.tail()).rejects.toMatchObject(off);
  await expect(kernel.ledger.query()).rejects.toMatchObject(off);
  await expect(kernel.ledger.show(1)).rejects.toMatchObject(off);
  await expect(kernel.ledger.verify()).rejects.toMatchObject(off);
  await expect(kernel.ledger.checkpoint()).rejects.toMatchObject(off);
  await expect(kernel.ledger.chronicle('a')).rejects.toMatchObject(off);
  await expect(kernel.ledger.blob('0'.repeat(64))).rejects.toMatchObject(off);
  await expect(kernel.ledger.export()[Symbol.asyncIterator]().next()).rejects.toMatchObject(off);
  await expect(kernel.ledger.follow()[Symbol.asyncIterator]().next()).rejects.toMatchObject(off);
  await kernel.shutdown();
  expect(ledgerFiles(rootDir)).toEqual([]);
  const message_ = execFileSync('git', ['-C', rootDir, 'log', '-1', '--format=%B'], { encoding: 'utf8' });
  expect(message_).not.toContain('TGP-Ledger');
});

test('the command line reports a disabled ledger', async () => {
  const folder = await tempRoot();
  const configFile = join(folder, 'tgp.config.json');
  await writeFile(configFile, JSON.stringify({ ledger: false }));
  const kernel = new TGP({ configFile });
  await tgpTools(kernel).write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
  await kernel.shutdown();
  expect(await runCli(folder, ['exec', '--yes', 'a'])).toMatchObject({ code: 0, stdout: '1\n' });
  expect(await runCli(folder, ['ledger', 'tail'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The ledger is disabled'),
  });
});

test('the ledger is enabled by default, in files that only their owner can read', async () => {
  const { kernel, rootDir } = await createKernel();
  await kernel.boot();
  expect(kernel.config.ledger).toMatchObject({ on: true, fsync: false, checkpointEvents: 1000 });
  await kernel.shutdown();
  expect(ledgerFiles(rootDir).length).toBeGreaterThan(0);
  const modes = execFileSync('stat', ['-c', '%a', ...ledgerFiles(rootDir)], { encoding: 'utf8' });
  expect(new Set(modes.trim().split('\n'))).toEqual(new Set(['600']));
});

test('retainEvents has no default in any configuration', async () => {
  const folder = await tempRoot();
  const configs = [{}, { retainEvents: 2_000_000 }, { retainEvents: 0 }].map((ledger, n) => ({
    rootDir: join(folder, `r${n}`),
    ledger,
  }));
  for (const config of configs) {
    const { retainEvents } = config.ledger;
    const file = join(folder, 'tgp.config.json');
    await writeFile(file, JSON.stringify(config));
    expect((await loadTGPConfig(file)).ledger.retainEvents).toBe(retainEvents);
    expect(TGPConfigSchema.parse(config).ledger.retainEvents).toBe(retainEvents);
    const kernel = new TGP({ config: await loadTGPConfig(file) });
    onTestFinished(() => kernel.shutdown());
    expect(kernel.config.ledger.retainEvents).toBe(retainEvents);
    await kernel.boot();
    expect(kernel.config.ledger.retainEvents).toBe(retainEvents);
  }
});

test.each([
  [{ flushMs: 0 }, 'ledger.flushMs'],
  [{ retainDay: 1 }, 'retainDays'],
  ['yes', 'ledger'],
])('ledger: %j is refused with its key', async (ledger, key) => {
  const kernel = new TGP({ config: { rootDir: join(await tempRoot(), '.tgp'), ledger: /** @type {any} */ (ledger) } });
  await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', message: expect.stringContaining(key) });
});
