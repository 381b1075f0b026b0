/** A full or read-only disk: calls that change something are refused, reads work, and no data is damaged. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { fill, smallDisk } from '../helpers/small_disk.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * @param {string} folder
 * @param {true} [ledger] requires the ledger
 */
function workspace(folder, ledger) {
  let effects = 0;
  /** @type {string[]} */
  const warnings = [];
  const kernel = new TGP({
    config: { rootDir: join(folder, '.tgp'), sandbox: { timeoutMs: 2_000 }, ...(ledger && { ledger }) },
    logger: { ...silent, warn: (message) => warnings.push(message) },
    sandboxAPI: {
      effect: () => {
        effects += 1;
        return effects;
      },
    },
  });
  onTestFinished(() => kernel.shutdown());
  return { kernel, tools: tgpTools(kernel), effects: () => effects, warnings };
}

test('on a full disk changes are refused and reads work, and the ledger stays valid', async (context) => {
  const folder = await smallDisk();
  if (folder === undefined) return context.skip('no tmpfs can be mounted here');
  const { kernel, tools } = workspace(folder);
  const path = 'tools/a.ts';
  await tools.write_file.execute({ path, content: 'return 1' });
  await kernel.ledger.verify();
  const release = fill(folder);

  // Data that fits into allocated blocks of existing files can still be written.
  /** @type {any} */
  let refusal;
  for (let n = 0; n < 200 && refusal?.code !== 'ERR_LEDGER'; n++) {
    const content = `return ${n} // ${'x'.repeat(500)}`;
    refusal = await tools.write_file.execute({ path: `tools/b${n}.ts`, content }).then(
      () => undefined,
      (error) => error,
    );
  }
  expect(refusal).toMatchObject({ code: 'ERR_LEDGER', message: expect.stringContaining('disk is full') });
  expect(await tools.read_file.execute({ path })).toContain('return 1');
  expect(await tools.list_files.execute({ dir: 'tools' })).toContain(path);
  expect((await kernel.ledger.tail()).length).toBeGreaterThan(0);

  release();
  await tools.write_file.execute({ path: 'tools/c.ts', content: 'return 3' });
  expect((await kernel.exec('tools/c.ts')).result).toBe(3);
  expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
  const calls = await kernel.ledger.query({ path: 'tools/c.ts', type: 'CALL' });
  expect(calls.map(({ effect }) => effect)).toEqual(['write', 'run']);
  await kernel.shutdown();
  const { kernel: next } = workspace(folder);
  expect(await next.ledger.verify()).toMatchObject({ ok: true });
});

test('on a read-only disk the kernel works without a ledger, and a required ledger prevents the boot', async (context) => {
  const folder = await smallDisk();
  if (folder === undefined) return context.skip('no tmpfs can be mounted here');
  const first = workspace(folder);
  await first.tools.write_file.execute({ path: 'tools/a.ts', content: 'export default async () => tgp.effect()' });
  await first.kernel.exec('tools/a.ts');
  await first.kernel.shutdown();
  await vi.waitFor(() => execFileSync('mount', ['-o', 'remount,ro', folder], { stdio: 'ignore' }), { timeout: 20_000 });

  // A read-only image: everything works without a ledger, with a warning; a required ledger is an error.
  const { kernel, tools, warnings } = workspace(folder);
  expect((await kernel.exec('tools/a.ts')).result).toBe(1);
  expect(await tools.read_file.execute({ path: 'tools/a.ts' })).toContain('effect');
  expect(warnings.join('\n')).toContain('its folder is not writable');
  await kernel.shutdown();
  const required = workspace(folder, true);
  await expect(required.kernel.boot()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
  expect(required.effects()).toBe(0);

  execFileSync('mount', ['-o', 'remount,rw', folder]);
  const again = workspace(folder, true);
  expect((await again.kernel.exec('tools/a.ts')).result).toBe(1);
  expect(await again.kernel.ledger.verify()).toMatchObject({ ok: true });
  const runs = await again.kernel.ledger.query({ type: 'CALL', path: 'tools/a.ts', tool: 'exec_tool' });
  expect(runs).toHaveLength(2);
});
