/** The version of this package. */

import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { readTextAtOnce } from './bounded_read.js';
import { parseForeignJson } from './foreign_json.js';

const MANIFEST = join(PACKAGE_FOLDER, 'package.json');
const MAX_MANIFEST_BYTES = 1 << 20;

/** @returns the version of this package */
export function packageVersion(): string {
  const { version } = parseForeignJson(readTextAtOnce(MANIFEST, MAX_MANIFEST_BYTES)) as { version: string };
  return version;
}
