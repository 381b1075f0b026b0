/** Third-party parts of the packages are listed, with their licences. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { licencesPage } from '../../scripts/licences.mjs';
import { installedPackages, LIBRARIES, linkedCrates } from '../../scripts/linked_parts.mjs';
import { bill, problemsOf } from '../../scripts/sbom.mjs';
import { PLATFORM_NAMES } from '../../tools/platform.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const crates = linkedCrates();
const made = bill();

describe('the linked parts', () => {
  it('are the crates that cargo links, without build and test dependencies', () => {
    const names = crates.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['v8', 'git2', 'rusqlite', 'reqwest', 'windows-sys', 'tgp-core']));
    for (const none of ['napi-build', 'cc', 'syn', 'serde_derive', 'proptest', 'ts-rs'])
      expect(names).not.toContain(none);
  });

  it('differ by platform, and have no crate of a disabled feature', () => {
    const of = (/** @type {string} */ name) => crates.find((crate) => crate.name === name)?.targets;
    expect(of('v8')).toHaveLength(5);
    expect(of('landlock')).toEqual(['x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu']);
    expect(of('windows-sys')).toEqual(['x86_64-pc-windows-msvc']);
    // An optional dependency of postcard.
    expect(of('embedded-io')).toBe(undefined);
  });

  it('have the library versions of the headers', () => {
    const folder = (/** @type {string} */ name) => crates.find((crate) => crate.name === name)?.folder;
    const header = readFileSync(`${folder('libsqlite3-sys')}/sqlite3/sqlite3.h`, 'utf8');
    const version = (/** @type {string} */ name) => LIBRARIES.find((library) => library.name === name)?.version;
    expect(version('SQLite')).toBe(/SQLITE_VERSION\s+"([^"]+)"/.exec(header)?.[1]);
    expect(crates.find(({ name }) => name === 'libgit2-sys')?.version).toMatch(new RegExp(`\\+${version('libgit2')}$`));
    const v8 = readFileSync(`${folder('v8')}/v8/include/v8-version.h`, 'utf8');
    const parts = ['MAJOR_VERSION', 'MINOR_VERSION', 'BUILD_NUMBER', 'PATCH_LEVEL'];
    const icu = readFileSync(`${folder('v8')}/third_party/icu/source/common/unicode/uvernum.h`, 'utf8');
    expect(version('ICU')).toBe(/U_ICU_VERSION "([^"]+)"/.exec(icu)?.[1]);
    const zlib = readFileSync(`${folder('libz-sys')}/src/zlib/zlib.h`, 'utf8');
    expect(version('zlib')).toBe(/ZLIB_VERSION "([^"]+)"/.exec(zlib)?.[1]);
    expect(version('V8')).toBe(parts.map((part) => new RegExp(`V8_${part} (\\d+)`).exec(v8)?.[1]).join('.'));
  });

  it('have the packages that npm installs, without development dependencies', () => {
    const names = [...installedPackages().values()].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['zod', 'rolldown', '@typescript/typescript-linux-x64']));
    for (const none of ['vitest', '@biomejs/biome', 'ai', '@modelcontextprotocol/sdk'])
      expect(names).not.toContain(none);
  });
});

describe('the bill of materials', () => {
  it('is valid CycloneDX, and reproducible', async () => {
    const text = JSON.stringify(made);
    expect(await problemsOf(text)).toBe(null);
    expect(JSON.stringify(bill())).toBe(text);
  });

  it('is validated: an unknown component type is a problem', async () => {
    const broken = { ...made, components: [{ type: 'ghost', name: 'a' }] };
    expect(await problemsOf(JSON.stringify(broken))).not.toBe(null);
  });

  it('lists V8 and ICU with licences and checksums, and has no dangling references', () => {
    const { components, dependencies, metadata } = /** @type {any} */ (made);
    const v8 = components.find((/** @type {any} */ one) => one.name === 'v8');
    expect(v8.hashes).toEqual([{ alg: 'SHA-256', content: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(v8.components.map((/** @type {any} */ one) => one.name)).toEqual(expect.arrayContaining(['V8', 'ICU']));
    const unlicensed = components.filter((/** @type {any} */ one) => one.licenses === undefined);
    expect(unlicensed.map((/** @type {any} */ one) => one.name)).toEqual([]);
    const refs = new Set([metadata.component, ...components].map((one) => one['bom-ref']));
    const dangling = dependencies.flatMap((/** @type {any} */ one) => [one.ref, ...one.dependsOn]);
    expect(dangling.filter((/** @type {string} */ ref) => !refs.has(ref))).toEqual([]);
  });
});

describe('the bill of materials lists parts that are copied into the packages', () => {
  const { components } = /** @type {any} */ (made);
  const named = (/** @type {string} */ wanted) =>
    components.filter((/** @type {any} */ one) => [one.group, one.name].filter(Boolean).join('/') === wanted);

  it('third-party packages, with their checksums', () => {
    for (const [wanted, into] of [
      ['readable-stream', 'dist/node_shims'],
      ['@noble/hashes', 'dist/node_shims'],
      ['@vitest/expect', 'std/expect.js'],
      ['chai', 'std/expect.js'],
    ]) {
      const [one] = named(String(wanted));
      expect(one, wanted).toMatchObject({ description: `copied into ${into}`, hashes: [{ alg: 'SHA-512' }] });
      expect(one.purl).toContain(`@${one.version}`);
    }
  });

  it('the data of ICU, the model, and the packages for every platform', () => {
    expect(named('tgp.icu')).toMatchObject([
      { type: 'data', hashes: [{ content: expect.stringMatching(/^[0-9a-f]{64}$/) }] },
    ]);
    const manifest = readFileSync(`${ROOT}/Cargo.toml`, 'utf8');
    expect(manifest).toContain(`deno_core_icudata = "=${named('tgp.icu')[0].version}"`);
    expect(named('all-MiniLM-L6-v2')).toMatchObject([{ type: 'machine-learning-model', hashes: [{ alg: 'SHA-256' }] }]);
    for (const platform of PLATFORM_NAMES) expect(named(`@tgp/core-${platform}`), platform).toHaveLength(1);
    for (const platform of ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-x64', 'darwin-arm64', 'win32-x64-msvc'])
      expect(named(`@rolldown/binding-${platform}`), platform).toHaveLength(1);
  });

  it('libraries, by the names that scanners look for', () => {
    const libraries = components.flatMap((/** @type {any} */ one) => one.components ?? []);
    for (const [name, maker] of [
      ['V8', 'google:v8'],
      ['ICU', 'unicode:international_components_for_unicode'],
      ['libgit2', 'libgit2:libgit2'],
      ['SQLite', 'sqlite:sqlite'],
      ['zlib', 'zlib:zlib'],
    ]) {
      const { version, cpe, purl } = libraries.find((/** @type {any} */ one) => one.name === name);
      expect(cpe).toContain(`cpe:2.3:a:${maker}:${version}:`);
      expect(purl).toMatch(/^pkg:github\//);
      expect(purl.endsWith(version), purl).toBe(true);
    }
  });
});

describe('THIRD_PARTY_LICENSES.txt', () => {
  it('has the current licences of the crates', () => {
    const page = licencesPage();
    expect(
      readFileSync(`${ROOT}/THIRD_PARTY_LICENSES.txt`, 'utf8') === page,
      'Run "npm run licences" and commit it',
    ).toBe(true);
    for (const text of [
      'the V8 project authors',
      'UNICODE LICENSE V3',
      'unlimited permission to link',
      'Apache License',
    ]) {
      expect(page).toContain(text);
    }
  });
});
