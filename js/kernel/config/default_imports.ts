/** The default of `allowedImports`. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DEFAULTS } from '../../boundary/limits.js';

/** Part of the kernel, so always available. */
const OWN = '@tgp/std';

/** The packages that tools may import by default: those of the default list that the application has installed. */
export function installedDefaults(baseDir: string): string[] {
  const { resolve } = createRequire(join(baseDir, 'tgp.config.js'));
  return DEFAULTS.allowedImports.filter((name) => name === OWN || isInstalled(name, resolve));
}

function isInstalled(name: string, resolve: NodeJS.RequireResolve) {
  try {
    resolve(name);
    return true;
  } catch (error) {
    // Installed, but without an export for `require`.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
