/** A local npm registry that accepts `npm publish`, and can refuse a package or lose a response. */

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

/**
 * @typedef {'refuse' | 'lose the response'} Trouble
 * @typedef {{ integrity: string, tag: string }} Published
 */

/**
 * @returns {Promise<{ url: string, published: Map<string, Published>, trouble: Map<string, Trouble>, latest: Map<string, string>, close: () => void }>}
 * `published` by `name@version`, in order; `trouble` by name, once each; `latest` has older versions by name
 */
export async function publishingRegistry() {
  const published = new Map();
  const trouble = new Map();
  const latest = new Map();
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname).slice(1);
    const answer = (/** @type {number} */ status, /** @type {object} */ body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method !== 'PUT') {
      const known = packument(name, published, latest);
      return known === undefined ? answer(404, { error: 'not found' }) : answer(200, known);
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const sent = JSON.parse(Buffer.concat(chunks).toString());
    const why = trouble.get(name);
    trouble.delete(name);
    if (why === 'refuse') return answer(403, { error: 'not today' });
    for (const version of Object.keys(sent.versions)) {
      if (published.has(`${name}@${version}`)) return answer(403, { error: 'cannot publish over it' });
      const [attachment] = /** @type {{ data: string }[]} */ (Object.values(sent._attachments));
      const bytes = Buffer.from(attachment?.data ?? '', 'base64');
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      const [tag] = Object.keys(sent['dist-tags']);
      published.set(`${name}@${version}`, { integrity, tag });
    }
    return why === undefined ? answer(201, { ok: true }) : answer(400, { error: 'lost' });
  });
  await /** @type {Promise<void>} */ (new Promise((done) => server.listen(0, '127.0.0.1', done)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, published, trouble, latest, close };
}

/**
 * @param {string} name
 * @param {Map<string, Published>} published
 * @param {Map<string, string>} latest
 */
function packument(name, published, latest) {
  const own = [...published].filter(([id]) => id.startsWith(`${name}@`));
  const newest = latest.get(name);
  if (own.length === 0 && newest === undefined) return undefined;
  const versions = own.map(([id, { integrity }]) => {
    const version = id.slice(name.length + 1);
    return [version, { name, version, dist: { integrity, tarball: 'http://127.0.0.1/none.tgz' } }];
  });
  const others = newest === undefined ? [] : [[newest, { name, version: newest, dist: { integrity: 'sha512-other' } }]];
  return { name, 'dist-tags': { latest: newest }, versions: Object.fromEntries([...versions, ...others]) };
}
