/** The supported platforms, and their file names. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, StepFailed } from './process.mjs';

/**
 * @typedef {{ name: string, library: string, worker: string, seen: boolean }} Platform
 * `name` is the folder in npm/ and the tail of the package's name; `library` is what cargo calls the addon. `seen`: its tests are
 * known to pass, so a release requires it; the others are published only if they pass.
 */

/** @type {Record<string, Platform>} */
const PLATFORMS = {
  'linux-x64': { name: 'linux-x64-gnu', library: 'libtgp_core.so', worker: 'tgp-sandbox', seen: true },
  'linux-arm64': { name: 'linux-arm64-gnu', library: 'libtgp_core.so', worker: 'tgp-sandbox', seen: false },
  'darwin-x64': { name: 'darwin-x64', library: 'libtgp_core.dylib', worker: 'tgp-sandbox', seen: false },
  'darwin-arm64': { name: 'darwin-arm64', library: 'libtgp_core.dylib', worker: 'tgp-sandbox', seen: false },
  'win32-x64': { name: 'win32-x64-msvc', library: 'tgp_core.dll', worker: 'tgp-sandbox.exe', seen: false },
};

export const PLATFORM_NAMES = Object.values(PLATFORMS).map((platform) => platform.name);

/** The platforms that a release requires. */
export const SEEN_PLATFORMS = Object.values(PLATFORMS)
  .filter((platform) => platform.seen)
  .map((platform) => platform.name);

/** @returns {Platform} */
export function hostPlatform() {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  if (!platform) throw new StepFailed(`@tgp/core cannot be built on ${process.platform}-${process.arch} yet.`);
  return platform;
}

/** The main package's manifest. */
export function packageJson() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}
