/** Other sandboxes and checkers from npm, installed beside the project and never among its dependencies. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedPackages } from '../__test__/helpers/installed_packages.js';
import { otherNodes } from '../__test__/helpers/other_nodes.js';

/** One folder each, so that one that cannot be installed takes no other along. */
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
 * Installs a peer from npm, once. No install script runs: what these packages need comes with them, and secure-exec's
 * would compile a database that nothing here uses.
 * @param {Peer} name
 */
export function installPeer(name) {
  const folder = `tgp-bench-${name.replace(/\W+/g, '-')}`;
  return installedPackages(folder, { [name]: VERSIONS[name] }, '--ignore-scripts');
}

/**
 * A peer's module.
 * @param {Peer} name
 */
export async function peer(name) {
  const folder = installPeer(name);
  const resolved = createRequire(join(folder, 'package.json')).resolve(name);
  return await import(pathToFileURL(resolved).href);
}

/** The Node for which isolated-vm 7 comes ready made. */
export function node24() {
  const node = otherNodes().find((path) => path.includes('node-24'));
  if (!node) throw new Error('there is no Node 24 for this platform');
  return node;
}
