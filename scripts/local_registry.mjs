/** A local npm registry that serves a few tarballs, to install unpublished packages as if published. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { packedManifest } from './release_packages.mjs';

/**
 * @typedef {{ url: string, close: () => Promise<void> }} Registry
 * @typedef {{ manifest: any, file: string, bytes: Buffer }} Tarball
 */

/**
 * @param {string[]} tarballs files that `npm pack` made
 * @returns {Promise<Registry>}
 */
export async function localRegistry(tarballs) {
  /** @type {Map<string, Tarball>} */
  const byName = new Map();
  for (const file of tarballs) {
    const manifest = packedManifest(file);
    byName.set(manifest.name, { manifest, file: basename(file), bytes: readFileSync(file) });
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname).slice(1);
    const [name = '', file] = path.split('/-/');
    const found = byName.get(name);
    if (found === undefined || (file !== undefined && file !== found.file)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.bytes);
      return;
    }
    const address = `http://${request.headers.host}/${name}/-/${found.file}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packument(found, address)));
  });
  await /** @type {Promise<void>} */ (new Promise((done) => server.listen(0, '127.0.0.1', done)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {Tarball} tarball
 * @param {string} address
 */
function packument({ manifest, bytes }, address) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const shasum = createHash('sha1').update(bytes).digest('hex');
  // Some managers accept only versions of a minimum age.
  const time = {
    created: '2020-01-01T00:00:00.000Z',
    modified: '2020-01-01T00:00:00.000Z',
    [version]: '2020-01-01T00:00:00.000Z',
  };
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball: address, integrity, shasum } } },
    time,
  };
}
