import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { serveHttp } from '../helpers/http_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const VALUE = 'sk_live_"odd"&value/1';
const CODE_OF = `const codeOf = async (job: () => Promise<unknown>) => { try { await job(); return 'done'; } catch (error: any) { return [error.code, error.message]; } };`;

/** A server that echoes and records its requests. */
async function echo() {
  /** @type {{ url: string | undefined, authorization: string | undefined, body: string }[]} */
  const requests = [];
  const { port, url } = await serveHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url, authorization: request.headers.authorization, body });
    if (request.url?.startsWith('/again'))
      return response.writeHead(301, { location: request.url.replace('/again', '/moved') }).end();
    if (request.url === '/away') return response.writeHead(307, { location: request.headers['x-to'] }).end();
    response.setHeader('x-echo', encodeURIComponent(request.headers.authorization ?? ''));
    response.end(JSON.stringify({ ...requests.at(-1), bytes: request.url === '/bytes' ? '\u0000\u0001' : '' }));
  });
  return { requests, port, url };
}

test('a secret is sent only to its hosts and functions, and is masked in everything that returns', async () => {
  const [bank, other] = await Promise.all([echo(), echo()]);
  /** @type {unknown[]} */
  const received = [];
  const { forge } = await createKernel(
    {
      allowedFetchUrls: [bank.url, other.url],
      secrets: { KEY: { value: VALUE, hosts: [`127.0.0.1:${bank.port}`], functions: ['pay'] } },
    },
    {
      sandboxAPI: {
        pay: (/** @type {any} */ order) => {
          received.push(order);
          if (order.fail) throw new Error(`The bank refused ${order.key}.`);
          return { paidWith: order.key };
        },
        mail: (/** @type {any} */ text) => received.push(text),
      },
    },
  );
  const { result } = await forge(
    `${CODE_OF}
    const key = '{{secret:KEY}}';
    const authorization = 'Bearer ' + key;
    const json = await fetch(args.bank + '/json?k=' + key, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify({ key }) });
    const form = await fetch(args.bank + '/form?' + new URLSearchParams({ k: key }), { method: 'POST', body: new URLSearchParams({ k: key }) });
    return {
      answers: [await json.text(), json.headers.get('x-echo'), json.url, await form.text()],
      paid: await tgp.pay({ key, note: ['for', key] }),
      failed: await codeOf(() => tgp.pay({ key, fail: true })),
      refused: [
        await codeOf(() => fetch(args.other, { headers: { authorization } })),
        await codeOf(() => fetch(args.other + '/?k=' + key)),
        await codeOf(() => fetch(args.other, { method: 'POST', body: key })),
        await codeOf(() => fetch(args.bank + '/away', { headers: { 'x-key': key, 'x-to': args.other } })),
        await codeOf(() => tgp.mail(key)),
        await codeOf(() => fetch(args.bank, { headers: { 'x-key': '{{secret:NONE}}' } })),
      ],
    };`,
    { bank: bank.url, other: other.url },
  );
  expect(bank.requests[0]).toEqual({
    url: `/json?k=${encodeURIComponent(VALUE)}`,
    authorization: `Bearer ${VALUE}`,
    body: JSON.stringify({ key: VALUE }),
  });
  expect(bank.requests[1]).toMatchObject({
    url: `/form?k=${encodeURIComponent(VALUE)}`,
    body: new URLSearchParams({ k: VALUE }).toString(),
  });
  expect(received.slice(0, 1)).toEqual([{ key: VALUE, note: ['for', VALUE] }]);
  const output = /** @type {any} */ (result);
  expect(output.paid).toEqual({ paidWith: '{{secret:KEY}}' });
  expect(output.failed[1]).toContain('The bank refused {{secret:KEY}}.');
  expect(JSON.parse(output.answers[0])).toMatchObject({ authorization: 'Bearer {{secret:KEY}}' });
  expect(output.refused.map((/** @type {string[]} */ [code]) => code)).toEqual([
    ...Array(5).fill('ERR_SECURITY_VIOLATION'),
    'ERR_VALIDATION',
  ]);
  expect(output.refused[0][1]).toContain(
    `'KEY' may not be sent to '127.0.0.1:${other.port}'. Allowed: 127.0.0.1:${bank.port}, tgp.pay`,
  );
  expect(other.requests).toEqual([]);
  expect(received).toHaveLength(2);
  expect(inspect(result, { depth: null })).not.toMatch(/odd|sk_live/);
});

test('a redirect does not carry a secret to another host or into the response', async () => {
  const [bank, other] = await Promise.all([echo(), echo()]);
  const secrets = { KEY: { value: VALUE, hosts: [`127.0.0.1:${bank.port}`] } };
  const { forge } = await createKernel({ allowedFetchUrls: [bank.url, other.url], secrets });
  const { result } = await forge(
    `${CODE_OF}
    const again = await fetch(args.bank + '/again?k={{secret:KEY}}');
    const away = await codeOf(() => fetch(args.bank + '/away', { headers: { 'x-to': args.other + '/?k={{secret:KEY}}' } }));
    return [again.url, await again.text(), away];`,
    { bank: bank.url, other: other.url },
  );
  expect(bank.requests[1]?.url).toBe(`/moved?k=${encodeURIComponent(VALUE)}`);
  expect(result).toMatchObject([
    `${bank.url}/moved?k={{secret:KEY}}`,
    expect.any(String),
    ['ERR_SECURITY_VIOLATION', expect.any(String)],
  ]);
  expect(other.requests).toEqual([]);
  expect(inspect(result, { depth: null })).not.toMatch(/odd|sk_live/);
});

test('a placeholder may contain spaces; placeholders in a path, and more than 256, are refused', async () => {
  const bank = await echo();
  const secrets = { KEY: { value: VALUE.padEnd(4096, 'x'), hosts: [`127.0.0.1:${bank.port}`] } };
  const { forge } = await createKernel({ allowedFetchUrls: [bank.url], secrets });
  const { result } = await forge(
    `${CODE_OF}
    return [
      (await fetch(args.url, { headers: { authorization: '{{ secret: KEY }}' } })).status,
      await codeOf(() => fetch(args.url + '/bot{{secret:KEY}}/x')),
      await codeOf(() => fetch(args.url, { method: 'POST', body: '{{secret:KEY}}'.repeat(10000) })),
    ];`,
    { url: bank.url },
  );
  expect(result).toEqual([
    200,
    ['ERR_VALIDATION', expect.stringContaining('path')],
    ['ERR_VALIDATION', expect.stringContaining('more than 256 secret placeholders')],
  ]);
  expect(bank.requests.map(({ authorization }) => authorization?.slice(0, 8))).toEqual(['sk_live_']);
});

test('text that looks like a placeholder is unchanged when no secrets are bound', async () => {
  const { url } = await echo();
  const { forge } = await createKernel({ allowedFetchUrls: [url] });
  const { result } = await forge(`return (await fetch(args.url, { method: 'POST', body: '{{secret:KEY}}' })).json();`, {
    url,
  });
  expect(result).toMatchObject({ body: '{{secret:KEY}}' });
});

test('boot refuses an invalid secret, names its key and hides its value', async () => {
  for (const [secret, key] of /** @type {[any, string][]} */ ([
    [{ value: VALUE }, 'secrets.KEY'],
    [{ hosts: ['x'] }, 'secrets.KEY'],
    [{ value: VALUE, env: 'HOME', hosts: ['x'] }, 'secrets.KEY'],
    [{ env: 'TGP_TEST_NOT_SET', hosts: ['x'] }, 'secrets.KEY.env'],
    [{ value: 'short', hosts: ['x'] }, 'secrets.KEY.value'],
    [{ value: VALUE, hosts: ['https://x'] }, 'secrets.KEY.hosts'],
    [{ value: VALUE, functions: ['nobody'] }, 'secrets.KEY.functions'],
  ])) {
    const kernel = new TGP({ config: { rootDir: await tempRoot(), secrets: { KEY: secret } } });
    onTestFinished(() => kernel.shutdown());
    await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', details: { key } });
    expect(inspect(kernel.config, { depth: null })).not.toContain('sk_live');
  }
  const { kernel } = await createKernel({ secrets: { KEY: { value: VALUE, hosts: ['x'] } } });
  await kernel.boot();
  expect(kernel.getSystemPrompt()).toContain('Secrets: write {{secret:KEY}} for x in a header');
  expect(kernel.config).toMatchObject({ secrets: { KEY: { value: '[hidden]', hosts: ['x'], functions: [] } } });
});
