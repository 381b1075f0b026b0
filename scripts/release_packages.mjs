/**
 * The packages as they are published, packed into a folder; the tree stays as it is.
 *
 *   node scripts/release_packages.mjs platform    this machine's native package
 *   node scripts/release_packages.mjs main        @tgp/core, @tgp/memory and the command `tgp`
 *   node scripts/release_packages.mjs order       names what is in the folder, in the order in which it is to be published
 *
 *   --into DIR          the folder (default: target/packed)
 *   --repository URL    what the packages say of their origin; npm compares it with their provenance
 *
 * In the tree @tgp/core does not name its native packages: `npm ci` would look for what is not published yet. Here it does.
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
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hostPlatform, PLATFORM_NAMES, packageJson } from './platform.mjs';
import { captureIn, ROOT, StepFailed } from './process.mjs';

/**
 * @typedef {{ into: string, repository?: string }} Where
 * @typedef {Record<string, any>} Manifest
 */

const USAGE = 'Usage: node scripts/release_packages.mjs platform | main | order [--into DIR] [--repository URL]';

/** What everybody who hands the binaries on must hand on too. */
const NOTICES = ['LICENSE', 'THIRD_PARTY_LICENSES.txt'];

/**
 * Packs a folder of a package, with another description.
 * @param {string} folder
 * @param {Where} where
 * @param {(manifest: Manifest, folder: string) => Manifest} [change] may put files into the folder
 * @returns {string} the tarball
 */
export function packed(folder, { into, repository }, change = (manifest) => manifest) {
  mkdirSync(into, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'tgp-pack-'));
  try {
    captureIn(work, 'tar', ['xzf', pack(folder, work)]);
    const unpacked = join(work, 'package');
    const file = join(unpacked, 'package.json');
    const manifest = change(JSON.parse(readFileSync(file, 'utf8')), unpacked);
    const { version } = packageJson();
    if (manifest.version !== version) {
      throw new StepFailed(
        `${manifest.name} has version ${manifest.version}, @tgp/core ${version}: "npm run release" sets both.`,
      );
    }
    const origin = repository === undefined ? {} : { repository: { type: 'git', url: repository } };
    writeFileSync(file, `${JSON.stringify({ ...manifest, ...origin }, null, 2)}\n`);
    return pack(unpacked, into);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} into
 */
function pack(folder, into) {
  // Its scripts ran when it was packed from the tree.
  const again = folder.startsWith(tmpdir()) ? ['--ignore-scripts'] : [];
  const told = captureIn(folder, 'npm', ['pack', '--json', '--pack-destination', into, ...again]);
  // A list in some versions of npm, an object by package name in others; scripts of the package may print before it.
  const [{ filename }] = /** @type {any[]} */ (Object.values(JSON.parse(told.slice(told.search(/^[[{]/m)))));
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
  return packed(folder, where, (manifest, unpacked) => {
    for (const notice of NOTICES) copyFileSync(join(ROOT, notice), join(unpacked, notice));
    return { ...manifest, files: [...manifest.files, ...NOTICES] };
  });
}

/** @param {Where} where */
export function packCore(where) {
  const { name, version } = packageJson();
  const native = Object.fromEntries(PLATFORM_NAMES.map((platform) => [`${name}-${platform}`, version]));
  return packed(ROOT, where, (manifest) => {
    // They belong to the tree, where they are run.
    const { scripts: _scripts, devDependencies: _development, napi: _napi, ...rest } = manifest;
    return { ...rest, optionalDependencies: { ...rest.optionalDependencies, ...native } };
  });
}

/**
 * The tarballs of a folder: native packages first, then what needs them, then what needs that.
 * @param {string} into
 * @returns {string[]}
 */
export function publishingOrder(into) {
  const { version } = packageJson();
  const names = [...PLATFORM_NAMES.map((platform) => `tgp-core-${platform}`), 'tgp-memory', 'tgp-core', 'tgp'];
  const wanted = names.map((name) => `${name}-${version}.tgz`);
  const there = readdirSync(into).filter((name) => name.endsWith('.tgz'));
  const missing = wanted.filter((name) => !there.includes(name));
  const unknown = there.filter((name) => !wanted.includes(name));
  if (missing.length > 0)
    throw new StepFailed(`Nothing can be published, for these are not there: ${missing.join(', ')}.`);
  if (unknown.length > 0) throw new StepFailed(`What are these? ${unknown.join(', ')}`);
  return wanted.map((name) => join(into, name));
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
    main: () => [packCore(where), packed(join(ROOT, 'npm', 'memory'), where), packed(join(ROOT, 'npm', 'tgp'), where)],
    order: () => publishingOrder(where.into),
  };
  const [name = ''] = positionals;
  const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
  if (job === undefined) throw new StepFailed(USAGE);
  process.stdout.write(`${job().join('\n')}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
