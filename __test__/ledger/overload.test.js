/** More arguments and results than the ledger can store in time. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFolder } from '../helpers/ledger.js';

const LARGE = `export default (args: { n: number }): string => String(args.n).padEnd(200_000, 'x');\n`;
const RUNS = 200;

/** @param {import('../../index.js').LedgerEvent[]} events @param {string} type */
const ofTool = (events, type) => events.filter((event) => event.type === type && event.tool === 'exec_tool');

test('every answered call has its result in the ledger, without its value if necessary', async () => {
  const { kernel, tools } = await createKernel({ ledger: { spoolBytes: 1 << 20 }, sandbox: { timeoutMs: 20_000 } });
  await tools.write_file.execute({ path: 'tools/large.ts', content: LARGE });
  const runs = Array.from({ length: RUNS }, (_, n) => tools.exec_tool.execute({ path: 'tools/large.ts', args: { n } }));
  const answered = (await Promise.all(runs)).filter(({ success }) => success).length;
  expect(answered).toBe(RUNS);
  await expect.poll(async () => ofTool(await kernel.ledger.tail({ limit: 1_000 }), 'RESULT').length).toBe(RUNS);
  expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
});

/**
 * Locks the ledger's database in another process, and returns a function that ends it. SQLite locks between processes only.
 * @param {string} rootDir
 */
async function lockInOtherProcess(rootDir) {
  const script = `
    const Database = require('better-sqlite3');
    new Database(process.argv[1]).exec('BEGIN IMMEDIATE');
    console.log('held');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script, join(ledgerFolder(rootDir), 'ledger.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

test('a call that waits for spool space uses its approval and its token once', async () => {
  let asked = 0;
  const approve = async () => {
    asked += 1;
    return true;
  };
  const policy = { version: 1, default: 'ask' };
  const { kernel, tools, rootDir } = await createKernel({ policy, ledger: { spoolBytes: 64 << 10 } }, { approve });
  await tools.write_file.execute({ path: 'data/first.json', content: '{}' });
  const { token } = await kernel.issueToken({ allow: ['*'], calls: 12 });
  const holder = tgpTools(kernel, { token });
  let begun = 0;
  const write = () => {
    begun += 1;
    const content = JSON.stringify('x'.repeat(5_000));
    return holder.write_file.execute({ path: `data/${begun}.json`, content }).then(() => 'written');
  };
  const release = await lockInOtherProcess(rootDir);
  /** @type {Promise<string>[]} */
  const writes = [];
  // Until three writes wait for spool space.
  for (let waiting = 0; waiting < 3; ) {
    const next = write();
    writes.push(next);
    if ((await Promise.race([next, setTimeout(300, 'waits')])) === 'waits') waiting += 1;
    expect(writes.length).toBeLessThan(12);
  }
  await release();
  expect(new Set(await Promise.all(writes))).toEqual(new Set(['written']));
  while (begun < 12) await write();
  expect(asked).toBe(13);
  await expect(write()).rejects.toThrow('used up');
});

test('a write gets spool space beside runs with large results, which are recorded without them', async () => {
  const { kernel, tools, rootDir } = await createKernel({ ledger: { spoolBytes: 1 << 20 } });
  await tools.write_file.execute({ path: 'tools/large.ts', content: LARGE });
  const release = await lockInOtherProcess(rootDir);
  for (let n = 0; n < 8; n++) await kernel.exec('tools/large.ts', { n });
  expect(await tools.write_file.execute({ path: 'data/a.json', content: '{}' })).toMatchObject({ success: true });
  await release();
  const results = ofTool(await kernel.ledger.tail({ limit: 100 }), 'RESULT');
  expect(results).toHaveLength(8);
  expect(results.filter(({ result }) => String(result).startsWith('[left out: ')).length).toBeGreaterThan(3);
  expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
});

test('a call waits for spool space for its intent, and is refused after the timeout', async () => {
  const { tools, rootDir } = await createKernel({ ledger: { spoolBytes: 64 << 10 } });
  await tools.write_file.execute({ path: 'data/first.json', content: '{}' });
  let written = 0;
  const write = () => {
    const content = JSON.stringify('x'.repeat(20_000));
    written += 1;
    return tools.write_file.execute({ path: `data/${written}.json`, content }).then(
      () => 'written',
      (error) => error.code,
    );
  };
  const several = () => Promise.all(Array.from({ length: 8 }, write));
  const release = await lockInOtherProcess(rootDir);
  const waiting = several();
  const early = await Promise.race([waiting, setTimeout(1_000, 'waiting')]);
  await release();
  expect(early).toBe('waiting');
  expect(new Set(await waiting)).toEqual(new Set(['written']));
  const releaseAgain = await lockInOtherProcess(rootDir);
  const outcomes = await several();
  await releaseAgain();
  expect(outcomes).toContain('ERR_LEDGER');
});

test('a host call of a run waits for spool space too', async () => {
  const effects = /** @type {number[]} */ ([]);
  const { kernel, tools, rootDir } = await createKernel({
    ledger: { spoolBytes: 64 << 10 },
    sandboxAPI: { effect: (/** @type {number} */ n) => effects.push(n) },
  });
  const content = 'export default async (): Promise<number> => tgp.effect(7);\n';
  await tools.write_file.execute({ path: 'tools/effect.ts', content });
  expect(await kernel.exec('tools/effect.ts')).toMatchObject({ result: 1 });
  const release = await lockInOtherProcess(rootDir);
  for (let n = 0; n < 4; n++) await kernel.ledger.append({ text: 'x'.repeat(10_000) });
  const run = kernel.exec('tools/effect.ts');
  const early = await Promise.race([run.catch((error) => error.code), setTimeout(1_000, 'waiting')]);
  await release();
  expect(early).toBe('waiting');
  expect(await run).toMatchObject({ result: 2 });
  expect(effects).toEqual([7, 7]);
});
