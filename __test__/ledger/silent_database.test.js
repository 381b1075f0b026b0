/** A ledger database that accepts connections and does not answer any more: calls go on, and nothing waits long. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { hasServer } from '../helpers/database_server.js';
import { ownDatabase } from '../helpers/shared_servers.js';

/** A remark of PostgreSQL without fields. */
const NOTICE = Buffer.from([0x4e, 0, 0, 0, 5, 0]);

/**
 * What stands between the kernel and a server: it accepts everything, and passes bytes on or not.
 * @param {number} behind the port of the server
 * @param {import('vitest').TestContext['onTestFinished']} atEnd
 */
async function wayTo(behind, atEnd) {
  const way = { isOpen: true, port: 0 };
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(behind, '127.0.0.1');
    const ways = /** @type {const} */ ([
      [near, far],
      [far, near],
    ]);
    for (const [from, to] of ways) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      // What comes while the way is closed is lost, as with a server that hangs.
      from.on('data', (bytes) => way.isOpen && to.write(bytes));
    }
  });
  const remarks = setInterval(() => {
    if (!way.isOpen) for (const socket of sockets) if (socket.localPort === way.port) socket.write(NOTICE);
  }, 100);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  way.port = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  atEnd(() => {
    clearInterval(remarks);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return way;
}

/**
 * A kernel of a test among others that run at the same time, and the warnings in its log.
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

describe.runIf(hasServer('postgres')).concurrent('a ledger database that falls silent', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
  });
  afterAll(() => server?.stop());
  const address = (/** @type {number} */ port, /** @type {string} */ schema) =>
    `postgres://${server.settings.user}@127.0.0.1:${port}/${server.settings.database}?schema=${schema}`;

  test('calls go on, the log has one line for it and one when it is back', async ({ onTestFinished }) => {
    const way = await wayTo(server.port, onTestFinished);
    const { kernel, tools, warnings } = kernelOn(address(way.port, 'silent'), onTestFinished);
    await tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
    await kernel.ledger.checkpoint();
    way.isOpen = false;
    // Nothing that was said before is under way.
    await pause(1_200);
    await tools.write_file.execute({ path: 'tools/b.ts', content: TOOL });
    expect(await kernel.exec('tools/b.ts')).toMatchObject({ result: 1 });
    expect(warnings).toEqual([]);
    await expect(kernel.ledger.tail()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
    expect(warnings).toEqual([expect.stringMatching(/did not answer in time/)]);
    way.isOpen = true;
    await expect.poll(() => warnings, { timeout: 20_000 }).toHaveLength(2);
    expect(warnings[1]).toMatch(/reachable again/);
    const written = await kernel.ledger.query({ type: 'CALL', path: 'tools/b.ts' });
    expect(written.map(({ tool }) => tool)).toContain('write_file');
    expect((await kernel.ledger.verify()).problem).toBeUndefined();
  });

  test('the log does not say that it is back before it has answered', async ({ onTestFinished }) => {
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

  test('a kernel boots, writes and shuts down beside it', async ({ onTestFinished }) => {
    const way = await wayTo(server.port, onTestFinished);
    way.isOpen = false;
    const { kernel, tools, warnings } = kernelOn(address(way.port, 'never'), onTestFinished);
    await kernel.boot();
    await tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
    expect(await kernel.exec('tools/a.ts')).toMatchObject({ result: 1 });
    await kernel.shutdown();
    expect(warnings).toEqual([expect.stringMatching(/did not answer in time/)]);
  });
});
