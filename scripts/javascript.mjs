/**
 * Builds `dist/` from `js/`: ES modules file by file, the CommonJS copy for applications that use `require`, and the declarations
 * of the public API, for both.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordSources, sourcesDigest } from '../tools/built_sources.mjs';
import { localBin, ROOT, run } from '../tools/process.mjs';

/** The entry points of the package, each a file directly in `js/`. */
export const ENTRIES = ['index', 'mcp', 'next'];

/** The folder of a build in progress. It replaces `dist/` when it is complete, so a build that fails leaves `dist/` as it is. */
export const DIST = join(ROOT, 'dist.new');
/** The last complete build. */
const PUBLISHED = join(ROOT, 'dist');
/**
 * Where the compiler leaves the declarations of all files, without what is marked as internal. Only those that the entry points
 * reach are published. Beside the modules are declarations with everything, for tests and scripts.
 */
const DECLARATIONS = join(ROOT, 'target', 'declarations');
const IMPORTED = /(['"])(\.[^'"]*)\.js\1/g;
/** An import for its effects, which declarations do not need. */
const EFFECT = /^import '\.[^']*';\n/gm;
/** The compiler's note that a class has private members. With it, the ESM and the CommonJS type of one class would differ. */
const PRIVATE = /^ *#private;\n/gm;

/** Compiles `js/` to ES modules in {@link DIST}, with the declarations of the entry points in `declarations/`. */
export function writeModules() {
  for (const folder of [DIST, DECLARATIONS]) rmSync(folder, { recursive: true, force: true });
  const digest = sourcesDigest();
  run(localBin('tsc'), ['-p', 'tsconfig.build.json', '--outDir', DIST]);
  recordSources(DIST, digest);
  run(localBin('tsc'), [
    '-p',
    'tsconfig.build.json',
    '--emitDeclarationOnly',
    '--stripInternal',
    '--outDir',
    DECLARATIONS,
  ]);
  const done = new Set();
  const open = [...ENTRIES];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (done.has(name)) continue;
    done.add(name);
    const text = readFileSync(join(DECLARATIONS, `${name}.d.ts`), 'utf8')
      .replace(PRIVATE, '')
      .replace(EFFECT, '');
    for (const [, , path] of text.matchAll(IMPORTED)) open.push(join(dirname(name), String(path)));
    writeDeclarations(`${name}.d.ts`, text);
    writeDeclarations(`${name}.d.cts`, text.replaceAll(IMPORTED, '$1$2.cjs$1'));
  }
  const format = [
    'format',
    '--write',
    '--vcs-enabled=false',
    '--javascript-formatter-expand=never',
    '--log-level=error',
  ];
  run(localBin('biome'), [...format, join(DIST, 'declarations')]);
}

/**
 * Writes one published file of declarations.
 * @param {string} name below `declarations/`
 * @param {string} text
 */
function writeDeclarations(name, text) {
  const file = join(DIST, 'declarations', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Bundles the entry points of {@link DIST} as CommonJS. */
export async function writeCommonJs() {
  const { build: bundle } = await import('esbuild');
  await bundle({
    absWorkingDir: DIST,
    entryPoints: ENTRIES.map((name) => join(DIST, `${name}.js`)),
    outdir: DIST,
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
}

/**
 * Replaces a folder by a complete one.
 * @param {string} fresh
 * @param {string} target
 */
export function swapFolder(fresh = DIST, target = PUBLISHED) {
  statSync(fresh);
  const old = `${target}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}
