/** The package of any tree that is built. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * What an application gets that imports the package of this tree.
 * @param {string} tree
 * @returns {Promise<typeof import('../index.js')>}
 */
export async function importPackage(tree) {
  const { exports: entries } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  const entry = entries?.['.']?.import?.default ?? 'index.js';
  return import(pathToFileURL(join(tree, entry)).href);
}
