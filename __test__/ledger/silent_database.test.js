/** A ledger database that accepts connections but stops answering: calls work without long delays. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';

/** A notice message of PostgreSQL without fields. */
const NOTICE = Buffer.from([0x4e, 0, 0, 0, 5, 0]);

/**
 * A TCP proxy to a database server that forwards bytes only while it is open.
 * @param {number} serverPort
 * @param {import('vitest').TestContext['onTestFinished']} atEnd
 */
async function pausableProxy(serverPort, atEnd) {
  const proxy = { isOpen: true, port: 0 };
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1');
    const directions = /** @type {const} */ ([
      [near, far],
      [far, near],
    ]);
    for (const [from, to] of directions) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      // Bytes are lost while the proxy is closed, as with a server that hangs.
      from.on('data', (bytes) => proxy.isOpen && to.write(bytes));
    }
  });
  const notices = setInterval(() => {
    if (!proxy.isOpen) for (const socket of sockets) if (socket.localPort === proxy.port) socket.write(NOTICE);
  }, 100);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  atEnd(() => {
    clearInterval(notices);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

/**
 * A kernel for a concurrent test, and the warnings in its log.
 * @param {string} postgres
 * @param {import('vitest').TestContext['onTestFinished']} atEnd
 */
function kernelOn(postgres, atEnd) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-test-'));
  /** @type {string[]} */
  const warnings = [];
  const nothing = () => {};
  const warn = (/** @type {string} */ text) => warnings.push(text);
  const config = { rootDir: join(folder, '.tgp'), ledger: { postgres } };
  const kernel = new TGP({ config, logger: { debug: nothing, info: nothing, error: nothing, warn } });
  atEnd(async () => {
    await kernel.shutdown();
    rmSync(folder, { recursive: true });
  });
  return { kernel, tools: tgpTools(kernel), warnings };
}

const TOOL = '/** One. */\nexport default () => 1;';

describe.runIf(hasServer('postgres')).concurrent('a ledger database that stops answering', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
  });
  afterAll(() => server?.stop());
  const address = (/** @type {number} */ port, /** @type {string} */ schema) =>
    `postgres://${server.settings.user}@127.0.0.1:${port}/${server.settings.database}?schema=${schema}`;

  test('does not stop calls, and the log has one warning for it and one for its return', async ({ onTestFinished }) => {
    const proxy = await pausableProxy(server.port, onTestFinished);
    const { kernel, tools, warnings } = kernelOn(address(proxy.port, 'silent'), onTestFinished);
    await tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
    await kernel.ledger.checkpoint();
    proxy.isOpen = false;
    // No earlier message is still in flight.
    await pause(1_200);
    await tools.write_file.execute({ path: 'tools/b.ts', content: TOOL });
    expect(await kernel.exec('tools/b.ts')).toMatchObject({ result: 1 });
    expect(warnings).toEqual([]);
    await expect(kernel.ledger.tail()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
    expect(warnings).toEqual([expect.stringMatching(/did not answer in time/)]);
    proxy.isOpen = true;
    await expect.poll(() => warnings, { timeout: 20_000 }).toHaveLength(2);
    expect(warnings[1]).toMatch(/reachable again/);
    const written = await kernel.ledger.query({ type: 'CALL', path: 'tools/b.ts' });
    expect(written.map(({ tool }) => tool)).toContain('write_file');
    expect((await kernel.ledger.verify()).problem).toBeUndefined();
  });

  test('is not logged as reachable again before it answers', async ({ onTestFinished }) => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (gone.address());
    gone.close();
    const { kernel, warnings } = kernelOn(address(port, 'gone'), onTestFinished);
    for (let n = 0; n < 3; n++) {
      await expect(kernel.ledger.checkpoint()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
      await pause(1_000);
    }
    expect(warnings).toHaveLength(1);
  });

  test('does not stop boot, writes and shutdown of a kernel', async ({ onTestFinished }) => {
    const proxy = await pausableProxy(server.port, onTestFinished);
    proxy.isOpen = false;
    const { kernel, tools, warnings } = kernelOn(address(proxy.port, 'never'), onTestFinished);
    await kernel.boot();
    await tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
    expect(await kernel.exec('tools/a.ts')).toMatchObject({ result: 1 });
    await kernel.shutdown();
    expect(warnings).toEqual([expect.stringMatching(/did not answer in time/)]);
  });
});
