/** Ways in which a secret that was sent to a host or function could return to a tool. */

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { serveHttp } from '../helpers/http_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const VALUE = 'open ~sesame~ 42+1';
const CODE_OF = `const codeOf = async (job: () => Promise<unknown>) => { try { return await job(); } catch (error: any) { return [error.code, error.message]; } };`;

/** @param {unknown} value */
const shown = (value) => inspect(value, { depth: null });

test('Range headers are refused when secrets are bound, so that no echo can be split', async () => {
  /** @type {(string | undefined)[]} */
  const ranges = [];
  const bank = await serveHttp((request, response) => {
    ranges.push(request.headers.range);
    const [, from = 0, to = 0] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    response.writeHead(206).end(String(request.headers.authorization).slice(Number(from), Number(to) + 1));
  });
  const other = await serveHttp((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: bank.url }).end();
    else response.writeHead(206).end(request.headers.range);
  });
  const secrets = { KEY: { value: VALUE, hosts: [`127.0.0.1:${bank.port}`] } };
  const { forge } = await createKernel({ allowedFetchUrls: [bank.url, other.url], secrets });
  const { result } = await forge(
    `${CODE_OF}
    const text = (url: string, headers: Record<string, string>) => codeOf(async () => (await fetch(url, { headers })).text());
    return [
      await text(args.bank, { authorization: '{{secret:KEY}}', range: 'bytes=0-7' }),
      await text(args.bank, { authorization: '{{secret:KEY}}', Range: 'bytes=8-20' }),
      await text(args.bank, { range: 'bytes=0-0' }),
      await text(args.other + '/away', { range: 'bytes=0-7' }),
      await text(args.other, { range: 'bytes=0-7' }),
    ];`,
    { bank: bank.url, other: other.url },
  );
  const refused = ['ERR_SECURITY_VIOLATION', expect.stringContaining("'range'")];
  expect(result).toEqual([refused, refused, refused, refused, refused]);
  expect(ranges).toEqual([]);
});

test('HEAD and 304 responses of a host with bound secrets reveal nothing about the body', async () => {
  const etag = (/** @type {unknown} */ text) => `"${createHash('sha256').update(String(text)).digest('hex')}"`;
  const bank = await serveHttp((request, response) => {
    response.setHeader('etag', etag(request.headers.authorization)).setHeader('x-kind', 'plain');
    response.writeHead(request.method === 'HEAD' ? 200 : 304).end();
  });
  const secrets = { KEY: { value: VALUE, hosts: [`127.0.0.1:${bank.port}`] } };
  const { forge } = await createKernel({ allowedFetchUrls: [bank.url], secrets });
  const { result } = await forge(
    `const headers = { authorization: '{{secret:KEY}}' };
    const answers = [await fetch(args.url, { method: 'HEAD', headers }), await fetch(args.url, { headers })];
    return answers.map((answer) => [answer.status, answer.headers.get('etag'), answer.headers.get('x-kind')]);`,
    { url: bank.url },
  );
  expect(result).toEqual([
    [200, null, 'plain'],
    [304, null, 'plain'],
  ]);
});

test('a secret sent to one function is masked in results, errors, bytes, rows, files and responses of others', async () => {
  let kept = '';
  const folder = await tempRoot();
  const other = await serveHttp((_request, response) =>
    response.setHeader('x-kept', encodeURIComponent(kept)).end(kept),
  );
  const { forge } = await createKernel(
    {
      allowedFetchUrls: [other.url],
      fs: { allowedDirs: [folder] },
      secrets: { KEY: { value: VALUE, functions: ['store'] } },
    },
    {
      sql: async () => [{ kept }],
      sandboxAPI: {
        store: (/** @type {string} */ value) => {
          kept = value;
          writeFileSync(join(folder, 'kept.txt'), value);
        },
        load: () => ({ [kept]: [kept, encodeURIComponent(kept), JSON.stringify({ kept })] }),
        bytes: () => [Buffer.from(`<${kept}>`), new TextEncoder().encode(`<${kept}>`)],
        fail: () => {
          throw new Error(`It was ${kept}.`);
        },
      },
    },
  );
  const { result } = await forge(
    `${CODE_OF}
    await tgp.store('{{secret:KEY}}');
    const answer = await fetch(args.url);
    return [await tgp.load(), await codeOf(() => tgp.fail()), await answer.text(), answer.headers.get('x-kept'), await tgp.read_file(args.file), await tgp.exec_sql('SELECT kept FROM notes'), await tgp.bytes()];`,
    { url: other.url, file: join(folder, 'kept.txt') },
  );
  expect(kept).toBe(VALUE);
  expect(shown(result)).not.toMatch(/sesame/);
  expect(result).toMatchObject([
    { '{{secret:KEY}}': ['{{secret:KEY}}', '{{secret:KEY}}', '{"kept":"{{secret:KEY}}"}'] },
    [expect.any(String), expect.stringContaining('It was {{secret:KEY}}.')],
    '{{secret:KEY}}',
    '{{secret:KEY}}',
    '{{secret:KEY}}',
    [{ kept: '{{secret:KEY}}' }],
    [Buffer.from('<{{secret:KEY}}>').toJSON(), { $base64: Buffer.from('<{{secret:KEY}}>').toString('base64') }],
  ]);
});

test('a tool cannot replace a secret in a file by its placeholder', async () => {
  const folder = await tempRoot();
  const file = join(folder, 'settings.txt');
  writeFileSync(file, `key=${VALUE}\nmode=1`);
  const { forge } = await createKernel(
    { fs: { allowedDirs: [folder] }, secrets: { KEY: { value: VALUE, functions: ['send'] } } },
    { sandboxAPI: { send: () => 'sent' } },
  );
  const { result } = await forge(
    `${CODE_OF}
    const text = await tgp.read_file(args.file);
    const changed = text.replace('mode=1', 'mode=2');
    const scratch = (await tgp.write_file('/tmp/note', changed)).success;
    return [text, scratch, await codeOf(async () => tgp.write_file(args.file, changed)), (await tgp.write_file(args.file + '.md', '{{secret:OTHER}}')).success];`,
    { file },
  );
  expect(result).toEqual([
    'key={{secret:KEY}}\nmode=1',
    true,
    ['ERR_VALIDATION', expect.stringContaining("placeholder of the secret 'KEY'")],
    true,
  ]);
  expect(readFileSync(file, 'utf8')).toContain(VALUE);
});

const html = (/** @type {string} */ text) =>
  text.replace(
    /[&<>"'~+]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? `&#${sign.charCodeAt(0)};`,
  );
const everyByte = (/** @type {string} */ text) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');
const unicode = (/** @type {string} */ text) =>
  text.replace(/[\s\S]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

test('an echo is masked in every encoding of forms, URLs, JSON and HTML', async () => {
  for (const value of [VALUE, '"quoted" & <tagged>\'s/path\\x', 'ünïcödé~ключ 1']) {
    const forms = [
      value,
      new URLSearchParams({ k: value }).toString().slice(2),
      encodeURIComponent(value),
      encodeURIComponent(encodeURIComponent(value)),
      encodeURI(value),
      everyByte(value),
      everyByte(value).toUpperCase(),
      JSON.stringify(value).slice(1, -1),
      JSON.stringify(JSON.stringify(value)).slice(3, -3),
      unicode(value),
      html(value),
      html(JSON.stringify(value).slice(1, -1)),
    ];
    const secrets = { KEY: { value, functions: ['echo'] } };
    const { forge } = await createKernel(
      { secrets },
      { sandboxAPI: { echo: (/** @type {number} */ at) => `<${forms[at]}>` } },
    );
    const { result } = await forge(
      `const found: string[] = [];
      for (let at = 0; at < args.forms; at++) found.push(await tgp.echo(at));
      return found;`,
      { forms: forms.length },
    );
    expect(result).toEqual(forms.map(() => '<{{secret:KEY}}>'));
  }
});

test('no limit and no header reveals the length of a secret', async () => {
  const bank = await serveHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const pad = 'x'.repeat(Number(request.headers['x-pad'] ?? 0));
    const text = `${pad}${request.headers.authorization ?? ''}${body}`;
    response.setHeader('etag', createHash('md5').update(text).digest('hex'));
    response.setHeader('content-md5', createHash('md5').update(text).digest('base64'));
    response.end(request.method === 'POST' ? '' : text);
  });
  const seen = [];
  for (const value of ['kx82-open', `kx82-${'sesame'.repeat(500)}`]) {
    const { forge } = await createKernel({
      allowedFetchUrls: [bank.url],
      sandbox: { fetchBytes: 4_000, timeoutMs: 5_000 },
      secrets: { KEY: { value, hosts: [`127.0.0.1:${bank.port}`] } },
    });
    const { result } = await forge(
      `${CODE_OF}
      const answers: unknown[] = [];
      const authorization = '{{secret:KEY}}';
      for (const pad of ['0', '500', '980', '1000', '3000', '3980', '3990', '4000', '4001']) {
        answers.push(await codeOf(async () => {
          const answer = await fetch(args.url, { headers: { authorization, 'x-pad': pad } });
          return [pad, (await answer.text()).length, [...answer.headers.keys()].filter((name) => name !== 'date').sort()];
        }));
      }
      const head = await fetch(args.url, { method: 'HEAD', headers: { authorization } });
      answers.push(head.headers.get('content-length'));
      for (const times of [1, 10, 100, 256, 257, 280]) {
        answers.push([times, await codeOf(async () => (await fetch(args.url, { method: 'POST', body: '{{secret:KEY}}'.repeat(times) })).status)]);
      }
      return answers;`,
      { url: bank.url },
    );
    seen.push(result);
  }
  expect(seen[0]).toEqual(seen[1]);
  expect(shown(seen[0])).toContain('ERR_');
  expect(shown(seen[0])).not.toMatch(/etag|md5/);
});

test('boot refuses a secret that can be guessed', async () => {
  for (const value of ['12345678', '000000000000', 'password']) {
    const kernel = new TGP({ config: { rootDir: await tempRoot(), secrets: { KEY: { value, hosts: ['x'] } } } });
    onTestFinished(() => kernel.shutdown());
    await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', details: { key: 'secrets.KEY.value' } });
  }
});

test('an echo is masked in HTML references, nested escapes, UTF-16 and header names', async () => {
  const value = 'Tulip/3f7a+Grün 9d';
  const references = (/** @type {(code: number) => string} */ written) =>
    [...value].map((letter) => written(Number(letter.codePointAt(0)))).join('');
  const numeric = references((code) => `&#${code};`);
  const named = value.replace('/', '&sol;').replace('+', '&plus;').replace('ü', '&uuml;');
  const wide = Buffer.from(`<p>${value}</p>`, 'utf16le');
  /** @type {Record<string, string | Buffer>} */
  const bodies = {
    decimal: numeric,
    hexadecimal: references((code) => `&#x${code.toString(16)}`),
    named,
    twice: numeric.replaceAll('&', '&amp;'),
    json: JSON.stringify(JSON.stringify({ named })),
    form: encodeURIComponent(encodeURIComponent(numeric)),
    unicode: references((code) => `\\\\u{${code.toString(16)}}`),
    latin: Buffer.from(value, 'latin1'),
    little: wide,
    big: Buffer.from(wide).swap16(),
  };
  const bank = await serveHttp((request, response) => {
    const body = bodies[String(request.url).slice(1)];
    if (body !== undefined)
      return response.end(Buffer.concat([Buffer.from('<<'), Buffer.from(body), Buffer.from('>>')]));
    response.setHeader('x-tulip42pass', '1').setHeader('x-%54ulip42Pass', '1').setHeader('x-tulip', '1');
    return response.end('');
  });
  const hosts = [`127.0.0.1:${bank.port}`];
  const secrets = { KEY: { value, hosts }, NAME: { value: 'Tulip42Pass', hosts } };
  const { forge } = await createKernel({ allowedFetchUrls: [bank.url], secrets });
  const { result } = await forge(
    `const found: Record<string, string> = {};
    for (const kind of args.kinds) {
      const bytes = new Uint8Array(await (await fetch(args.url + kind)).arrayBuffer());
      found[kind] = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    }
    return [found, [...(await fetch(args.url + 'names')).headers.keys()]];`,
    { url: `${bank.url}/`, kinds: Object.keys(bodies) },
  );
  const [found, names] = /** @type {[Record<string, string>, string[]]} */ (result);
  const placeholder = '{{secret:KEY}}';
  const wideText = (/** @type {string} */ text) => Buffer.from(text, 'utf16le');
  const masked = wideText(`<p>${placeholder}</p>`);
  expect(found).toEqual({
    ...Object.fromEntries(Object.keys(bodies).map((kind) => [kind, `<<${placeholder}>>`])),
    json: `<<${JSON.stringify(JSON.stringify({ named: placeholder }))}>>`,
    little: `<<${masked.toString('latin1')}>>`,
    big: `<<${Buffer.from(masked).swap16().toString('latin1')}>>`,
  });
  expect(names.filter((name) => name.startsWith('x-'))).toEqual(['x-tulip']);
});
