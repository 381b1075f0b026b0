import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DEFAULTS } from '../boundary/limits.js';

/** Comes with the kernel. */
const OWN = '@tgp/std';

/**
 * The packages that tools may import when nothing is said: of the usual ones, those that the application has.
 * @param {string} baseDir
 * @returns {string[]}
 */
export function installedDefaults(baseDir) {
  const { resolve } = createRequire(join(baseDir, 'tgp.config.js'));
  return DEFAULTS.allowedImports.filter((name) => name === OWN || isInstalled(name, resolve));
}

/**
 * @param {string} name
 * @param {NodeJS.RequireResolve} resolve
 */
function isInstalled(name, resolve) {
  try {
    resolve(name);
    return true;
  } catch (error) {
    // One that is there but not for `require` is there.
    return /** @type {any} */ (error)?.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
