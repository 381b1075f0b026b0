import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { tempRoot } from './temp_root.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * An application with these dependencies and this package, which is not packed.
 * @param {string} name of the shared installation
 * @param {Record<string, string>} dependencies of other packages
 * @returns {Promise<string>} its folder
 */
export async function linkedApplication(name, dependencies) {
  const installed = join(installedPackages(name, dependencies), 'node_modules');
  const app = join(await tempRoot(), 'app');
  await mkdir(join(app, 'node_modules', '@tgp'), { recursive: true });
  await symlink(ROOT, join(app, 'node_modules', '@tgp', 'core'));
  for (const entry of await readdir(installed)) {
    if (!entry.startsWith('.')) await symlink(join(installed, entry), join(app, 'node_modules', entry));
  }
  const manifest = { type: 'module', dependencies: { '@tgp/core': '^0.1.0', ...dependencies } };
  await writeFile(join(app, 'package.json'), JSON.stringify(manifest));
  return app;
}
