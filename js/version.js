import { fileURLToPath } from 'node:url';
import { readTextAtOnce } from './bounded_read.js';
import { parseForeignJson } from './foreign_json.js';

const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url));
const MAX_MANIFEST_BYTES = 1 << 20;

/** @returns {string} the version of this package */
export function packageVersion() {
  return parseForeignJson(readTextAtOnce(MANIFEST, MAX_MANIFEST_BYTES)).version;
}
