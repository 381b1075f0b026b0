/** Builds the CommonJS copy of the package in `dist/`, for applications that use `require`. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/process.mjs';

export async function writeCommonJs() {
  const { build: bundle } = await import('esbuild');
  await bundle({
    entryPoints: { index: join(ROOT, 'index.js'), next: join(ROOT, 'js', 'next.js'), mcp: join(ROOT, 'mcp.js') },
    outdir: join(ROOT, 'dist'),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    logLevel: 'warning',
  });
  for (const name of ['index', 'next', 'mcp']) copyDeclarations(name);
  mkdirSync(join(ROOT, 'dist', 'types'), { recursive: true });
  for (const file of readdirSync(join(ROOT, 'types'))) copyDeclarations(join('types', file.replace('.d.ts', '')));
}

/**
 * A file's declarations for CommonJS, with the extensions of relative imports adapted.
 * @param {string} name
 */
function copyDeclarations(name) {
  const text = readFileSync(join(ROOT, `${name}.d.ts`), 'utf8');
  writeFileSync(join(ROOT, 'dist', `${name}.d.cts`), text.replace(/(from '\.[^']*)\.js'/g, "$1.cjs'"));
}
