/** Loads the native addon. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { readTextAtOnce } from './bounded_read.js';
import { TGPError } from './errors.js';
import { isRecord, parseForeignJson } from './foreign_json.js';
import { loadFailure } from './load_failure.js';
import type { Native } from './typed_native.js';

const SUPPORTED = 'Linux x64 and arm64 (glibc), macOS x64 and arm64, Windows x64';

const MAX_MANIFEST_BYTES = 1 << 20;
const BUNDLED =
  'The application was bundled with @tgp/core, so its native addon and its worker cannot be found. Configure the bundler to ' +
  'leave @tgp/core external, and deploy node_modules with the bundle: --external:@tgp/core with esbuild, externals with ' +
  'webpack and rollup, ssr.external with Vite, withTGP of @tgp/core/next with Next.js.';

let loaded: Native | undefined;

/** The native addon, loaded on first use, so that importing the package costs nothing. */
export function native(): Native {
  if (loaded) return loaded;
  try {
    loaded = createRequire(join(PACKAGE_FOLDER, 'package.json'))('./binding.cjs') as Native;
    return loaded;
  } catch (cause) {
    if (!isOurFolder()) throw new TGPError('ERR_IO', BUNDLED, { cause });
    const missing =
      `Supported systems are ${SUPPORTED}. On one of these, install again without --omit=optional, or run "npm run build" in a clone of ` +
      'the repository.';
    const message = `The native part of @tgp/core could not be loaded on ${process.platform}-${process.arch}.`;
    throw new TGPError('ERR_IO', `${message} ${loadFailure(cause) ?? missing}`, { cause });
  }
}

/** Whether this file is still in the package's folder, and not in a bundle. */
function isOurFolder() {
  try {
    const manifest = readTextAtOnce(join(PACKAGE_FOLDER, 'package.json'), MAX_MANIFEST_BYTES);
    const value = parseForeignJson(manifest);
    return isRecord(value) && value.name === '@tgp/core';
  } catch {
    return false;
  }
}
