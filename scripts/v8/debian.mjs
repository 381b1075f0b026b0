/** Downloads and verifies packages of another Debian release, without installing them. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StepFailed } from '../../tools/process.mjs';

const MIRROR = 'http://deb.debian.org/debian';
const INDEX = `${MIRROR}/dists/unstable/main/binary-amd64/Packages.xz`;
/** The index is 11 MB, the largest package 4 MB. */
const MAX_BYTES = 64 << 20;

/**
 * The newest version of each package, as a file in `folder`.
 * @param {string[]} names
 * @param {string} folder
 */
export async function downloadPackages(names, folder) {
  mkdirSync(folder, { recursive: true });
  const packed = join(folder, 'Packages.xz');
  writeFileSync(packed, await download(INDEX));
  const index = execFileSync('xz', ['--decompress', '--stdout', packed], { maxBuffer: 512 << 20 }).toString();
  /** @type {string[]} */
  const files = [];
  for (const entry of entries(index, names)) {
    const bytes = await download(`${MIRROR}/${entry.path}`);
    const sum = createHash('sha256').update(bytes).digest('hex');
    if (sum !== entry.sum) throw new StepFailed(`${entry.path} does not match the checksum in Debian's index.`);
    files.push(join(folder, basename(entry.path)));
    writeFileSync(files.at(-1) ?? '', bytes);
  }
  return files;
}

/**
 * The paths and checksums of the packages.
 * @param {string} index
 * @param {string[]} names
 */
export function entries(index, names) {
  const paragraphs = index.split('\n\n');
  return names.map((name) => {
    const found = paragraphs.find((text) => text.startsWith(`Package: ${name}\n`));
    const [path, sum] = ['Filename', 'SHA256'].map((key) => found?.match(new RegExp(`^${key}: (.+)$`, 'm'))?.[1]);
    if (path === undefined || sum === undefined) throw new StepFailed(`Debian has no package ${name}.`);
    return { path, sum };
  });
}

/** @param {string} url */
async function download(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!response.ok) throw new StepFailed(`${url} answered ${response.status}.`);
  if (Number(response.headers.get('content-length') ?? 0) > MAX_BYTES) throw new StepFailed(`${url} is too large.`);
  return Buffer.from(await response.arrayBuffer());
}
