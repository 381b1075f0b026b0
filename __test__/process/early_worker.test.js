import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { platform } from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFolder } from '../helpers/ledger.js';
import { tempRoot } from '../helpers/temp_root.js';

const eventually = (/** @type {number} */ count) =>
  expect.poll(() => workers().length, { timeout: 15_000, interval: 5 }).toBe(count);

/** The address of a server that accepts requests and never answers. */
async function silentServer() {
  const server = createServer(() => {});
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${address.port}`;
}

describe.runIf(platform === 'linux')('the first worker', () => {
  it('starts while the boot waits for the remote, and ends when the boot fails', async () => {
    const repo = `${await silentServer()}/remote.git`;
    const { kernel } = await createKernel({ git: { repo, timeoutMs: 2_000 } });
    const booting = kernel.boot().catch((error) => error);
    await eventually(1);
    expect(await booting).toMatchObject({ code: 'ERR_GIT' });
    await eventually(0);
  });

  it('ends when the ledger cannot be opened', async () => {
    const rootDir = join(await tempRoot(), '.tgp');
    const first = await createKernel({ rootDir });
    await first.kernel.boot();
    await first.kernel.shutdown();
    writeFileSync(join(ledgerFolder(rootDir), 'ledger.db'), 'no database '.repeat(1000));
    const { kernel } = await createKernel({ rootDir, ledger: true });
    await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
    await eventually(0);
  });

  it('does not start with warm: 0', async () => {
    const { kernel } = await createKernel({ sandbox: { warm: 0 } });
    await kernel.boot();
    expect(workers()).toEqual([]);
  });
});
