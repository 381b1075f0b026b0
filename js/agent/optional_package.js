import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../boundary/errors.js';

/** How Node says that a package is not there, by `import` and by `require`. */
const MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * A package that the application may have, found from here or from the current folder: the command line need not be installed
 * beside it.
 * @param {string} name
 * @param {string} purpose what needs it, at the beginning of a sentence
 * @param {string} [wanted] what to install, where the newest is not it
 * @returns {Promise<any>}
 */
export async function optionalPackage(name, purpose, wanted = name) {
  try {
    return await import(name);
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause;
    const found = foundFromHere(name);
    if (found !== undefined) return import(pathToFileURL(found).href);
    throw new ConfigError(
      `${purpose} needs the package ${name}. Install it with "npm install ${wanted}" and try again.`,
      {
        cause,
        details: { package: name },
      },
    );
  }
}

/**
 * Whether it is this package that is missing, and not one that it needs itself.
 * @param {unknown} cause
 * @param {string} name
 */
function isMissing(cause, name) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause ?? {});
  return MISSING.has(String(code)) && String(message).includes(`'${name}'`);
}

/** @param {string} name */
function foundFromHere(name) {
  try {
    return createRequire(join(process.cwd(), 'package.json')).resolve(name);
  } catch {
    return undefined;
  }
}
