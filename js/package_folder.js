import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of this package. This file lies directly in `js/` because its CommonJS copy lies directly in `dist/`: both are
 * one folder deep, so one way up is right for both.
 */
export const PACKAGE_FOLDER = dirname(dirname(ownFile()));

/** In a CommonJS bundle of an application nobody knows: then the addon is not found, and says why. */
function ownFile() {
  const url = import.meta.url;
  return url === undefined ? join(process.cwd(), 'bundle', 'file.cjs') : fileURLToPath(url);
}
