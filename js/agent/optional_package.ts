/** Loads optional packages, such as those of model providers. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { ConfigError } from '../boundary/errors.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';

/** Node's error codes for a missing package, of `import` and of `require`. */
const MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** The optional packages, with the types of the versions that this package is developed with. */
type OptionalPackages = {
  ai: typeof import('ai');
  '@ai-sdk/anthropic': typeof import('@ai-sdk/anthropic');
  '@ai-sdk/openai': typeof import('@ai-sdk/openai');
  '@ai-sdk/openai-compatible': typeof import('@ai-sdk/openai-compatible');
};

/** Maximum nesting of conditional exports. */
const MAX_CONDITIONS = 5;

/**
 * Imports an optional package, resolved from this package or from the current folder, because the command line may be installed
 * elsewhere.
 * @param purpose what requires it, at the beginning of a sentence
 * @param beside6 what to install beside version 6 of `ai`, whose packages are not the newest
 */
export async function optionalPackage<Name extends string>(
  name: Name,
  purpose: string,
  beside6?: string,
): Promise<Name extends keyof OptionalPackages ? OptionalPackages[Name] : unknown> {
  try {
    return await import(name);
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause;
    const found = await foundFromHere(name);
    if (found !== undefined) return import(pathToFileURL(found).href);
    const six = beside6 === undefined ? '' : `, or beside version 6 of ai with "npm install ${beside6}",`;
    throw new ConfigError(
      `${purpose} requires the package ${name}. Install it with "npm install ${name}"${six} and try again.`,
      { cause, details: { package: name } },
    );
  }
}

/** Whether this package is missing, and not one of its dependencies. */
function isMissing(cause: unknown, name: string) {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  return MISSING.has(String(code)) && String(message).includes(`'${name}'`);
}

/** The entry file of the package, resolved from the current folder. */
async function foundFromHere(name: string): Promise<string | undefined> {
  const { resolve } = createRequire(join(process.cwd(), 'package.json'));
  try {
    return resolve(name);
  } catch {
    // A package without a `require` entry: Node cannot resolve its `import` entry from here, so it is read below.
  }
  for (const folder of resolve.paths(name) ?? []) {
    const entry = await importedEntry(join(folder, name));
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** @param folder of a package, if there is one */
async function importedEntry(folder: string): Promise<string | undefined> {
  try {
    const manifest = parseForeignJson(await readTextAtMost(join(folder, 'package.json')));
    const { exports, module } = isRecord(manifest) ? manifest : {};
    let entry = (isRecord(exports) && exports['.']) || exports || module;
    for (let depth = 0; depth < MAX_CONDITIONS && isRecord(entry); depth += 1) {
      entry = entry.node ?? entry.import ?? entry.default;
    }
    return typeof entry === 'string' ? join(folder, entry) : undefined;
  } catch {
    return undefined;
  }
}
