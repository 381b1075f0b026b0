/** Other sandboxes, installed on demand beside the project and never among its dependencies. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/tgp-bench/', import.meta.url));
const VERSIONS = {
  'isolated-vm': '5',
  'quickjs-emscripten': '0.31',
  'secure-exec': '0.2.1',
  eslint: '9',
  '@typescript-eslint/parser': '8',
};

/** @param {string} name @param {string} version */
function install(name, version) {
  if (existsSync(join(FOLDER, 'node_modules', name))) return;
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(join(FOLDER, 'package.json'))) writeFileSync(join(FOLDER, 'package.json'), '{"private":true}');
  process.stdout.write(`Installing ${name}@${version} …\n`);
  // Only isolated-vm needs what its install script makes; the others would compile databases that nothing here uses.
  const scripts = name === 'isolated-vm' ? [] : ['--ignore-scripts'];
  const words = ['install', '--no-audit', '--no-fund', ...scripts, `${name}@${version}`];
  spawnSync('npm', words, { cwd: FOLDER, stdio: 'ignore' });
}

/**
 * A peer's module, or undefined when it cannot be had on this machine, which is said once.
 * @param {keyof typeof VERSIONS} name
 */
export async function peer(name) {
  install(name, VERSIONS[name]);
  try {
    const resolved = createRequire(join(FOLDER, 'package.json')).resolve(name);
    return await import(pathToFileURL(resolved).href);
  } catch (error) {
    process.stdout.write(`${name} is left out: ${String(error).split('\n', 1)[0]}\n`);
    return undefined;
  }
}
