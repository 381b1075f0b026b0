/** A ledger of several machines in one PostgreSQL database. */

import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasServer, startServer } from '../../tools/database_server.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFolder } from '../helpers/ledger.js';
import { ownDatabase } from '../helpers/shared_servers.js';

const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');

describe.runIf(hasServer('postgres'))('a ledger in PostgreSQL', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  const address = (schema = 'tgp_ledger') =>
    `postgres://${server.settings.user}:not-asked-for@127.0.0.1:${server.port}/${server.settings.database}?schema=${schema}`;

  beforeAll(async () => {
    server = await ownDatabase('postgres');
  });
  afterAll(() => server?.stop());

  /** @param {string} sql */
  const query = async (sql) => {
    const client = new pg.Client(server.settings);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };

  test('has the calls of two machines in one chain, and both detect a change', async () => {
    const ledger = { postgres: address(), key };
    const machines = [await createKernel({ ledger }), await createKernel({ ledger })];
    for (const [n, { tools }] of machines.entries()) {
      await tools.write_file.execute({
        path: `tools/t${n}.ts`,
        content: `/** Gives ${n}. */\nexport default () => ${n};`,
      });
      await tools.exec_tool.execute({ path: `tools/t${n}.ts` });
      await tools.exec_tool.execute({ path: `tools/t${n}.ts` });
    }
    const [one, other] = machines.map(({ kernel }) => kernel);
    await other?.ledger.checkpoint();
    const seen = await one?.ledger.query({ type: 'CALL' });
    expect(new Set(seen?.map(({ call }) => call?.split('-')[0])).size).toBe(2);
    expect(seen?.map(({ seq }) => seq)).toEqual(seen?.map(({ seq }) => seq).toSorted((a, b) => a - b));
    for (const { kernel } of machines) expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
    expect(one?.config.ledger).toMatchObject({ postgres: '[hidden]', key: '[hidden]' });
    const place = seen?.[1]?.seq ?? 0;
    await query(`update tgp_ledger.events set content = replace(content, 'agent', 'agemt') where seq = ${place}`);
    for (const { kernel } of machines) {
      expect(await kernel.ledger.verify()).toMatchObject({ ok: false, problem: { kind: 'changed', seq: place } });
    }
  });

  test('refuses a machine with a different key, with a remedy', async () => {
    const { kernel } = await createKernel({ ledger: { postgres: address('keys') } });
    await kernel.ledger.append({ n: 1 });
    await kernel.shutdown();
    await expect(
      createKernel({ ledger: { postgres: address('keys') } }).then(({ kernel }) => kernel.boot()),
    ).rejects.toMatchObject({
      code: 'ERR_LEDGER',
      message: expect.stringMatching(/ledger\.key/),
    });
    const strange = createKernel({ ledger: { postgres: address('keys'), key: 'nonsense' } });
    await expect(strange.then(({ kernel }) => kernel.boot())).rejects.toMatchObject({ code: 'ERR_CONFIG' });
  });

  test('accepts a key of openssl', async () => {
    const made = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-outform', 'DER']).toString('base64');
    const { kernel } = await createKernel({ ledger: { postgres: address('openssl'), key: made } });
    await kernel.ledger.append({ n: 1 });
    expect((await kernel.ledger.checkpoint()).note).toContain('tgp-ledger');
    expect(await kernel.ledger.verify()).toMatchObject({ ok: true, events: 1 });
  });

  test('stores events locally while the server is down, and calls work', async () => {
    const away = await startServer('postgres');
    const postgres = `postgres://postgres@127.0.0.1:${away.port}/postgres`;
    const { kernel, tools, rootDir } = await createKernel({ ledger: { postgres, key } });
    onTestFinished(() => away.stop());
    await tools.write_file.execute({ path: 'tools/a.ts', content: '/** One. */\nexport default () => 1;' });
    await kernel.ledger.checkpoint();
    await away.stop();
    const { result } = await kernel.exec('tools/a.ts');
    expect(result).toBe(1);
    await tools.write_file.execute({ path: 'tools/b.ts', content: '/** Two. */\nexport default () => 2;' });
    await expect(kernel.ledger.tail()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
    await kernel.shutdown();
    // The next process that reaches the server would drain the spool.
    rmSync(join(ledgerFolder(rootDir), 'spool'), { recursive: true });
  });

  test('refuses an invalid address, and the error does not contain it', async () => {
    const postgres = 'postgres://me:hunter2@127.0.0.1/db?sslmode=maybe';
    const wrong = createKernel({ ledger: { postgres } }).then(({ kernel }) => kernel.boot());
    const error = await wrong.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_CONFIG', message: expect.stringMatching(/sslmode/) });
    expect(JSON.stringify([error.message, error.details])).not.toContain('hunter2');
  });
});
