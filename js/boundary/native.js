import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { readTextAtOnce } from './bounded_read.js';
import { TGPError } from './errors.js';
import { parseForeignJson } from './foreign_json.js';
import { loadFailure } from './load_failure.js';

/** @typedef {import('./typed_native.js').Native} Native */

const SUPPORTED = 'Linux x64 and arm64 (glibc), macOS x64 and arm64, Windows x64';

const MAX_MANIFEST_BYTES = 1 << 20;
const BUNDLED =
  'A bundler has put @tgp/core into the bundle of the application, where its native addon and its worker cannot be found. It must ' +
  'leave @tgp/core external, and node_modules has to be deployed with the bundle: --external:@tgp/core with esbuild, externals with ' +
  'webpack and rollup, ssr.external with Vite, withTGP of @tgp/core/next with Next.js.';

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
    if (!isOurFolder()) throw new TGPError('ERR_IO', BUNDLED, { cause });
    const missing =
      `It exists for ${SUPPORTED}. If this is one of those, install again without --omit=optional; in a clone of the repository run ` +
      '"npm run build".';
    const message = `The native part of @tgp/core could not be loaded on ${process.platform}-${process.arch}.`;
    throw new TGPError('ERR_IO', `${message} ${loadFailure(cause) ?? missing}`, { cause });
  }
}

/** Whether the files around this one are those of the package. */
function isOurFolder() {
  try {
    const manifest = readTextAtOnce(join(PACKAGE_FOLDER, 'package.json'), MAX_MANIFEST_BYTES);
    return parseForeignJson(manifest).name === '@tgp/core';
  } catch {
    return false;
  }
}
