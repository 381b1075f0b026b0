import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));

/**
 * A folder with these packages in its `node_modules`, installed once. They are not devDependencies: several versions of
 * one package, or packages that few platforms have. Versions are pinned, so that a new release cannot turn a green tree
 * red.
 * @param {string} name of the folder
 * @param {Record<string, string>} dependencies as in a package.json
 * @param {string[]} flags of `npm install`
 * @returns {string}
 */
export function installedPackages(name, dependencies, ...flags) {
  const folder = join(CACHE, name);
  const manifest = `${JSON.stringify({ private: true, type: 'module', dependencies }, undefined, 2)}\n`;
  const installed = join(folder, 'installed.json');
  const isThere = () => existsSync(installed) && readFileSync(installed, 'utf8') === manifest;
  if (isThere()) return folder;
  // Two test files may run this at once: each installs into its own folder, and the first result is kept.
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, 'package.json'), manifest);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...flags], {
    cwd: fresh,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(join(fresh, 'installed.json'), manifest);
  if (!isThere()) rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
