import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** Long enough that nothing but its end in time explains that a quick run is over. */
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

describe('runs that wait do not keep others out', () => {
  it.each([
    ['for a timer', `await new Promise((done) => setTimeout(done, ${LONG_MS})); return 1`],
    ['for a function of the application', 'return tgp.silent()'],
    ['for a request', 'return (await fetch(args.url)).status'],
    ['for a nested run that waits', `return tgp.exec_tool('tools/waits.ts', {})`],
  ])('%s', async (_, code) => {
    const url = await silentServer();
    const { kernel, tools } = await createKernel(
      {
        sandbox: { workers: 1, wallMs: 2 * LONG_MS, fetchTimeoutMs: LONG_MS },
        allowedFetchUrls: [url],
      },
      { sandboxAPI: { silent: () => new Promise(() => {}) } },
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
    await Promise.all(waiting);
  });

  it('up to sandbox.waiting', async () => {
    const { kernel } = await createKernel({ sandbox: { workers: 1, waiting: 1 } });
    const stop = new AbortController();
    const code = `await new Promise((done) => setTimeout(done, ${LONG_MS}))`;
    const waiting = Array.from({ length: 2 }, () =>
      kernel.run(code, {}, { signal: stop.signal, wallMs: 2 * LONG_MS }).catch(() => undefined),
    );
    let isOver = false;
    const quick = kernel.run(QUICK).then(({ result }) => {
      isOver = true;
      return result;
    });
    await new Promise((done) => setTimeout(done, 2_000));
    expect(isOver).toBe(false);
    stop.abort();
    expect(await quick).toBe(7);
    await Promise.all(waiting);
  });
});
