import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/**
 * The folder of an example.
 * @param {string} name
 */
export function example(name) {
  return fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
}

/**
 * The texts of an example's files in a folder: its own, or that of an application that should equal it.
 * @param {string} name
 * @param {string} [folder]
 * @returns {Promise<Record<string, string>>}
 */
export async function filesOfExample(name, folder = example(name)) {
  const entries = await readdir(example(name), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(example(name), join(entry.parentPath, entry.name)))
    .filter(
      (file) => !/(?:^|\/)(?:node_modules|dist|\.next|\.tgp|package-lock\.json|next-env\.d\.ts)(?:\/|$)/.test(file),
    );
  const texts = files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts));
}

/**
 * Takes the script that `tgp init` adds out of an application's package.json.
 * @param {string} app
 */
export async function withoutScript(app) {
  const file = join(app, 'package.json');
  const { scripts, ...manifest } = JSON.parse(await readFile(file, 'utf8'));
  const { tgp: _, ...others } = scripts;
  const { name, private: hidden, type, ...rest } = manifest;
  const fresh = { name, private: hidden, type, scripts: others, ...rest };
  await writeFile(file, `${JSON.stringify(fresh, undefined, 2)}\n`);
}

/**
 * `tgp init` of the package that an application has installed.
 * @param {string} app
 * @returns {Promise<any>} its JSON output
 */
export async function initialise(app) {
  const { stdout } = await exec(join(app, 'node_modules', '.bin', 'tgp'), ['init', '--yes', '--json'], { cwd: app });
  return JSON.parse(stdout);
}
