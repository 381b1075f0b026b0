/**
 * Whether `dist/` was built from the present sources in `js/`. Compares contents: a checkout or a copy changes the times of files.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.mjs';

/** In `dist/`: the digest of the sources that it was built from. */
const FILE = 'sources.sha256';

/**
 * Records in a build the digest of its sources.
 * @param {string} output
 * @param {string} digest
 */
export function recordSources(output, digest) {
  writeFileSync(join(output, FILE), `${digest}\n`);
}

/** The digest of all sources, by path and content. */
export function sourcesDigest(sources = join(ROOT, 'js')) {
  const hash = createHash('sha256');
  const paths = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  for (const path of paths.sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(sources, path)))
      .update('\0');
  return hash.digest('hex');
}

/**
 * What to do if a build does not match its sources; undefined if it does.
 * @param {string} [sources]
 * @param {string} [output]
 */
export function staleBuild(sources, output = join(ROOT, 'dist')) {
  const built = textOf(join(output, FILE));
  if (built === undefined)
    return 'dist/ is missing or not complete: run "npm run build:js", or "npm run build" in a new clone.';
  return built.trim() === sourcesDigest(sources)
    ? undefined
    : 'js/ has changed since dist/ was built: run "npm run build:js".';
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
