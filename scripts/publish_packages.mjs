/**
 * Publishes the tarballs of scripts/release_packages.mjs, dependencies first. It can be repeated after a failure: packages that
 * the registry already has, byte for byte, are skipped. If the registry has other bytes under the same version, nothing is
 * published.
 *
 *   node scripts/publish_packages.mjs --into DIR
 *
 *   --dry-run           prints what would be published, with its tag
 *   --provenance        npm attests which workflow made the packages
 *   --registry URL      a registry other than npm's
 *
 * A preview gets the tag `next`, a version older than the newest one the tag of its release line; only others become `latest`.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readOptions } from '../tools/options.mjs';
import { program, ROOT, StepFailed, whenStarted } from '../tools/process.mjs';
import { isOlder, isPreview, readVersion } from '../tools/versions.mjs';
import { packedManifest, publishingOrder } from './release_packages.mjs';

/**
 * @typedef {{ file: string, name: string, version: string, integrity: string, tag: string, isThere: boolean }} Planned
 * @typedef {{ into: string, registry: string, dryRun: boolean, provenance: boolean, say: (line: string) => void }} Job
 */

const REGISTRY = 'https://registry.npmjs.org/';
const USAGE =
  'Usage: node scripts/publish_packages.mjs --into DIR [--dry-run] [--provenance] [--registry URL], with what release_packages.mjs made';
const ANSWER_MS = 30_000;

/**
 * The dist-tag for a version: `latest`, `next` for previews, or the tag of an older release line.
 * @param {string} version
 * @param {string | undefined} latest what the registry gives those who ask for no version
 */
export function distTag(version, latest) {
  if (isPreview(version)) return 'next';
  if (latest === undefined || !isOlder(version, latest)) return 'latest';
  const [major, minor] = readVersion(version)?.numbers ?? [];
  return `release-${major}.${minor}`;
}

/**
 * The registry's metadata of a package; undefined if it does not exist.
 * @param {string} registry
 * @param {string} name
 * @returns {Promise<any>}
 */
async function packument(registry, name) {
  const address = new URL(name.replace('/', '%2f'), registry);
  const headers = { accept: 'application/json', 'cache-control': 'no-cache' };
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(address, { headers, signal });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new StepFailed(`${address} answered ${response.status}.`);
    return await response.json();
  } catch (error) {
    if (error instanceof StepFailed) throw error;
    throw new StepFailed(`${address} could not be read: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * @param {string} registry
 * @param {string} file
 * @returns {Promise<Planned>}
 */
async function planned(registry, file) {
  const { name, version } = packedManifest(file);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  const known = await packument(registry, name);
  const published = known?.versions?.[version]?.dist?.integrity;
  if (published !== undefined && published !== integrity) {
    throw new StepFailed(
      `${name} ${version} is published already, with other bytes (${published}, here ${integrity}). Nothing was published now. ` +
        'Publish the tarballs of that run, or release a new version.',
    );
  }
  const tag = distTag(version, known?.['dist-tags']?.latest);
  return { file, name, version, integrity, tag, isThere: published !== undefined };
}

/**
 * @param {Planned} one
 * @param {Job} job
 */
async function publish({ file, name, version, tag }, { registry, provenance }) {
  const flags = ['--access', 'public', '--tag', tag, '--registry', registry, ...(provenance ? ['--provenance'] : [])];
  const { command, args } = program('npm', ['publish', file, ...flags]);
  const npm = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(npm, 'close');
  if (code === 0) return;
  // The answer may have been lost although the registry has the package.
  if ((await planned(registry, file)).isThere) return;
  throw new StepFailed(
    `npm could not publish ${name} ${version}. Packages published before it remain; run this again with the same tarballs to continue.`,
  );
}

/**
 * @param {Job} job
 * @returns {Promise<Planned[]>} all packages, whether published now or before
 */
export async function publishPackages(job) {
  const plan = [];
  for (const file of publishingOrder(job.into)) plan.push(await planned(job.registry, file));
  for (const one of plan) {
    const { name, version, tag, isThere } = one;
    if (isThere) job.say(`${name} ${version} is there already`);
    else job.say(`${job.dryRun ? 'Would publish' : 'Publishing'} ${name} ${version} as ${tag}`);
    if (!isThere && !job.dryRun) await publish(one, job);
  }
  return plan;
}

async function main() {
  const options = {
    into: { type: /** @type {const} */ ('string'), default: join(ROOT, 'target', 'packed') },
    registry: { type: /** @type {const} */ ('string'), default: REGISTRY },
    'dry-run': { type: /** @type {const} */ ('boolean'), default: false },
    provenance: { type: /** @type {const} */ ('boolean'), default: false },
  };
  const { values } = readOptions({ options }, USAGE);
  const { registry, provenance, 'dry-run': dryRun } = values;
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  await publishPackages({ into: resolve(values.into), registry, provenance, dryRun, say });
}

await whenStarted(import.meta.url, main);
