/** Manifest of a bundle's inputs, to decide whether the cached bundle is current: file contents and resolved package folders. */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readFileAtMost, readTextAtMost } from '../boundary/bounded_read.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { foldersFrom, packageFolder } from './package_files.js';

/** A file of a bundle. Its path is relative to the application. */
type Source = { path: string; size: number; changed: number; hash: string };
/** The folder that an import resolved to: empty when the package was not found. */
type Resolution = { from: string; name: string; to: string };
/** The inputs of a bundle, and the version of the bundler that read them. */
export type Manifest = { maker: string; sources: Source[]; resolutions: Resolution[] };
/** How a change is detected. With `stamps`, a file with the same size and change time counts as unchanged. */
export type Trust = 'stamps' | 'hashes';

/** Largest file of a package, and largest package.json. */
const MAX_FILE_BYTES = 32 << 20;
const MAX_MANIFEST_BYTES = 1 << 20;

const hashOf = async (file: string) =>
  createHash('sha256')
    .update(await readFileAtMost(file, MAX_FILE_BYTES))
    .digest('hex');

/** The package.json files that affect a module, from its folder up to the one that names the package. */
async function manifestsOf(file: string) {
  const found = [];
  for (const folder of foldersFrom(dirname(file))) {
    const path = join(folder, 'package.json');
    const text = await readTextAtMost(path, MAX_MANIFEST_BYTES).catch(() => undefined);
    if (text === undefined) continue;
    found.push(path);
    if (/"name"\s*:/.test(text)) break;
  }
  return found;
}

async function describe(baseDir: string, file: string): Promise<Source> {
  const { size, ctimeMs } = statSync(file);
  return { path: relative(baseDir, file), size, changed: ctimeMs, hash: await hashOf(file) };
}

/**
 * @param modules files of the bundle
 * @param imports packages and the importing folders
 */
export async function createManifest(
  maker: string,
  baseDir: string,
  modules: Iterable<string>,
  imports: Iterable<{ name: string; from: string }>,
): Promise<Manifest> {
  const files = [...modules].filter((file) => isAbsolute(file));
  const deciding = (await Promise.all(files.map(manifestsOf))).flat();
  const sources = await Promise.all([...new Set([...files, ...deciding])].map((file) => describe(baseDir, file)));
  const requested = new Map([...imports].map(({ from, name }) => [`${from}\0${name}`, { from, name }]));
  const resolutions = [...requested.values()].map(({ from, name }) => {
    const to = packageFolder(from, name);
    return { from: relative(baseDir, from), name, to: to && relative(baseDir, to) };
  });
  return { maker, sources, resolutions };
}

async function unchanged(baseDir: string, source: Source, trust: Trust): Promise<Source | undefined> {
  const file = resolve(baseDir, source.path);
  // Synchronous: a hundred calls take less than a millisecond.
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.size !== source.size) return undefined;
  if (trust === 'stamps' && found.ctimeMs === source.changed) return source;
  const hash = await hashOf(file).catch(() => undefined);
  return hash === source.hash ? { ...source, changed: found.ctimeMs } : undefined;
}

/**
 * The manifest with current change times, if the bundle is still current; else `undefined`.
 * @param text of a manifest
 */
export async function currentManifest(
  text: string,
  maker: string,
  baseDir: string,
  trust: Trust,
): Promise<Manifest | undefined> {
  try {
    return await compared(parseForeignJson(text) as Manifest, maker, baseDir, trust);
  } catch {
    // An unreadable manifest is replaced.
    return undefined;
  }
}

async function compared(
  manifest: Manifest,
  maker: string,
  baseDir: string,
  trust: Trust,
): Promise<Manifest | undefined> {
  if (manifest.maker !== maker) return undefined;
  const moved = manifest.resolutions.some(({ from, name, to }) => {
    const now = packageFolder(resolve(baseDir, from), name);
    return (now && relative(baseDir, now)) !== to;
  });
  if (moved) return undefined;
  const sources = await Promise.all(manifest.sources.map((source) => unchanged(baseDir, source, trust)));
  return sources.every((source) => source !== undefined) ? { ...manifest, sources } : undefined;
}
