import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { serveHttp } from '../helpers/http_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const VALUE = 'sk_live_"odd"&value/1';
const CODE_OF = `const codeOf = async (job: () => Promise<unknown>) => { try { await job(); return 'done'; } catch (error: any) { return [error.code, error.message]; } };`;

/** A server that repeats all it is told, and remembers it. */
async function echo() {
  /** @type {{ url: string | undefined, authorization: string | undefined, body: string }[]} */
  const heard = [];
  const { port, url } = await serveHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    heard.push({ url: request.url, authorization: request.headers.authorization, body });
    if (request.url?.startsWith('/again'))
      return response.writeHead(301, { location: request.url.replace('/again', '/moved') }).end();
    if (request.url === '/away') return response.writeHead(307, { location: request.headers['x-to'] }).end();
    response.setHeader('x-echo', encodeURIComponent(request.headers.authorization ?? ''));
    response.end(JSON.stringify({ ...heard.at(-1), bytes: request.url === '/bytes' ? '\u0000\u0001' : '' }));
  });
  return { heard, port, url };
}

test('a secret goes to its hosts and functions, and nowhere else; nothing that comes back repeats it', async () => {
  const [bank, other] = await Promise.all([echo(), echo()]);
  /** @type {unknown[]} */
  const told = [];
  const { forge } = await createKernel(
    {
      allowedFetchUrls: [bank.url, other.url],
      secrets: { KEY: { value: VALUE, hosts: [`127.0.0.1:${bank.port}`], functions: ['pay'] } },
    },
    {
      sandboxAPI: {
        pay: (/** @type {any} */ order) => {
          told.push(order);
          if (order.fail) throw new Error(`The bank refused ${order.key}.`);
          return { paidWith: order.key };
        },
        mail: (/** @type {any} */ text) => told.push(text),
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
  expect(bank.heard[0]).toEqual({
    url: `/json?k=${encodeURIComponent(VALUE)}`,
    authorization: `Bearer ${VALUE}`,
    body: JSON.stringify({ key: VALUE }),
  });
  expect(bank.heard[1]).toMatchObject({
    url: `/form?k=${encodeURIComponent(VALUE)}`,
    body: new URLSearchParams({ k: VALUE }).toString(),
  });
  expect(told.slice(0, 1)).toEqual([{ key: VALUE, note: ['for', VALUE] }]);
  const given = /** @type {any} */ (result);
  expect(given.paid).toEqual({ paidWith: '{{secret:KEY}}' });
  expect(given.failed[1]).toContain('The bank refused {{secret:KEY}}.');
  expect(JSON.parse(given.answers[0])).toMatchObject({ authorization: 'Bearer {{secret:KEY}}' });
  expect(given.refused.map((/** @type {string[]} */ [code]) => code)).toEqual([
    ...Array(5).fill('ERR_SECURITY_VIOLATION'),
    'ERR_VALIDATION',
  ]);
  expect(given.refused[0][1]).toMatch(/'KEY' may not be sent to '127\.0\.0\.1'.*127\.0\.0\.1:\d+, tgp\.pay/);
  expect(other.heard).toEqual([]);
  expect(told).toHaveLength(2);
  expect(inspect(result, { depth: null })).not.toMatch(/odd|sk_live/);
});

test('a redirect carries no value: neither to another host nor into what the tool sees', async () => {
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
  expect(bank.heard[1]?.url).toBe(`/moved?k=${encodeURIComponent(VALUE)}`);
  expect(result).toMatchObject([
    `${bank.url}/moved?k={{secret:KEY}}`,
    expect.any(String),
    ['ERR_SECURITY_VIOLATION', expect.any(String)],
  ]);
  expect(other.heard).toEqual([]);
  expect(inspect(result, { depth: null })).not.toMatch(/odd|sk_live/);
});

test('a placeholder with spaces counts; one in a path, and thousands of them, are refused', async () => {
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
  expect(bank.heard.map(({ authorization }) => authorization?.slice(0, 8))).toEqual(['sk_live_']);
});

test('text that looks like a placeholder is left alone where no secrets are', async () => {
  const { url } = await echo();
  const { forge } = await createKernel({ allowedFetchUrls: [url] });
  const { result } = await forge(`return (await fetch(args.url, { method: 'POST', body: '{{secret:KEY}}' })).json();`, {
    url,
  });
  expect(result).toMatchObject({ body: '{{secret:KEY}}' });
});

test('a secret that cannot be meant is refused at boot by its key, and none is shown', async () => {
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
