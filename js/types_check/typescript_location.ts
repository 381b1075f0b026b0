/** Locates the native TypeScript compiler. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first version with a native compiler and a server. */
const FIRST_NATIVE = 7;
const PLATFORM = `${process.platform}-${process.arch}`;
const ENDING = process.platform === 'win32' ? '.exe' : '';

/** Package names of TypeScript 7 in applications; `typescript` itself may be an older version. */
const PACKAGES = [
  { name: 'typescript', native: `@typescript/typescript-${PLATFORM}`, program: 'tsc' },
  { name: 'typescript-7', native: `@typescript/typescript-${PLATFORM}`, program: 'tsc' },
  { name: '@typescript/native-preview', native: `@typescript/native-preview-${PLATFORM}`, program: 'tsgo' },
];

/**
 * The compiler of TypeScript 7 or later: the optional dependency of this package, with which it was tested, or the application's.
 * @param baseDir the application's folder
 */
export function locateTypeScript(baseDir: string): string | undefined {
  const own = programIn(createRequire(fileURLToPath(import.meta.url)), `@typescript/typescript-${PLATFORM}`, 'tsc');
  if (own !== undefined) return own;
  const application = createRequire(join(baseDir, 'package.json'));
  for (const { name, native, program } of PACKAGES) {
    const manifest = manifestOf(application, name);
    const found = manifest === undefined ? undefined : programIn(createRequire(manifest), native, program);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path of a package's package.json, if its version is new enough. */
function manifestOf(require: NodeJS.Require, name: string) {
  try {
    const manifest = require.resolve(`${name}/package.json`);
    return Number.parseInt(require(manifest).version, 10) >= FIRST_NATIVE ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** @param name of the package with the program for this platform */
function programIn(require: NodeJS.Require, name: string, program: string) {
  try {
    const file = join(dirname(require.resolve(`${name}/package.json`)), 'lib', `${program}${ENDING}`);
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
