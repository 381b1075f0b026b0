import { hostname } from 'node:os';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { serveHttp } from '../helpers/http_server.js';

/** @param {import('node:http').IncomingMessage} request */
async function textOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const CODE_OF =
  "const codeOf = async (job: () => unknown) => { try { await job(); return 'done' } catch (error: any) { return error.code ?? error.name } };";

describe('fetch', () => {
  it('sends method, headers and body, and reads the response in every format', async () => {
    const { url } = await serveHttp(async (request, response) => {
      const body = await textOf(request);
      if (request.url === '/bytes') return response.end(Buffer.from([0, 255, 128]));
      response.writeHead(201, { 'content-type': 'application/json', 'x-many': ['a', 'b'], 'set-cookie': 'secret=1' });
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
    });
    const { forge } = await createKernel({ allowedFetchUrls: [url] });
    const { result } = await forge(
      `
      const response = await fetch(new URL('/a?b=c', args.url), { method: 'post', headers: { 'X-Key': 'k', Authorization: 'Bearer t' }, body: JSON.stringify({ n: 1 }) });
      const again = response.clone === undefined;
      const json = await response.json();
      let used; try { await response.text() } catch (error: any) { used = error.name }
      const bytes = await tgp.fetch(args.url + '/bytes').then((r) => r.arrayBuffer());
      const form = await (await fetch(args.url, { method: 'PUT', body: new URLSearchParams({ q: 'ä' }) })).json();
      const sent = await (await fetch(args.url, { method: 'PATCH', headers: new Headers([['content-type', 'x/y']]), body: new Uint8Array([104, 105]) })).json();
      return { ok: response.ok, status: response.status, statusText: response.statusText, url: response.url, type: response.headers.get('Content-Type'),
        many: response.headers.get('x-many'), cookie: response.headers.has('set-cookie'), json, used, bytes: [...new Uint8Array(bytes)], form: [form.body, form.headers['content-type']],
        sent: [sent.body, sent.headers['content-type']], again, same: fetch === tgp.fetch };`,
      { url },
    );
    expect(result).toMatchObject({
      ok: true,
      status: 201,
      statusText: 'Created',
      url: `${url}/a?b=c`,
      type: 'application/json',
      many: 'a, b',
      cookie: false,
      json: { method: 'POST', url: '/a?b=c', body: '{"n":1}', headers: { 'x-key': 'k', authorization: 'Bearer t' } },
      used: 'TypeError',
      bytes: [0, 255, 128],
      form: ['q=%C3%A4', 'application/x-www-form-urlencoded;charset=UTF-8'],
      sent: ['hi', 'x/y'],
      same: true,
    });
  });

  it('runs ten requests concurrently', async () => {
    /** @type {import('node:http').ServerResponse[]} */
    const waiting = [];
    const { url } = await serveHttp((_, response) => {
      if (waiting.push(response) === 10) for (const one of waiting) one.end('1');
    });
    const { forge } = await createKernel({ allowedFetchUrls: [url] });
    const source =
      "return (await Promise.all(Array.from({ length: 10 }, () => fetch(args.url).then((r) => r.text())))).join('')";
    const { result } = await forge(source, { url });
    expect(result).toBe('1'.repeat(10));
  });
});

describe('the allow-list of fetch', () => {
  it('refuses look-alikes, user-info, other ports, schemes and paths; nothing is sent', async () => {
    let requests = 0;
    const { url, port } = await serveHttp((_, response) => {
      requests += 1;
      response.end('secret');
    });
    const { forge } = await createKernel({
      allowedFetchUrls: [`${url}/v1`, 'https://api.example.com'],
      sandbox: { timeoutMs: 1000 },
    });
    const urls = [
      url,
      `${url}/v10`,
      `${url}/v1/../v2`,
      `${url}/v1/%2e%2e/v2`,
      `${url}/v1/..%2fv2`,
      `http://127.0.0.1:${port + 1}/v1`,
      `https://127.0.0.1:${port}/v1`,
      `http://user:pw@127.0.0.1:${port}/v1`,
      `http://127.0.0.2:${port}/v1`,
      `http://localhost:${port}/v1`,
      `http://[::1]:${port}/v1`,
      `http://[::ffff:127.0.0.1]:${port}/v1`,
      'https://api.example.com.evil.org/',
      'https://api.example.com@evil.org/',
      'http://169.254.169.254/latest/meta-data',
      // The same two addresses, spelt as URLs allow it.
      'http://2852039166/latest/meta-data',
      'http://0xa9.0xfe.0251.254/latest/meta-data',
      'http://[::ffff:a9fe:a9fe]/latest/meta-data',
      `http://2130706433:${port}/v2`,
      `http://127.1:${port}/v2`,
      `http://0x7f.1:${port}/v1%2f..%2fv2`,
      `http://①②⑦.0.0.1:${port}/v2`,
    ];
    const { result } = await forge(
      `${CODE_OF} return Promise.all(args.urls.map((url: string) => codeOf(() => fetch(url))))`,
      { urls },
    );
    expect(result).toEqual(urls.map(() => 'ERR_SECURITY_VIOLATION'));
    for (const bad of ['file:///etc/passwd', 'data:text/plain,x', '/relative', 'x']) {
      await expect(forge('return fetch(args.bad)', { bad })).rejects.toMatchObject({ code: 'ERR_FETCH' });
    }
    expect(requests).toBe(0);
    await expect(forge('return fetch(args.url)', { url })).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
      message: expect.stringMatching(/^Security Violation.*not in the allowed list/),
    });
    expect((await forge("return (await fetch(args.url + '/v1/x')).text()", { url })).result).toBe('secret');
  });

  it('is empty by default, and an entry that is not a URL is refused by name', async () => {
    const { forge } = await createKernel();
    await expect(forge("return fetch('https://example.com')")).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
    for (const entry of ['example.com', '*', 'https://a:b@c', 'https://x?y']) {
      const { kernel } = await createKernel({ allowedFetchUrls: [entry] });
      await expect(kernel.boot(), entry).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringMatching(/allowedFetchUrls/),
      });
    }
  });

  it('is checked at every redirect, and credentials are not sent to another origin', async () => {
    /** @type {Record<string, unknown>} */
    let seen = {};
    const other = await serveHttp((request, response) => {
      seen = request.headers;
      response.end('other');
    });
    const forbidden = await serveHttp((_, response) => response.end('never'));
    const { url } = await serveHttp((request, response) => {
      const targets = {
        '/other': `${other.url}/x`,
        '/forbidden': forbidden.url,
        '/metadata': 'http://169.254.169.254/',
        '/file': 'file:///etc/passwd',
        '/user': `http://a:b@127.0.0.1:${other.port}/`,
        '/loop': '/loop',
        '/post': '/echo',
      };
      const location = Reflect.get(targets, request.url ?? '');
      if (location) return response.writeHead(302, { location }).end();
      response.end(`${request.method} ${request.url}`);
    });
    const { forge } = await createKernel({ allowedFetchUrls: [url, other.url], sandbox: { timeoutMs: 1000 } });
    const { result } = await forge(
      `${CODE_OF}
      const moved = await fetch(args.url + '/other', { headers: { authorization: 'Bearer secret', cookie: 'a=b', 'x-plain': '1' } });
      const shown = await fetch(args.url + '/other', { redirect: 'manual' });
      return [await moved.text(), moved.url, moved.redirected, shown.status, shown.headers.get('location'),
        await (await fetch(args.url + '/post', { method: 'POST', body: 'x' })).text(),
        ...await Promise.all(['/forbidden', '/metadata', '/file', '/user', '/loop'].map((path) => codeOf(() => fetch(args.url + path)))),
        await codeOf(() => fetch(args.url + '/other', { redirect: 'error' }))];`,
      { url },
    );
    expect(result).toEqual([
      'other',
      `${other.url}/x`,
      true,
      302,
      `${other.url}/x`,
      'GET /echo',
      'ERR_SECURITY_VIOLATION',
      'ERR_SECURITY_VIOLATION',
      'ERR_FETCH',
      'ERR_SECURITY_VIOLATION',
      'ERR_FETCH',
      'ERR_FETCH',
    ]);
    expect(seen).toMatchObject({ 'x-plain': '1' });
    expect(seen).not.toHaveProperty('authorization');
    expect(seen).not.toHaveProperty('cookie');
  });

  it('refuses names with private addresses unless they are listed as such', async () => {
    const { port } = await serveHttp((_, response) => response.end('local'), '0.0.0.0');
    const { forge } = await createKernel({
      allowedFetchUrls: [`http://${hostname()}:${port}`, `http://localhost:${port}`],
    });
    const source = 'return (await fetch(args.url)).text()';
    await expect(forge(source, { url: `http://${hostname()}:${port}` })).rejects.toMatchObject({
      code: expect.stringMatching(/ERR_SECURITY_VIOLATION|ERR_FETCH/),
    });
    expect((await forge(source, { url: `http://localhost:${port}/` })).result).toBe('local');
  });
});

describe('a hostile request or server', () => {
  it('only supported headers, methods and bodies are sent', async () => {
    let requests = 0;
    const { url } = await serveHttp((_, response) => {
      requests += 1;
      response.end();
    });
    const { forge } = await createKernel({ allowedFetchUrls: [url], sandbox: { timeoutMs: 1000 } });
    const { result } = await forge(
      `${CODE_OF}
      const inits: any[] = [{ headers: { Host: 'evil' } }, { headers: { 'X-Forwarded-For': '::1' } }, { headers: [['transfer-encoding', 'chunked']] }, { headers: { 'Proxy-Authorization': 'x' } },
        { headers: { a: 'b\\r\\nHost: evil' } }, { headers: { 'a\\r\\nb': 'c' } }, { headers: { a: '\\u2028€' } }, { method: 'TRACE' }, { method: 'CONNECT' }, { method: 'GET\\r\\n' }, { body: 'x' },
        { method: 'POST', body: { a: 1 } }, { redirect: 'maybe' }, { signal: {} }];
      return Promise.all(inits.map((init) => codeOf(() => fetch(args.url, init))));`,
      { url },
    );
    expect(result).toEqual([
      ...Array(4).fill('ERR_SECURITY_VIOLATION'),
      ...Array(3).fill('TypeError'),
      ...Array(4).fill('ERR_FETCH'),
      'TypeError',
      'ERR_FETCH',
      'TypeError',
    ]);
    expect(requests).toBeLessThanOrEqual(1);
  });

  it('a response without a body has the body null', async () => {
    const { url } = await serveHttp((_, response) => response.writeHead(204).end());
    const { forge } = await createKernel({ allowedFetchUrls: [url], sandbox: { timeoutMs: 1000 } });
    const source =
      'const r = await fetch(args.url); return [r.status, r.body, await r.text(), new Response(r.body, r).status]';
    expect((await forge(source, { url })).result).toEqual([204, null, '', 204]);
  });

  it('connection headers set by packages are ignored', async () => {
    const { url } = await serveHttp(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(
        JSON.stringify([
          body,
          request.headers['content-length'],
          request.headers.te ?? '',
          request.headers['x-key'],
          request.headers.date ?? '',
          request.headers.via ?? '',
          request.headers.host,
        ]),
      );
    });
    const { forge } = await createKernel({ allowedFetchUrls: [url], sandbox: { timeoutMs: 1000 } });
    const { result } = await forge(
      `const headers = { 'Content-Length': '2', TE: 'trailers', Connection: 'close', 'x-key': 'k', Date: 'now', Via: '1.1 a', Host: new URL(args.url).host };
      return (await fetch(args.url, { method: 'POST', headers, body: 'whole' })).json();`,
      { url },
    );
    expect(result).toEqual(['whole', '5', '', 'k', '', '', new URL(url).host]);
  });

  it('endless, large and compressed bodies end at fetchBytes; slow ones at fetchTimeoutMs', async () => {
    const packed = { gzip: gzipSync(Buffer.alloc(50 << 20)), br: brotliCompressSync(Buffer.alloc(50 << 20)) };
    const { url } = await serveHttp((request, response) => {
      if (request.url === '/endless') {
        const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
        return response.on('close', () => clearInterval(timer));
      }
      if (request.url === '/large') return response.writeHead(200, { 'content-length': '99999999' }).write('x');
      if (request.url === '/gzip') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.gzip);
      if (request.url === '/br') return response.writeHead(200, { 'content-encoding': 'br' }).end(packed.br);
      if (request.url === '/small')
        return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('small'));
      if (request.url === '/broken') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
      if (request.url === '/drip') return response.write('x');
    });
    const { forge } = await createKernel({
      allowedFetchUrls: [url],
      sandbox: { fetchBytes: 100_000, fetchTimeoutMs: 1000, timeoutMs: 1000 },
    });
    const source = `${CODE_OF}
      return [await (await fetch(args.url + '/small')).text(), ...await Promise.all(['/endless', '/large', '/gzip', '/br', '/broken', '/drip', '/silent'].map((path) => codeOf(() => fetch(args.url + path)))),
        await codeOf(() => fetch(args.url, { method: 'POST', body: 'x'.repeat(200_000) }))];`;
    const { result } = await forge(source, { url });
    expect(result).toEqual(['small', ...Array(8).fill('ERR_FETCH')]);
    await expect(forge("return fetch(args.url + '/large')", { url })).rejects.toThrow(/fetchBytes/);
    await expect(forge("return fetch(args.url + '/silent')", { url })).rejects.toThrow(/fetchTimeoutMs/);
  });

  it('an AbortSignal ends the request, and so does the end of the run', async () => {
    let arrived = 0;
    let closed = 0;
    const { url } = await serveHttp((_, response) => {
      arrived += 1;
      response.on('close', () => {
        closed += 1;
      });
    });
    const there = async (/** @type {number} */ count) => {
      await expect.poll(() => arrived).toBeGreaterThanOrEqual(count);
    };
    const { forge } = await createKernel({ allowedFetchUrls: [url] }, { sandboxAPI: { there } });
    const { result } = await forge(
      `${CODE_OF}
      const controller = new AbortController();
      const answer = codeOf(() => fetch(args.url, { signal: controller.signal }));
      tgp.there(1).then(() => controller.abort());
      const done = AbortSignal.abort(new RangeError('before'));
      return [await answer, await codeOf(() => fetch(args.url, { signal: done })), await codeOf(() => fetch(args.url, { signal: AbortSignal.timeout(1_000) }))];`,
      { url },
    );
    expect(result).toEqual([20, 'RangeError', 23]);
    const leaves = 'fetch(args.url); await tgp.there(3); return 1';
    expect((await forge(leaves, { url })).result).toBe(1);
    await expect.poll(() => closed).toBe(3);
  });
});
