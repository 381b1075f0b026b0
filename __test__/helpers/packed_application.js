/** Applications with the packages installed as npm would publish them. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hostPlatform } from '../../tools/platform.mjs';
import { program } from '../../tools/process.mjs';
import { tempRoot } from './temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NATIVE = join(ROOT, 'npm', hostPlatform().name);
const CACHE = join(ROOT, 'node_modules', '.cache', 'tgp-packed');
/** Longer than any installation takes: a lock of this age was left by a process that was killed. */
const STALE_MS = 5 * 60_000;

/** The name of the package with this machine's binaries. */
export const PLATFORM_PACKAGE = `@tgp/core-${hostPlatform().name}`;

/**
 * An application in its own folder, removed after the test, with its dependencies installed. Applications with the same
 * dependencies share one installation.
 * @param {{ from?: string, files?: Record<string, string> }} source a folder to copy, and more files; one of them is a
 * package.json
 * @returns {Promise<string>} the folder
 */
export async function packedApplication({ from, files = {} }) {
  const app = join(await tempRoot(), 'app');
  await mkdir(app);
  if (from !== undefined) await cp(from, app, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(app, name, '..'), { recursive: true });
    await writeFile(join(app, name), content);
  }
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
  const installed = await installation({ ...dependencies, ...devDependencies });
  await linked(join(installed, 'node_modules'), join(app, 'node_modules'));
  return app;
}

/**
 * A folder with these packages and ours in its `node_modules`, kept until ours change.
 * @param {Record<string, string>} dependencies
 */
function installation(dependencies) {
  return exclusively(async () => {
    const { main, native } = await packed();
    const wanted = { ...dependencies, '@tgp/core': `file:${main}`, [PLATFORM_PACKAGE]: `file:${native}` };
    const manifest = JSON.stringify({ private: true, dependencies: wanted });
    const folder = join(CACHE, createHash('sha256').update(manifest).digest('hex').slice(0, 16));
    if (existsSync(folder)) return folder;
    const fresh = `${folder}.new`;
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh);
    await writeFile(join(fresh, 'package.json'), manifest);
    await npm(fresh, 'install', '--no-audit', '--no-fund', '--prefer-offline');
    await rename(fresh, folder);
    return folder;
  });
}

/**
 * The tarballs of the packages, as arguments of `npm install`.
 * @returns {Promise<string[]>}
 */
export function tarballs() {
  return exclusively(async () => {
    const { main, native } = await packed();
    return [main, native];
  });
}

/** The packed packages, packed again if one of their files has changed. */
async function packed() {
  const { files } = await pack(ROOT, '--dry-run');
  const stamp = stampOf([
    ...files.map((/** @type {{ path: string }} */ { path }) => join(ROOT, path)),
    ...readdirSync(NATIVE).map((name) => join(NATIVE, name)),
  ]);
  const file = join(CACHE, 'packed.json');
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (known?.stamp === stamp) return known;
  await rm(CACHE, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  const [main, native] = [await pack(ROOT), await pack(NATIVE)];
  const made = { stamp, main: join(CACHE, main.filename), native: join(CACHE, native.filename) };
  await writeFile(file, JSON.stringify(made));
  return made;
}

/** @param {string[]} files */
function stampOf(files) {
  const stamps = files.map((file) => [file, statSync(file).size, statSync(file).mtimeMs]);
  return createHash('sha256').update(JSON.stringify(stamps)).digest('hex');
}

/**
 * @param {string} folder
 * @param {string[]} options
 * @returns {Promise<any>} npm's description of the package
 */
async function pack(folder, ...options) {
  const { stdout } = await npm(folder, 'pack', '--json', '--pack-destination', CACHE, ...options);
  // A list in some versions of npm, an object by package name in others.
  return Object.values(JSON.parse(stdout))[0];
}

/**
 * @param {string} folder
 * @param {string[]} words
 */
function npm(folder, ...words) {
  const { command, args } = program('npm', words);
  return exec(command, args, { cwd: folder });
}

/**
 * A copy of a folder by hard links, or by real copies on another disk and on Windows.
 * @param {string} from
 * @param {string} to
 */
async function linked(from, to) {
  try {
    await exec('cp', ['-al', from, to]);
  } catch {
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/**
 * Test files run in processes of their own: one installs, the others wait for it.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function exclusively(work) {
  const lock = `${CACHE}.lock`;
  await mkdir(join(lock, '..'), { recursive: true });
  while (!(await taken(lock))) {
    const age = Date.now() - (await stat(lock).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > STALE_MS) await rm(lock, { recursive: true, force: true });
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** @param {string} lock */
async function taken(lock) {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}
