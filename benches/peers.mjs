/** Installs peers (other sandboxes and checkers) from npm outside the project's dependencies. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedPackages } from '../tools/installed_packages.mjs';
import { otherNodes } from '../tools/other_nodes.mjs';

/** A folder for each peer, so that one that cannot be installed does not affect the others. */
const VERSIONS = {
  'isolated-vm': '7.0.1',
  'quickjs-emscripten': '0.32.0',
  'secure-exec': '0.2.1',
  run: '2.1.5',
  eslint: '9.39.5',
  '@typescript-eslint/parser': '8.72.2',
};

/** @typedef {keyof typeof VERSIONS} Peer */

/** @param {Peer} name */
export const peerVersion = (name) => VERSIONS[name];

/**
 * Installs a peer from npm, once, without install scripts: these packages need none, and secure-exec's would compile an unused
 * database.
 * @param {Peer} name
 */
export function installPeer(name) {
  const folder = `tgp-bench-${name.replace(/\W+/g, '-')}`;
  return installedPackages(folder, { [name]: VERSIONS[name] }, '--ignore-scripts');
}

/**
 * Imports a peer's module.
 * @param {Peer} name
 */
export async function peer(name) {
  const folder = installPeer(name);
  const resolved = createRequire(join(folder, 'package.json')).resolve(name);
  return await import(pathToFileURL(resolved).href);
}

/** The Node version for which isolated-vm 7 has a prebuilt binary. */
export function node24() {
  const node = otherNodes().find((path) => path.includes('node-24'));
  if (!node) throw new Error('there is no Node 24 for this platform');
  return node;
}
