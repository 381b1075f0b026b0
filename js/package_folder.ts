/** Where this package is installed. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of this package. This file must be directly in `js/`, because its CommonJS copy is directly in `dist/`: both are one
 * level deep.
 */
export const PACKAGE_FOLDER = dirname(dirname(ownFile()));

/** In a CommonJS bundle of an application the path is unknown; then loading the addon fails with an explanation. */
function ownFile() {
  const url = import.meta.url;
  return url === undefined ? join(process.cwd(), 'bundle', 'file.cjs') : fileURLToPath(url);
}
