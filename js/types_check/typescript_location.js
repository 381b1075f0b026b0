import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first version whose compiler is a native program with a language server. */
const FIRST_NATIVE = 7;

/**
 * The program of TypeScript 7 or later: the application's own, or the one beside this package.
 * @param {string} baseDir the application's folder
 * @returns {string | undefined}
 */
export function locateTypeScript(baseDir) {
  for (const from of [join(baseDir, 'package.json'), fileURLToPath(import.meta.url)]) {
    const program = programOf(createRequire(from));
    if (program !== undefined) return program;
  }
  return undefined;
}

/** @param {NodeJS.Require} require */
function programOf(require) {
  try {
    const manifest = require.resolve('typescript/package.json');
    if (Number.parseInt(require(manifest).version, 10) < FIRST_NATIVE) return undefined;
    const platform = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
    const folder = dirname(createRequire(manifest).resolve(platform));
    const program = join(folder, 'lib', process.platform === 'win32' ? 'tsc.exe' : 'tsc');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
