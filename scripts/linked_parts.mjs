/**
 * The third-party components of the published packages: the crates linked into the addon on any platform, their C and C++
 * libraries, and the npm packages installed with @tgp/core.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageJson } from '../tools/platform.mjs';
import { captureIn, ROOT } from '../tools/process.mjs';

/**
 * @typedef {{ name: string, version: string, license: string, folder: string, checksum: string | undefined, targets: string[], needs: string[] }} Crate
 * `folder` holds its sources; `needs` are ids of crates, as `name@version`
 * @typedef {{ name: string, version: string, license: string, within: string, notices: string[], about: string, purl?: string, cpe?: string }} Library
 * `purl` and `cpe` are the identifiers for vulnerability scanners; `within` is the crate that contains it; `notices` are files with
 * its licence, in that crate's folder or from the top of the repository
 * @typedef {{ name: string, version: string, license: string, integrity: string | undefined, optional: boolean, needs: string[] }} NpmPackage
 */

const V8_NOTICES = ['vendor/v8/LICENSES.txt'];

/**
 * Libraries in other languages. Those of V8 are compiled into its archive; versions that the crate does not state are omitted.
 * @type {Library[]}
 */
export const LIBRARIES = [
  {
    name: 'V8',
    version: '15.2.124.1',
    license: 'BSD-3-Clause',
    within: 'v8',
    notices: V8_NOTICES,
    about: 'runs tools',
    purl: 'pkg:github/v8/v8@15.2.124.1',
    cpe: 'cpe:2.3:a:google:v8:15.2.124.1:*:*:*:*:*:*:*',
  },
  {
    name: 'ICU',
    version: '78.2',
    license: 'Unicode-3.0',
    within: 'v8',
    notices: V8_NOTICES,
    about: 'languages; its data is tgp.icu',
    purl: 'pkg:github/unicode-org/icu@release-78.2',
    cpe: 'cpe:2.3:a:unicode:international_components_for_unicode:78.2:*:*:*:*:c\\/c\\+\\+:*:*',
  },
  inV8('abseil-cpp', 'Apache-2.0'),
  { ...inV8('highway', 'Apache-2.0'), version: '1.4.0', purl: 'pkg:github/google/highway@1.4.0' },
  { ...inV8('fast_float', 'Apache-2.0'), version: '8.2.10', purl: 'pkg:github/fastfloat/fast_float@v8.2.10' },
  ...['libc++', 'libc++abi', 'llvm-libc', 'dragonbox'].map((name) => inV8(name, 'Apache-2.0 WITH LLVM-exception')),
  { ...inV8('simdutf', 'MIT'), version: '7.7.0', purl: 'pkg:github/simdutf/simdutf@v7.7.0' },
  ...['FP16', 'utf8-decoder'].map((name) => inV8(name, 'MIT')),
  inV8('partition_alloc', 'BSD-3-Clause'),
  inV8('rapidhash', 'BSD-2-Clause'),
  inV8('siphash', 'CC0-1.0'),
  {
    name: 'libgit2',
    version: '1.9.7',
    license: 'GPL-2.0 with linking exception',
    within: 'libgit2-sys',
    notices: ['libgit2/COPYING', 'libgit2/deps/llhttp/LICENSE-MIT'],
    about: 'the repository on disk; the exception allows to link it with anything',
    purl: 'pkg:github/libgit2/libgit2@v1.9.7',
    cpe: 'cpe:2.3:a:libgit2:libgit2:1.9.7:*:*:*:*:*:*:*',
  },
  {
    name: 'SQLite',
    version: '3.54.1',
    license: 'blessing',
    within: 'libsqlite3-sys',
    notices: [],
    about: 'the ledger and sqlite(file); in the public domain',
    purl: 'pkg:github/sqlite/sqlite@version-3.54.1',
    cpe: 'cpe:2.3:a:sqlite:sqlite:3.54.1:*:*:*:*:*:*:*',
  },
  {
    name: 'zlib',
    version: '1.3.2',
    license: 'Zlib',
    within: 'libz-sys',
    notices: ['src/zlib/LICENSE'],
    about: 'packs of Git',
    purl: 'pkg:github/madler/zlib@v1.3.2',
    cpe: 'cpe:2.3:a:zlib:zlib:1.3.2:*:*:*:*:*:*:*',
  },
];

/**
 * @param {string} name
 * @param {string} license
 * @returns {Library}
 */
function inV8(name, license) {
  return { name, version: '', license, within: 'v8', notices: V8_NOTICES, about: 'compiled into V8' };
}

/** The crate of the addon; the other crates of the workspace count as parts of it. */
export const OWN = 'tgp-core';

/**
 * The crates with code in the addon or the worker on any platform, without build and test dependencies.
 * @returns {Crate[]} by name
 */
export function linkedCrates() {
  const { packages, resolve } = JSON.parse(captureIn(ROOT, 'cargo', ['metadata', '--format-version', '1', '--locked']));
  const isOurs = (/** @type {any} */ one) => one.source === null;
  /** @type {Map<string, any>} */
  const nodes = new Map(resolve.nodes.map((/** @type {any} */ node) => [node.id, node]));
  const ours = packages.filter(isOurs);
  const idOf = new Map(packages.map((/** @type {any} */ one) => [one.id, crateId(one)]));
  const targets = linkedByTarget();
  const checksums = lockedChecksums();
  const foreign = new Set(packages.filter((/** @type {any} */ one) => !isOurs(one)).map(crateId));
  const needsOf = (/** @type {any[]} */ several) =>
    several
      .flatMap(({ id }) => nodes.get(id).deps)
      .filter((/** @type {any} */ dep) => dep.dep_kinds.some((/** @type {any} */ each) => each.kind === null))
      .map((/** @type {any} */ dep) => idOf.get(dep.pkg))
      .filter((/** @type {string} */ id) => targets.has(id) && foreign.has(id))
      .sort();
  /** @type {Crate[]} */
  const crates = packages
    .filter((/** @type {any} */ one) => targets.has(crateId(one)) && (!isOurs(one) || one.name === OWN))
    .map((/** @type {any} */ one) => ({
      name: one.name,
      version: one.version,
      license: (one.license ?? '').replaceAll('/', ' OR '),
      folder: dirname(one.manifest_path),
      checksum: checksums.get(crateId(one)),
      targets: targets.get(crateId(one)) ?? [],
      needs: [...new Set(needsOf(one.name === OWN ? ours : [one]))],
    }));
  return crates.sort((one, other) => (crateId(one) < crateId(other) ? -1 : 1));
}

/**
 * The crates linked for the targets. Unlike `cargo metadata`, `cargo tree` reports the features actually enabled.
 * @returns {Map<string, string[]>} by `name@version`
 */
function linkedByTarget() {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  const flags = ['--locked', '--edges', 'normal,no-proc-macro', '--prefix', 'none', '--format', '{p}'];
  for (const target of packageJson().napi.targets) {
    const printed = captureIn(ROOT, 'cargo', ['tree', '-p', OWN, '-p', 'tgp-launcher', ...flags, '--target', target]);
    const ids = new Set([...printed.matchAll(/^(\S+) v(\S+)/gm)].map(([, name, version]) => `${name}@${version}`));
    for (const id of ids) found.set(id, [...(found.get(id) ?? []), target]);
  }
  return found;
}

/** @param {{ name: string, version: string }} crate */
export function crateId({ name, version }) {
  return `${name}@${version}`;
}

/** SHA-256 checksums from crates.io, by `name@version`. */
export function lockedChecksums() {
  const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8');
  const entries = lock.matchAll(/name = "([^"]+)"\nversion = "([^"]+)"\nsource = .*\nchecksum = "([0-9a-f]+)"/g);
  return new Map([...entries].map(([, name, version, checksum]) => [`${name}@${version}`, checksum]));
}

/**
 * The packages that `npm install @tgp/core` installs, from the lock file, without peers chosen by the application. Packages for
 * other platforms that are missing in the lock file are taken from their parent's manifest, without a checksum.
 * @returns {Map<string, NpmPackage>} by its place in node_modules
 */
export function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const { dependencies, optionalDependencies } = packageJson();
  /** @type {Map<string, NpmPackage>} */
  const found = new Map();
  const placeOf = (/** @type {string} */ name, /** @type {string} */ from) => {
    for (let at = from; ; at = at.slice(0, at.lastIndexOf('/node_modules/'))) {
      const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (packages[place] !== undefined) return place;
      if (!at.includes('/node_modules/')) return packages[`node_modules/${name}`] && `node_modules/${name}`;
    }
  };
  const all = { ...dependencies, ...optionalDependencies };
  const todo = Object.keys(all).map((name) => ({
    name,
    place: placeOf(name, ''),
    optional: name in optionalDependencies,
  }));
  while (todo.length > 0) {
    const { name, place, optional } = /** @type {{ name: string, place?: string, optional: boolean }} */ (todo.shift());
    const known = place === undefined ? undefined : found.get(place);
    if (place === undefined || (known && (optional || !known.optional))) continue;
    const {
      version,
      license = '',
      integrity,
      dependencies: needs = {},
      optionalDependencies: may = {},
    } = packages[place];
    const below = Object.keys({ ...needs, ...may }).map((need) => ({
      name: need,
      place: placeOf(need, place),
      optional: optional || need in may,
    }));
    const places = below.flatMap((need) => need.place ?? []);
    const unlocked = Object.entries(may).filter(
      ([need, wanted]) => placeOf(need, place) === undefined && /^\d/.test(String(wanted)),
    );
    const elsewhere = unlocked.map(([need]) => `node_modules/${need}`);
    found.set(place, { name, version, license, integrity, optional, needs: [...places, ...elsewhere] });
    for (const [need, wanted] of unlocked) {
      const one = { name: need, version: String(wanted), license, integrity: undefined, optional: true, needs: [] };
      found.set(`node_modules/${need}`, one);
    }
    todo.push(...below);
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}
