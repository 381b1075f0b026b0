import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqlite } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

/** @param {import('node:http').OutgoingHttpHeaders} headers */
async function serve(headers) {
  const server = createServer((_, response) => response.writeHead(200, headers).end('{"a":1}'));
  await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(undefined)));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}/`;
}

describe('results of host calls, as in the TypeScript package', () => {
  it("response.headers supports get(), properties such as headers['content-type'], and iteration", async () => {
    const url = await serve({
      'Content-Type': 'application/json',
      'X-Many': ['a', 'b'],
      get: 'none',
      constructor: 'none',
    });
    const { forge } = await createKernel({ allowedFetchUrls: [url], sandbox: { timeoutMs: 5000 } });
    const { result } = await forge(
      `const response = await tgp.fetch(args.url);
       const { headers } = response;
       const before = [headers['content-type'], headers['x-many'], headers['Content-Type'] ?? 'none', headers.get('Content-Type'), headers.get('get'), headers.has('x-many')];
       const names = Object.keys(headers).filter((name) => name === 'content-type' || name === 'x-many').sort();
       const iterated = [...headers].filter(([name]) => name.startsWith('x-')), spread = { ...headers }['x-many'], json = JSON.parse(JSON.stringify(headers))['content-type'];
       const copy = new Headers(headers).get('x-many');
       headers.set('x-many', 'c'); headers.append('x-new', '1'); headers.append('x-new', '2'); headers.delete('content-type');
       return { before, names, iterated, spread, json, copy, after: [headers['x-many'], headers['x-new'], headers['content-type'] ?? 'gone', headers instanceof Headers, typeof headers.get, typeof headers.constructor],
         own: Object.keys(new Headers({ a: 'b' })) };`,
      { url },
    );
    expect(result).toEqual({
      before: ['application/json', 'a, b', 'none', 'application/json', 'none', true],
      names: ['content-type', 'x-many'],
      iterated: [['x-many', 'a, b']],
      spread: 'a, b',
      json: 'application/json',
      copy: 'a, b',
      after: ['c', '1, 2', 'gone', true, 'function', 'function'],
      own: [],
    });
  });

  it('asynchronous calls return real promises, with then, catch and finally', async () => {
    const url = await serve({});
    const { forge, tools } = await createKernel(
      { allowedFetchUrls: [url], sandbox: { timeoutMs: 5000 } },
      { sql: sqlite(':memory:'), sandboxAPI: { add: (/** @type {number} */ a, /** @type {number} */ b) => a + b } },
    );
    await tools.write_file.execute({ path: 'tools/one.ts', content: 'export default () => 1' });
    const { result } = await forge(
      `const calls = { fetch: () => tgp.fetch(args.url).then((r) => r.json()), sql: () => tgp.exec_sql('SELECT 1 AS one'), tool: () => tgp.exec_tool('tools/one.ts'), own: () => tgp.add(1, 2) };
       const wrong = { fetch: () => tgp.fetch('http://elsewhere.example'), tool: () => tgp.exec_tool('tools/none.ts') };
       const seen = {};
       for (const [name, call] of Object.entries(calls)) { const made = call(); seen[name] = [made instanceof Promise, await made.then((v) => v).finally(() => {})] }
       for (const [name, call] of Object.entries(wrong)) seen[name].push(await call().catch((error) => error.code));
       return seen;`,
      { url },
    );
    expect(result).toEqual({
      fetch: [true, { a: 1 }, 'ERR_SECURITY_VIOLATION'],
      sql: [true, [{ one: 1 }]],
      tool: [true, 1, 'ERR_NOT_FOUND'],
      own: [true, 3],
    });
  });

  it('file calls work with and without await', async () => {
    const { forge, tools } = await createKernel();
    await tools.write_file.execute({ path: 'data.json', content: '{"a":1}' });
    const { result } = await forge(
      "return [tgp.read_file('data.json'), await tgp.read_file('data.json'), await Promise.resolve(tgp.list_files('/lib')).then((files) => files.length), (await tgp.write_file('/tmp/a.txt', 'x')).success]",
    );
    expect(result).toEqual(['{"a":1}', '{"a":1}', 1, true]);
  });
});
