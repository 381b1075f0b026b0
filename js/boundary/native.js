import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { TGPError } from './errors.js';

/** @typedef {import('./typed_native.js').Native} Native */

const SUPPORTED = 'Linux x64 and arm64 (glibc), macOS x64 and arm64, Windows x64';

/** @type {Native | undefined} */
let loaded;

/**
 * The native addon, loaded at first use so that importing the package (from a config file, say) costs nothing.
 * @returns {Native}
 */
export function native() {
  if (loaded) return loaded;
  try {
    loaded = /** @type {Native} */ (createRequire(join(PACKAGE_FOLDER, 'package.json'))('./binding.cjs'));
    return loaded;
  } catch (cause) {
    throw new TGPError(
      'ERR_IO',
      `The native part of @tgp/core could not be loaded on ${process.platform}-${process.arch}. It exists for ${SUPPORTED}. ` +
        'If this is one of those, install again without --omit=optional; in a clone of the repository run "npm run build". ' +
        'A bundler must leave @tgp/core external.',
      { cause },
    );
  }
}
