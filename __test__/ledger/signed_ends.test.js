/** Only the ledger's key can sign the removal of old events and the ledger trailers of commits. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { editLedger, exported, ledgerFolder } from '../helpers/ledger.js';
import { usedLedger } from '../helpers/used_ledger.js';

const { use, open, copied, verified } = usedLedger();

/** A copy of the workspace after some of its events. */
let older = '';

beforeAll(async () => {
  ({ older } = await use());
});

describe('the start of the ledger', () => {
  /** Removes the oldest events up to a checkpoint, as retention does. @type {(root: string, size: number) => void} */
  const forget = (root, size) =>
    editLedger(root, (database) => {
      const { hash } = /** @type {any} */ (database.prepare('SELECT hash FROM events WHERE seq = ?').get(size));
      database.prepare('INSERT OR REPLACE INTO base (one, size, hash) VALUES (1, ?, ?)').run(size, hash);
      database.prepare('DELETE FROM events WHERE seq <= ?').run(size);
      database.prepare('DELETE FROM blobs WHERE last <= ?').run(size);
      database.prepare('DELETE FROM checkpoints WHERE size < ?').run(size);
    });
  /** @param {string} root */
  const checkpoints = (root) => {
    /** @type {number[]} */
    let sizes = [];
    editLedger(root, (database) => {
      const rows = /** @type {any[]} */ (database.prepare('SELECT DISTINCT size FROM checkpoints ORDER BY size').all());
      sizes = rows.map(({ size }) => size);
    });
    return sizes;
  };

  test('is reported as missing if events up to any checkpoint were removed, also in an export', async () => {
    const { root: original } = await copied();
    const sizes = checkpoints(original);
    expect(sizes.length).toBeGreaterThan(3);
    for (const size of [sizes[0], sizes[Math.floor(sizes.length / 2)], sizes.at(-1)]) {
      const { folder, root } = await copied();
      forget(root, Number(size));
      expect(await verified(folder), String(size)).toMatchObject({ ok: false, problem: { kind: 'missing', seq: 1 } });
      const kernel = open(folder);
      const lines = await exported(kernel);
      await kernel.shutdown();
      const file = join(folder, 'export.ndjson');
      writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
      const { code, stdout } = await runCli(folder, ['ledger', 'verify', '--file', file, '--json']);
      // If no event is left, the end is missing.
      expect([code, JSON.parse(stdout).problem.seq], String(size)).toEqual([size === sizes.at(-1) ? 4 : 3, 1]);
    }
  });

  test('that retention removed verifies, with a signed event about it', async () => {
    const { folder } = await copied();
    const kernel = open(folder, { retainEvents: 10 });
    const [retention] = await kernel.ledger.tail({ type: 'RETENTION' });
    expect(retention).toMatchObject({
      upTo: expect.any(Number),
      head: expect.any(String),
      signature: expect.any(String),
    });
    const found = await kernel.ledger.verify();
    expect(found).toMatchObject({ ok: true, first: Number(retention?.upTo) + 1 });
    await expect(kernel.ledger.append(/** @type {any} */ ({ type: 'RETENTION', upTo: 1 }))).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
    await kernel.shutdown();
    expect(await verified(folder)).toMatchObject({ ok: true });
    // More events than the signed event allows.
    const next = checkpoints(join(folder, '.tgp')).find((size) => size > Number(retention?.upTo));
    forget(join(folder, '.tgp'), Number(next));
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'missing', seq: 1 } });
  });
});

test('the owner can sign an unrecorded removal of old events once', async () => {
  const { folder, root } = await copied();
  editLedger(root, (database) => {
    const [{ size }] = /** @type {any[]} */ (database.prepare('SELECT size FROM checkpoints ORDER BY size').all());
    const { hash } = /** @type {any} */ (database.prepare('SELECT hash FROM events WHERE seq = ?').get(size));
    database.prepare('INSERT OR REPLACE INTO base (one, size, hash) VALUES (1, ?, ?)').run(size, hash);
    database.prepare('DELETE FROM events WHERE seq <= ?').run(size);
    database.prepare('DELETE FROM blobs WHERE last <= ?').run(size);
  });
  expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'missing' } });
  const kernel = open(folder);
  await kernel.ledger.signBase();
  await kernel.ledger.signBase();
  expect(await kernel.ledger.tail({ type: 'RETENTION' })).toHaveLength(1);
  expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
  await kernel.shutdown();
});

describe('the ledger trailer of commits', () => {
  /** Restores an older copy of the ledger. @param {string} root */
  async function cutOff(root) {
    const own = ledgerFolder(root);
    await rm(own, { recursive: true });
    await cp(ledgerFolder(join(older, '.tgp')), own, { recursive: true });
  }

  test('is ignored if the key of the ledger has not signed it', async () => {
    const { folder, root } = await copied();
    const last = git(root, 'log', '-1', '--format=%B').split('\n').at(-1) ?? '';
    const [, , head, key, signature] = last.split(' ');
    expect(last).toMatch(/^TGP-Ledger: \d+ [0-9a-f]{64} [0-9a-f]{8} [A-Za-z0-9+/=]{92}$/);
    for (const forged of [
      `TGP-Ledger: 999999 ${head} ${key}`,
      `TGP-Ledger: 999999 ${head} ${key} ${signature}`,
      `TGP-Ledger: 2 ${'0'.repeat(64)} ${key} ${signature}`,
      `TGP-Ledger: 999999 ${head} ${key} ${signature?.replace(/^..../, 'AAAA')}`,
    ]) {
      git(root, 'commit', '-q', '--allow-empty', '-m', `Forge: x\n\n${forged}`);
    }
    expect(await verified(folder)).toMatchObject({ ok: true });
  });

  test('is found behind any number of other commits, whatever their dates', async () => {
    const { folder, root } = await copied();
    // Most of them repeat a signed trailer.
    const lines = git(root, 'log', '--format=%B').split('\n');
    const signed = lines.findLast((text) => text.startsWith('TGP-Ledger: ')) ?? '';
    const stream = Array.from({ length: 10_100 }, (_, n) => {
      const at = 4_000_000_000 + n;
      const from = n === 0 ? 'from refs/heads/main^0\n' : '';
      const message = n < 50 ? `TGP-Ledger: ${n} ${'0'.repeat(64)} 00000000 ${'A'.repeat(91)}=` : signed;
      return `commit refs/heads/main\ncommitter X <x@x> ${at} +0000\ndata ${message.length}\n${message}\n${from}\n`;
    });
    execFileSync('git', ['-C', root, 'fast-import', '--quiet', '--force'], { input: stream.join('') });
    await cutOff(root);
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('is found behind a merge whose first parent is a foreign commit', async () => {
    const { folder, root } = await copied();
    const own = git(root, 'rev-parse', 'HEAD');
    const foreign = git(root, 'commit-tree', `${own}^{tree}`, '-m', 'x');
    const merge = git(root, 'commit-tree', `${own}^{tree}`, '-p', foreign, '-p', own, '-m', 'Merge');
    git(root, 'update-ref', 'HEAD', merge);
    expect(await verified(folder)).toMatchObject({ ok: true });
    await cutOff(root);
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('is found after the branch was reset to an older commit', async () => {
    const { folder, root } = await copied();
    git(root, 'reset', '-q', '--hard', git(join(older, '.tgp'), 'rev-parse', 'HEAD'));
    expect(await verified(folder)).toMatchObject({ ok: true });
    await cutOff(root);
    expect(await verified(folder)).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });

  test('is found after the remote replaced the branch with one without it', async () => {
    const { folder, remote } = await bareRemote();
    const { kernel, tools, rootDir } = await createKernel({ git: { repo: remote } });
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    await kernel.ledger.checkpoint();
    const kept = join(folder, 'ledger');
    await cp(ledgerFolder(rootDir), kept, { recursive: true });
    await tools.write_file.execute({ path: 'tools/b.ts', content: 'return 2' });
    const work = clone(folder, remote);
    git(work, 'checkout', '-q', '--orphan', 'squashed');
    git(work, 'commit', '-q', '-m', 'all in one');
    git(work, 'push', '-q', '--force', 'origin', 'HEAD:main');
    await kernel.sync();
    expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
    await kernel.shutdown();
    // The reflog may not exist any more.
    await rm(join(rootDir, '.git', 'logs'), { recursive: true });
    await rm(ledgerFolder(rootDir), { recursive: true });
    await cp(kept, ledgerFolder(rootDir), { recursive: true });
    const again = await createKernel({ rootDir, git: { repo: remote } });
    expect(await again.kernel.ledger.verify()).toMatchObject({ ok: false, problem: { kind: 'truncated' } });
  });
});
