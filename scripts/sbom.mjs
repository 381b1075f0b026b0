/**
 * Writes a bill of materials in CycloneDX 1.6: `npm run sbom`, into target/sbom.cdx.json or `-- --out FILE`. It lists the
 * crates linked into the native packages, their libraries, the npm packages installed with @tgp/core, and copied third-party
 * parts: packages, the ICU data, and the model of @tgp/memory. The output is reproducible, and only written if valid.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { PLATFORM_NAMES, packageJson } from '../tools/platform.mjs';
import { ROOT, StepFailed, whenStarted } from '../tools/process.mjs';
import { copiedPackages, ICU_DATA, MODEL } from './copied_parts.mjs';
import { crateId, installedPackages, LIBRARIES, linkedCrates, lockedChecksums, OWN } from './linked_parts.mjs';

const MEMORY = '@tgp/memory';

/** @param {string} name @param {string} version @param {'npm' | 'cargo'} kind */
function purl(kind, name, version) {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:${kind}/${path}@${encodeURIComponent(version)}`;
}

/**
 * Licences for CycloneDX: an SPDX expression, or a name if SPDX has none.
 * @param {string} license
 */
function licences(license) {
  if (license === '') return {};
  if (/ with linking exception$/.test(license)) return { licenses: [{ license: { name: license } }] };
  return { licenses: [{ expression: license }] };
}

/** The bill of materials as an object. */
export function bill() {
  const { name, version, license, description } = packageJson();
  const own = purl('npm', name, version);
  const crates = linkedCrates();
  const packages = installedPackages();
  const copies = copiedPackages();
  const root = crates.find((crate) => crate.name === OWN);
  const ref = (/** @type {string} */ id) => `cargo:${id}`;
  const components = [
    ...crates
      .filter((crate) => crate !== root)
      .map((crate) => ({
        type: 'library',
        'bom-ref': ref(crateId(crate)),
        name: crate.name,
        version: crate.version,
        ...licences(crate.license),
        purl: purl('cargo', crate.name, crate.version),
        ...sha256(crate.checksum),
        properties: crate.targets.map((target) => ({ name: 'tgp:target', value: target })),
        ...within(crate.name),
      })),
    ...[...packages].map(([place, one]) => ({
      type: 'library',
      'bom-ref': place,
      ...named(one.name),
      version: one.version,
      scope: one.optional ? 'optional' : 'required',
      ...licences(one.license),
      purl: purl('npm', one.name, one.version),
      ...sha512(one.integrity),
    })),
    ...copies.map((one) => ({
      type: 'library',
      'bom-ref': copyRef(one),
      ...named(one.name),
      version: one.version,
      description: `copied into ${one.into}`,
      ...licences(one.license),
      purl: purl('npm', one.name, one.version),
      ...sha512(one.integrity),
    })),
    {
      type: 'data',
      'bom-ref': ICU_DATA.file,
      name: ICU_DATA.file,
      version: ICU_DATA.version,
      description: ICU_DATA.about,
      ...licences(ICU_DATA.license),
      purl: purl('cargo', ICU_DATA.crate, ICU_DATA.version),
      ...sha256(lockedChecksums().get(`${ICU_DATA.crate}@${ICU_DATA.version}`)),
    },
    {
      type: 'machine-learning-model',
      'bom-ref': MODEL.name,
      name: MODEL.name,
      description: MODEL.about,
      ...licences(MODEL.license),
      ...sha256(MODEL.sha256),
      externalReferences: [{ type: 'distribution', url: MODEL.origin }],
    },
    ...ownPackages(version, license),
  ];
  const direct = Object.keys({ ...packageJson().dependencies, ...packageJson().optionalDependencies });
  const dependencies = [
    {
      ref: own,
      dependsOn: [
        ...(root?.needs ?? []).map(ref),
        ...direct.map((one) => `node_modules/${one}`).filter((one) => packages.has(one)),
        ...copies.map(copyRef),
        ...PLATFORM_NAMES.map((platform) => purl('npm', `${name}-${platform}`, version)),
      ],
    },
    ...crates
      .filter((crate) => crate !== root)
      .map((crate) => ({ ref: ref(crateId(crate)), dependsOn: crate.needs.map(ref) })),
    ...[...packages].map(([place, one]) => ({
      ref: place,
      dependsOn: [...new Set(one.needs)].filter((need) => packages.has(need)),
    })),
    ...PLATFORM_NAMES.map((platform) => ({
      ref: purl('npm', `${name}-${platform}`, version),
      dependsOn: [ICU_DATA.file],
    })),
    { ref: purl('npm', MEMORY, version), dependsOn: [MODEL.name] },
  ];
  const content = {
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'library',
        'bom-ref': own,
        ...named(name),
        version,
        description,
        ...licences(license),
        purl: own,
      },
    },
    components,
    dependencies,
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  // A UUID of version 8 (RFC 9562), derived from the content.
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${parts.join('-')}`,
    version: 1,
    ...content,
  };
}

/** @param {string} crate */
function within(crate) {
  const libraries = LIBRARIES.filter((library) => library.within === crate);
  if (libraries.length === 0) return {};
  const components = libraries.map(({ name, version, license, about, purl: origin, cpe }) => ({
    type: 'library',
    'bom-ref': `${crate}:${name}`,
    name,
    ...(version === '' ? {} : { version }),
    description: about,
    ...licences(license),
    ...(cpe === undefined ? {} : { cpe }),
    ...(origin === undefined ? {} : { purl: origin }),
  }));
  return { components };
}

/** @param {string} name */
function named(name) {
  const [, group, rest] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return group === undefined ? { name } : { group, name: rest };
}

/** @param {import('./copied_parts.mjs').Copied} copy */
function copyRef({ into, name }) {
  return `${into}:${name}`;
}

/**
 * The packages that are published with @tgp/core.
 * @param {string} version
 * @param {string} license
 */
function ownPackages(version, license) {
  const { name } = packageJson();
  const native = PLATFORM_NAMES.map((platform) => ({ one: `${name}-${platform}`, under: license }));
  return [...native, { one: MEMORY, under: MODEL.license }].map(({ one, under }) => ({
    type: 'library',
    'bom-ref': purl('npm', one, version),
    ...named(one),
    version,
    scope: 'optional',
    ...licences(under),
    purl: purl('npm', one, version),
  }));
}

/** @param {string | undefined} content */
function sha256(content) {
  return content === undefined ? {} : { hashes: [{ alg: 'SHA-256', content }] };
}

/** @param {string | undefined} integrity */
function sha512(integrity) {
  const [, base64] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  if (base64 === undefined) return {};
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] };
}

/**
 * @param {string} text
 * @returns {Promise<unknown>} null when it is valid
 */
export function problemsOf(text) {
  return new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
}

async function main() {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: join(ROOT, 'target', 'sbom.cdx.json') } },
  });
  const text = `${JSON.stringify(bill(), null, 2)}\n`;
  const problems = await problemsOf(text);
  if (problems !== null)
    throw new StepFailed(`The bill of materials is not valid: ${JSON.stringify(problems, null, 2)}`);
  const file = resolve(values.out);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${file}\n`);
}

await whenStarted(import.meta.url, main);
