import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/**
 * A server on loopback: `/slow` never answers, `/large` sends 8 MB of the byte in its query, other paths answer at once.
 */
async function serve() {
  const waiting = new Set();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/slow') return void waiting.add(response);
    if (pathname === '/large') return response.end(Buffer.alloc(8 << 20, Number(searchParams.get('byte'))));
    response.end('quick');
  });
  // The server must not close a connection while another request is in flight.
  server.keepAliveTimeout = 60_000;
  await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(undefined)));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, waiting };
}

describe("THREAT: one run's slow requests", () => {
  it('do not delay requests of other runs, and are limited per run', async () => {
    const { url, waiting } = await serve();
    const { kernel, tools } = await createKernel({ allowedFetchUrls: [url], sandbox: { workers: 2 } });
    await tools.write_file.execute({
      path: 'tools/slow.ts',
      content:
        "export default (a: { url: string }) => Promise.all(Array.from({ length: 60 }, () => fetch(a.url + '/slow')))",
    });
    await tools.write_file.execute({
      path: 'tools/quick.ts',
      content: 'export default async (a: { url: string }) => (await fetch(a.url)).text()',
    });
    const controller = new AbortController();
    let over = false;
    const slow = kernel.exec('tools/slow.ts', { url }, { signal: controller.signal }).catch(({ code }) => {
      over = true;
      return code;
    });
    await expect.poll(() => waiting.size, { timeout: 5000 }).toBe(16);
    for (let n = 0; n < 5; n++) expect((await kernel.exec('tools/quick.ts', { url })).result).toBe('quick');
    expect([over, waiting.size]).toEqual([false, 16]);
    controller.abort();
    expect(await slow).toBe('ERR_ABORTED');
  });

  it('are counted together with requests of nested runs', async () => {
    const { url, waiting } = await serve();
    const { kernel, tools } = await createKernel({ allowedFetchUrls: [url], sandbox: { workers: 2 } });
    await tools.write_file.execute({
      path: 'tools/slow.ts',
      content:
        "export default (a: { url: string }) => Promise.all(Array.from({ length: 10 }, () => fetch(a.url + '/slow')))",
    });
    await tools.write_file.execute({
      path: 'tools/many.ts',
      content:
        "export default (a: { url: string }) => Promise.all([1, 2].map(() => tgp.exec_tool('tools/slow.ts', a)))",
    });
    const controller = new AbortController();
    const many = kernel.exec('tools/many.ts', { url }, { signal: controller.signal }).catch(({ code }) => code);
    await expect.poll(() => waiting.size, { timeout: 5000 }).toBe(16);
    await new Promise((done) => setTimeout(done, 200));
    expect(waiting.size).toBe(16);
    controller.abort();
    expect(await many).toBe('ERR_ABORTED');
  });
});

/** Bytes that JSON writes as one, two and six characters, and a byte that is not valid UTF-8. */
const BYTES = [120, 34, 1, 255];

describe.skipIf(process.platform !== 'linux')("THREAT: one run's large responses", () => {
  it('use less than 200 MB of the host together, whatever their bytes, and arrive unchanged', async () => {
    const { url } = await serve();
    const report = await runProgram(
      await tempRoot(),
      `
      import { readFileSync } from 'node:fs';
      const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
      const url = ${JSON.stringify(url)};
      const kernel = new TGP({ config: { rootDir: './.tgp', allowedFetchUrls: [url], sandbox: { workers: 2, memoryMb: 512, timeoutMs: 60_000, wallMs: 120_000, fetchTimeoutMs: 120_000 } } });
      const { write_file } = tgpTools(kernel);
      await write_file.execute({ path: 'tools/large.ts', content: \`export default async (a: { url: string, byte: number }) => {
        const one = async () => {
          const bytes = new Uint8Array(await (await fetch(a.url + '/large?byte=' + a.byte)).arrayBuffer());
          return bytes.length === 8 << 20 && bytes.every((byte) => byte === a.byte);
        };
        return (await Promise.all(Array.from({ length: 16 }, one))).filter(Boolean).length;
      }\` });
      await write_file.execute({ path: 'tools/quick.ts', content: 'export default async (a: { url: string }) => (await fetch(a.url)).text()' });
      await kernel.exec('tools/quick.ts', { url });
      const idle = peak();
      const results = [];
      for (const byte of ${JSON.stringify(BYTES)}) {
        const run = kernel.exec('tools/large.ts', { url, byte });
        results.push(await run.then(({ result }) => result, (error) => error.code + ' ' + error.message));
      }
      await kernel.shutdown();
      console.log(JSON.stringify({ results, growth: peak() - idle }));
    `,
    );
    expect(report.results).toEqual(BYTES.map(() => 16));
    expect(report.growth).toBeLessThan(200);
  });
});
