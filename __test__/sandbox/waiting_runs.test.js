import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** Long enough that a quick run can only end while the others still wait. */
const LONG_MS = 60_000;
const QUICK = 'return 7';

/** @returns {Promise<string>} the address of a server that never answers */
async function silentServer() {
  const server = createServer(() => {});
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
}

const RULES = { default: 'allow', rules: [{ id: 'posts', ask: ['net'], methods: ['POST'] }] };

describe('waiting runs do not block others', () => {
  it.each([
    ['for a timer', `await new Promise((done) => setTimeout(done, ${LONG_MS})); return 1`],
    ['for many short timers', 'for (;;) await new Promise((done) => setTimeout(done, 15))'],
    ['for a function of the application', 'return tgp.silent()'],
    ['for a request', 'return (await fetch(args.url)).status'],
    ['for an approval', "return (await fetch(args.url, { method: 'POST' })).status"],
    ['for SQL', "return tgp.exec_sql('SELECT 1 AS n')"],
    ['for a nested run that waits', `return tgp.exec_tool('tools/waits.ts', {})`],
  ])('%s', async (_, code) => {
    const url = await silentServer();
    /** @type {(value?: undefined) => void} */
    let release = () => {};
    const released = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      release = resolve;
    });
    const { kernel, tools } = await createKernel(
      {
        sandbox: { workers: 1, timeoutMs: 10_000, wallMs: 2 * LONG_MS, fetchTimeoutMs: LONG_MS },
        allowedFetchUrls: [url],
        policy: /** @type {any} */ (RULES),
      },
      {
        sandboxAPI: { silent: () => released },
        sql: (/** @type {string} */ text) => (text.includes('SELECT') ? released.then(() => []) : Promise.resolve([])),
        approve: () => released.then(() => false),
      },
    );
    await tools.write_file.execute({
      path: 'tools/waits.ts',
      content: `export default () => new Promise((done) => setTimeout(() => done(1), ${LONG_MS}))`,
    });
    const stop = new AbortController();
    let over = 0;
    const waiting = Array.from({ length: 6 }, () =>
      kernel
        .run(code, { url }, { signal: stop.signal })
        .catch(() => undefined)
        .finally(() => over++),
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => kernel.run(QUICK)));
    expect(answers.map(({ result }) => result)).toEqual([7, 7, 7, 7]);
    expect(over).toBe(0);
    stop.abort();
    release();
    await Promise.all(waiting);
  });
});
