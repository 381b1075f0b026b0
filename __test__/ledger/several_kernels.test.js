/** Kernels that share a root, in one process and in several: one chain, without lost or duplicate events. */

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const MANY = 10_000;
const EACH = 100;

/** @param {string} rootDir */
function kernelOf(rootDir) {
  const kernel = new TGP({ config: { rootDir, sandbox: { warm: 0 } } });
  onTestFinished(() => kernel.shutdown());
  return kernel;
}

test('concurrent appends of four processes and two kernels form one chain', async () => {
  const folder = await tempRoot();
  const rootDir = join(folder, '.tgp');
  const kernels = [kernelOf(rootDir), kernelOf(rootDir)];
  const program = (/** @type {number} */ n) => `
    const kernel = new TGP({ config: { rootDir: '.tgp', sandbox: { warm: 0 } } });
    for (let i = 0; i < ${EACH}; i++) await kernel.ledger.append({ from: 'p${n}', i });
    await kernel.shutdown();
    console.log('true');`;
  const own = kernels.map(async (kernel, n) => {
    for (let i = 0; i < EACH; i++) await kernel.ledger.append({ from: `k${n}`, i });
  });
  await Promise.all([...own, ...[0, 1, 2, 3].map((n) => runProgram(folder, program(n)))]);
  const events = await kernels[0]?.ledger.query({ type: 'APPLICATION', limit: MANY });
  for (const from of ['k0', 'k1', 'p0', 'p1', 'p2', 'p3']) {
    const order = events?.filter((event) => event.from === from).map(({ i }) => i);
    expect(order, from).toEqual([...Array(EACH).keys()]);
  }
  const verdicts = await Promise.all(kernels.map((kernel) => kernel.ledger.verify()));
  expect(verdicts.map(({ ok, problem }) => problem ?? ok)).toEqual([true, true]);
});

test('a kernel sees its own events at once, and events of others soon', async () => {
  const { kernel, rootDir } = await createKernel();
  const other = kernelOf(rootDir);
  await other.boot();
  const stop = new AbortController();
  const seen = (async () => {
    const names = [];
    for await (const { name } of kernel.ledger.follow({ type: 'APPLICATION', after: 0, signal: stop.signal })) {
      names.push(name);
      if (names.length === 4) break;
    }
    return names;
  })();
  for (const name of ['a', 'b']) await kernel.ledger.append({ name });
  expect((await kernel.ledger.tail({ type: 'APPLICATION' })).map(({ name }) => name)).toEqual(['a', 'b']);
  for (const name of ['c', 'd']) await other.ledger.append({ name });
  expect(await seen).toEqual(['a', 'b', 'c', 'd']);
});

test('follow ends on its signal, the end of the loop and the shutdown', async () => {
  const { kernel } = await createKernel();
  await kernel.ledger.append({ n: 1 });
  const stop = new AbortController();
  const collect = (/** @type {AsyncIterable<any>} */ events) => {
    /** @type {number[]} */
    const seen = [];
    const ended = (async () => {
      for await (const { n } of events) seen.push(n);
      return seen;
    })();
    return { seen, ended };
  };
  const aborted = collect(kernel.ledger.follow({ after: 0, type: 'APPLICATION', signal: stop.signal }));
  const shut = collect(kernel.ledger.follow({ type: 'APPLICATION' }));
  let last = 1;
  // A follower without `after` sees only events after its start.
  do {
    last += 1;
    await kernel.ledger.append({ n: last });
    await new Promise((done) => setTimeout(done, 200));
  } while (shut.seen.length === 0);
  for (const { seen } of [aborted, shut]) await expect.poll(() => seen.at(-1)).toBe(last);
  stop.abort();
  const all = Array.from({ length: last }, (_, at) => at + 1);
  expect(await aborted.ended).toEqual(all);
  await kernel.shutdown();
  const [first = 0] = shut.seen;
  expect(first).toBeGreaterThan(1);
  expect(await shut.ended).toEqual(all.slice(first - 1));
  expect(await collect(kernel.ledger.follow()).ended).toEqual([]);
});

test('queries filter by session, path, tool, type and time, and page', async () => {
  const { kernel } = await createKernel();
  for (let n = 0; n < 25; n++)
    await kernel.ledger.append({ n, session: n % 2 ? 'odd' : 'even', path: `tools/t${n % 5}.ts` });
  const numbers = async (/** @type {import('../../index.js').LedgerQuery} */ query) =>
    (await kernel.ledger.query({ type: 'APPLICATION', ...query })).map(({ n }) => n);
  expect(await numbers({ session: 'odd', limit: 3 })).toEqual([19, 21, 23]);
  expect(await numbers({ path: 'tools/t4.ts' })).toEqual([4, 9, 14, 19, 24]);
  expect(await numbers({ path: 'tools/t4.ts', session: 'even' })).toEqual([4, 14, 24]);
  expect(await numbers({ session: 'nobody' })).toEqual([]);
  expect(await numbers({ tool: 'exec_tool' })).toEqual([]);
  expect(await numbers({ since: new Date(Date.now() + 60_000) })).toEqual([]);
  expect(await numbers({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
  expect(await numbers({ since: new Date(Date.now() - 60_000), limit: 1 })).toEqual([24]);
  const [first] = await kernel.ledger.query({ type: 'APPLICATION', after: 0, limit: 1 });
  expect(first?.n).toBe(0);
  expect(await numbers({ after: first?.seq, limit: 2 })).toEqual([1, 2]);
  for (const wrong of [{ limit: 0 }, { limit: 10_001 }, { since: 'yesterday' }, { type: 'CALLS' }, { sesion: 'x' }]) {
    await expect(kernel.ledger.query(/** @type {any} */ (wrong))).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  }
});

test('retention removes old events below a checkpoint, and the rest verifies', async () => {
  const { kernel, rootDir } = await createKernel({ ledger: { retainEvents: 50, checkpointEvents: 20 } });
  for (let n = 0; n < 200; n++) {
    await kernel.ledger.append({ n });
    if (n % 20 === 19) await kernel.ledger.checkpoint();
  }
  await kernel.shutdown();
  const next = new TGP({ config: { rootDir, ledger: { retainEvents: 50, checkpointEvents: 20 } } });
  onTestFinished(() => next.shutdown());
  expect(await next.ledger.verify()).toMatchObject({ ok: true });
  await expect.poll(async () => (await next.ledger.query({ after: 0, limit: 1 }))[0]?.seq).toBeGreaterThan(100);
  const kept = await next.ledger.query({ type: 'APPLICATION', limit: MANY });
  expect(kept.at(-1)?.n).toBe(199);
  expect(kept.length).toBeGreaterThanOrEqual(40);
});
