/** Loads the package of any built tree. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The exports of the package of a tree.
 * @param {string} tree
 * @returns {Promise<typeof import('../index.js')>}
 */
export async function importPackage(tree) {
  const { exports: entries } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  const entry = entries?.['.']?.import?.default ?? 'index.js';
  return import(pathToFileURL(join(tree, entry)).href);
}
