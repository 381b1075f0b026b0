/**
 * Packs the packages for publication into a folder, without changing the tree.
 *
 *   node scripts/release_packages.mjs platform    this machine's native package
 *   node scripts/release_packages.mjs main        @tgp/core, @tgp/memory and the command `tgp`
 *   node scripts/release_packages.mjs link        makes the packed @tgp/core depend on exactly the native packages in the folder
 *   node scripts/release_packages.mjs order       lists the tarballs in the folder in publishing order
 *
 *   --into DIR          the folder (default: target/packed)
 *   --repository URL    the packages' repository field; npm compares it with their provenance
 *
 * In the tree @tgp/core does not list its native packages, because `npm ci` would look for unpublished versions. The packed one
 * does. A platform that failed to build is omitted from a release, unless it is required (`seen` in platform.mjs).
 */

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hostPlatform, PLATFORM_NAMES, packageJson, SEEN_PLATFORMS } from '../tools/platform.mjs';
import { captureIn, ROOT, StepFailed, whenStarted } from '../tools/process.mjs';

/**
 * @typedef {{ into: string, repository?: string }} Where
 * @typedef {Record<string, any>} Manifest
 */

const USAGE = 'Usage: node scripts/release_packages.mjs platform | main | link | order [--into DIR] [--repository URL]';

/** Files that must be distributed with the binaries. */
const NOTICES = ['LICENSE', 'THIRD_PARTY_LICENSES.txt'];

/**
 * Packs a package folder with another manifest.
 * @param {string} folder
 * @param {Where} where
 * @param {(manifest: Manifest, folder: string) => Manifest} [change] may put files into the folder
 * @returns {string} the tarball
 */
export function packed(folder, { into, repository }, change = (manifest) => manifest) {
  mkdirSync(into, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'tgp-pack-'));
  try {
    const unpacked = unpack(pack(folder, work), work);
    const file = join(unpacked, 'package.json');
    // Scripts are only for the tree.
    const { scripts: _scripts, ...manifest } = change(JSON.parse(readFileSync(file, 'utf8')), unpacked);
    const { version } = packageJson();
    if (manifest.version !== version) {
      throw new StepFailed(
        `${manifest.name} has version ${manifest.version}, @tgp/core ${version}: "npm run release" sets both.`,
      );
    }
    writeFileSync(file, `${JSON.stringify({ ...manifest, ...originOf(repository) }, null, 2)}\n`);
    return pack(unpacked, into);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string | undefined} repository */
function originOf(repository) {
  if (repository === undefined) return {};
  const page = repository.replace(/^git\+/, '').replace(/\.git$/, '');
  return {
    repository: { type: 'git', url: repository },
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
  };
}

/**
 * @param {string} tarball
 * @param {string} into
 * @returns {string} the folder of the package
 */
function unpack(tarball, into) {
  copyFileSync(tarball, join(into, 'package.tgz'));
  // Without a path: GNU tar treats the "C:" of a path as a host name.
  captureIn(into, 'tar', ['xzf', 'package.tgz']);
  return join(into, 'package');
}

/**
 * The manifest inside a tarball.
 * @param {string} tarball
 * @returns {Manifest}
 */
export function packedManifest(tarball) {
  return JSON.parse(captureIn(dirname(tarball), 'tar', ['xzOf', basename(tarball), 'package/package.json']));
}

/**
 * @param {string} folder
 * @param {string} into
 */
function pack(folder, into) {
  // The scripts ran when it was packed from the tree.
  const again = folder.startsWith(tmpdir()) ? ['--ignore-scripts'] : [];
  const output = captureIn(folder, 'npm', ['pack', '--json', '--pack-destination', into, ...again]);
  // A list in some versions of npm, an object by package name in others; scripts of the package may print before it.
  const [{ filename }] = /** @type {any[]} */ (Object.values(JSON.parse(output.slice(output.search(/^[[{]/m)))));
  return join(into, filename);
}

/**
 * @param {Where} where
 * @param {string} [name] of the platform
 */
export function packPlatform(where, name = hostPlatform().name) {
  const folder = join(ROOT, 'npm', name);
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const missing = files.filter(
    (/** @type {string} */ file) => !statSync(join(folder, file), { throwIfNoEntry: false }),
  );
  if (missing.length > 0) throw new StepFailed(`npm/${name} has no ${missing.join(', ')}: run "npm run build" first.`);
  return packed(folder, where, (manifest, unpacked) => withNotices(manifest, unpacked, NOTICES));
}

/** @param {Where} where */
export function packCommand(where) {
  return packed(join(ROOT, 'npm', 'tgp'), where, (manifest, unpacked) => withNotices(manifest, unpacked, ['LICENSE']));
}

/**
 * @param {Manifest} manifest
 * @param {string} unpacked
 * @param {string[]} notices
 */
function withNotices(manifest, unpacked, notices) {
  for (const notice of notices) copyFileSync(join(ROOT, notice), join(unpacked, notice));
  return { ...manifest, files: [...manifest.files, ...notices] };
}

/** @param {Where} where */
export function packCore(where) {
  return packed(ROOT, where, (manifest) => {
    const { devDependencies: _development, napi: _napi, ...rest } = manifest;
    return withNative(rest, PLATFORM_NAMES);
  });
}

/**
 * The manifest of @tgp/core with exactly these native packages.
 * @param {Manifest} manifest
 * @param {string[]} platforms
 * @returns {Manifest}
 */
function withNative(manifest, platforms) {
  const { name, version, optionalDependencies = {} } = manifest;
  const others = Object.entries(optionalDependencies).filter(([other]) => !other.startsWith(`${name}-`));
  const native = platforms.map((platform) => [`${name}-${platform}`, version]);
  return { ...manifest, optionalDependencies: Object.fromEntries([...others, ...native]) };
}

/**
 * Repacks @tgp/core in a folder for the native packages next to it.
 * @param {string} into
 * @returns {string} the tarball
 */
export function linkCore(into) {
  const { core, platforms } = packedSet(into);
  const work = mkdtempSync(join(tmpdir(), 'tgp-link-'));
  try {
    return packed(unpack(core, work), { into }, (manifest) => withNative(manifest, platforms));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The tarballs of a folder; it must contain all required packages, and no unknown files.
 * @param {string} into
 */
function packedSet(into) {
  const { version } = packageJson();
  const fileOf = (/** @type {string} */ name) => `${name}-${version}.tgz`;
  const native = (/** @type {string} */ platform) => fileOf(`tgp-core-${platform}`);
  const others = ['tgp-memory', 'tgp-core', 'tgp'].map(fileOf);
  const there = readdirSync(into).filter((name) => name.endsWith('.tgz'));
  const missing = [...SEEN_PLATFORMS.map(native), ...others].filter((name) => !there.includes(name));
  const unknown = there.filter((name) => ![...PLATFORM_NAMES.map(native), ...others].includes(name));
  if (missing.length > 0) throw new StepFailed(`Publishing needs these missing packages: ${missing.join(', ')}.`);
  if (unknown.length > 0) throw new StepFailed(`These tarballs are unknown: ${unknown.join(', ')}. Remove them.`);
  const platforms = PLATFORM_NAMES.filter((platform) => there.includes(native(platform)));
  const files = [...platforms.map(native), ...others].map((name) => join(into, name));
  return { platforms, files, core: join(into, fileOf('tgp-core')) };
}

/**
 * The tarballs of a folder in dependency order, native packages first.
 * @param {string} into
 * @returns {string[]}
 */
export function publishingOrder(into) {
  const { platforms, files, core } = packedSet(into);
  const { name, optionalDependencies = {} } = packedManifest(core);
  const linked = Object.keys(optionalDependencies).filter((one) => one.startsWith(`${name}-`));
  const packedOnes = platforms.map((platform) => `${name}-${platform}`);
  if (linked.sort().join() !== packedOnes.sort().join()) {
    throw new StepFailed(
      `${name} lists ${linked.join(', ')}, but the folder has ${packedOnes.join(', ')}. Run "release_packages.mjs link" first.`,
    );
  }
  return files;
}

function main() {
  const { values, positionals } = parseArgs({
    options: { into: { type: 'string', default: join(ROOT, 'target', 'packed') }, repository: { type: 'string' } },
    allowPositionals: true,
  });
  const where = { into: resolve(values.into), repository: values.repository };
  /** @type {Record<string, () => string[]>} */
  const jobs = {
    platform: () => [packPlatform(where)],
    main: () => [packCore(where), packed(join(ROOT, 'npm', 'memory'), where), packCommand(where)],
    link: () => [linkCore(where.into)],
    order: () => publishingOrder(where.into),
  };
  const [name = ''] = positionals;
  const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
  if (job === undefined) throw new StepFailed(USAGE);
  process.stdout.write(`${job().join('\n')}\n`);
}

await whenStarted(import.meta.url, main);
