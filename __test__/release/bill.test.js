/** What is shipped of others is named, with its licence. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { licencesPage } from '../../scripts/licences.mjs';
import { installedPackages, LIBRARIES, linkedCrates } from '../../scripts/linked_parts.mjs';
import { bill, problemsOf } from '../../scripts/sbom.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const crates = linkedCrates();
const made = bill();

describe('what is linked', () => {
  it('is what cargo links, and nothing that only builds or tests it', () => {
    const names = crates.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['v8', 'git2', 'rusqlite', 'reqwest', 'windows-sys', 'tgp-core']));
    for (const none of ['napi-build', 'cc', 'syn', 'serde_derive', 'proptest', 'ts-rs'])
      expect(names).not.toContain(none);
  });

  it('differs by platform, and holds no crate of a feature that is off', () => {
    const of = (/** @type {string} */ name) => crates.find((crate) => crate.name === name)?.targets;
    expect(of('v8')).toHaveLength(5);
    expect(of('landlock')).toEqual(['x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu']);
    expect(of('windows-sys')).toEqual(['x86_64-pc-windows-msvc']);
    // An optional dependency of postcard.
    expect(of('embedded-io')).toBe(undefined);
  });

  it('holds the versions of libraries that their headers tell', () => {
    const folder = (/** @type {string} */ name) => crates.find((crate) => crate.name === name)?.folder;
    const header = readFileSync(`${folder('libsqlite3-sys')}/sqlite3/sqlite3.h`, 'utf8');
    const version = (/** @type {string} */ name) => LIBRARIES.find((library) => library.name === name)?.version;
    expect(version('SQLite')).toBe(/SQLITE_VERSION\s+"([^"]+)"/.exec(header)?.[1]);
    expect(crates.find(({ name }) => name === 'libgit2-sys')?.version).toMatch(new RegExp(`\\+${version('libgit2')}$`));
    const v8 = readFileSync(`${folder('v8')}/v8/include/v8-version.h`, 'utf8');
    const parts = ['MAJOR_VERSION', 'MINOR_VERSION', 'BUILD_NUMBER', 'PATCH_LEVEL'];
    expect(version('V8')).toBe(parts.map((part) => new RegExp(`V8_${part} (\\d+)`).exec(v8)?.[1]).join('.'));
  });

  it('has the packages that npm installs, and none of development', () => {
    const names = [...installedPackages().values()].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['zod', 'rolldown', '@typescript/typescript-linux-x64']));
    for (const none of ['vitest', '@biomejs/biome', 'ai', '@modelcontextprotocol/sdk'])
      expect(names).not.toContain(none);
  });
});

describe('the bill of materials', () => {
  it('is valid CycloneDX, and says the same every time', async () => {
    const text = JSON.stringify(made);
    expect(await problemsOf(text)).toBe(null);
    expect(JSON.stringify(bill())).toBe(text);
  });

  it('would be found invalid', async () => {
    const broken = { ...made, components: [{ type: 'ghost', name: 'a' }] };
    expect(await problemsOf(JSON.stringify(broken))).not.toBe(null);
  });

  it('names V8 and ICU, with licences and checksums, and refers to nothing that is not there', () => {
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

describe('THIRD_PARTY_LICENSES.txt', () => {
  it('is what the crates say', () => {
    const page = licencesPage();
    expect(
      readFileSync(`${ROOT}/THIRD_PARTY_LICENSES.txt`, 'utf8') === page,
      'run "npm run licences" and commit it',
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
