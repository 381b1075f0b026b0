/** Reads files from a zip archive. Only the features used by wheels: stored and deflated entries, no encryption, no zip64. */

import { inflateRawSync } from 'node:zlib';
import { StepFailed } from '../tools/process.mjs';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;

/**
 * The named files, in the order of the names; undefined for one that is not there.
 * @param {Buffer} archive
 * @param {string[]} names
 * @returns {(Buffer | undefined)[]}
 */
export function readZip(archive, names) {
  const entries = readDirectory(archive);
  return names.map((name) => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    const { at, packed, method } = entry;
    const start = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
    const bytes = archive.subarray(start, start + packed);
    if (method === 0) return bytes;
    if (method === 8) return inflateRawSync(bytes);
    throw new StepFailed(`${name} uses an unsupported compression method.`);
  });
}

/**
 * @param {Buffer} archive
 * @returns {Map<string, { at: number, packed: number, method: number }>}
 */
function readDirectory(archive) {
  let end = archive.length - END_BYTES;
  while (end >= 0 && archive.readUInt32LE(end) !== END) {
    end--;
    if (archive.length - END_BYTES - end > MAX_COMMENT) end = -1;
  }
  if (end < 0) throw new StepFailed('The archive has no directory.');
  const entries = new Map();
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new StepFailed('The directory of the archive is damaged.');
    const [name, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    const start = at + 46;
    entries.set(archive.toString('utf8', start, start + (name ?? 0)), {
      at: archive.readUInt32LE(at + 42),
      packed: archive.readUInt32LE(at + 20),
      method: archive.readUInt16LE(at + 10),
    });
    at = start + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}
