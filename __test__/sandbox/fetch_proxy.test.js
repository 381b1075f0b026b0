import { once } from 'node:events';
import { createServer } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { privateAuthority } from '../helpers/certificates.js';
import { connectProxy } from '../helpers/connect_proxy.js';
import { createKernel } from '../helpers/create_kernel.js';

const HOST = 'api.company.invalid';
const FETCH =
  'try { return await (await fetch(args.url)).text() } catch (error: any) { return error.code ?? error.name }';

/** A server that only the proxy can reach, with a certificate of a private authority. */
async function company() {
  const { ca, key, cert } = await privateAuthority([HOST, '127.0.0.1']);
  const server = createServer({ key, cert }, (request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: `https://other.${HOST}/secret` });
    response.end(`hello from ${request.headers.host}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const proxy = await connectProxy({ [`${HOST}:443`]: port, [`other.${HOST}:443`]: port });
  return { ca, proxy, url: `https://${HOST}/`, near: `https://127.0.0.1:${port}/` };
}

/** @param {import('../../index.js').TGPConfigInput} config @param {string} url */
async function fetched(config, url) {
  const { forge } = await createKernel(config);
  return (await forge(FETCH, { url })).result;
}

describe('fetch through a proxy, with a private certificate authority', () => {
  it('uses the proxy and trusts the authority with network.forTools', async () => {
    const { ca, proxy, url, near } = await company();
    const config = { allowedFetchUrls: [url, near], network: { proxy: proxy.url, ca, forTools: true } };
    expect(await fetched(config, url)).toBe(`hello from ${HOST}`);
    expect(await fetched(config, near), 'this machine is reached directly').toContain('hello');
    expect(proxy.asked).toEqual([`${HOST}:443`]);
  });

  it('uses neither the proxy nor the authority without network.forTools', async () => {
    const { ca, proxy, url, near } = await company();
    const config = { allowedFetchUrls: [url, near], network: { proxy: proxy.url, ca } };
    expect(await fetched(config, url)).toBe('ERR_FETCH');
    expect(await fetched(config, near)).toBe('ERR_FETCH');
    expect(proxy.asked).toEqual([]);
  });

  it('trusts the authority without a proxy, and through a proxy only with the authority', async () => {
    const { ca, proxy, url, near } = await company();
    const allowedFetchUrls = [url, near];
    expect(await fetched({ allowedFetchUrls, network: { ca, forTools: true } }, near)).toContain('hello');
    const network = { proxy: proxy.url, forTools: true };
    expect(await fetched({ allowedFetchUrls, network }, url)).toBe('ERR_FETCH');
    expect(proxy.asked).toEqual([`${HOST}:443`]);
  });

  it('applies the allow-list: neither another host nor a redirect reaches the proxy', async () => {
    const { ca, proxy, url } = await company();
    const config = { allowedFetchUrls: [url], network: { proxy: proxy.url, ca, forTools: true } };
    expect(await fetched(config, `https://other.${HOST}/`)).toBe('ERR_SECURITY_VIOLATION');
    expect(await fetched(config, `${url}away`)).toBe('ERR_SECURITY_VIOLATION');
    expect(proxy.asked).toEqual([`${HOST}:443`]);
  });

  it('reports which proxy failed and how to fix it, without its password', async () => {
    const { url } = await company();
    const authorization = `Basic ${Buffer.from('me:hunter2').toString('base64')}`;
    const strict = await connectProxy({}, { authorization });
    const fetchError = `try { await fetch(args.url); return 'done' } catch (error: any) { return error.message }`;
    for (const [proxy, message] of /** @type {[string, RegExp][]} */ ([
      ['http://me:hunter3@127.0.0.1:9', /the proxy '127\.0\.0\.1:9' \(network\.proxy\) made no connection/],
      [strict.url, /the proxy '127\.0\.0\.1:\d+' \(network\.proxy\) requires a user name and a password/],
    ])) {
      const { forge } = await createKernel({ allowedFetchUrls: [url], network: { proxy, forTools: true } });
      const { result } = await forge(fetchError, { url });
      expect(result).toMatch(message);
      expect(result).not.toContain('hunter');
    }
  });

  it('ignores proxies of the environment', async () => {
    const { ca, proxy, url } = await company();
    const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'];
    for (const name of names) process.env[name] = proxy.url;
    onTestFinished(() => {
      for (const name of names) delete process.env[name];
    });
    const config = { allowedFetchUrls: [url], network: { ca, forTools: true } };
    expect(await fetched(config, url)).toBe('ERR_FETCH');
    expect(proxy.asked).toEqual([]);
  });
});
