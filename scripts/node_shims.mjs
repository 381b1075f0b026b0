/**
 * Builds the stand-ins for Node modules in the sandbox: `dist/node_shims/`, one CommonJS file per module, from `shims/` and from
 * small packages that are only development dependencies. `js/bundle/` includes them in bundles.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/process.mjs';

const SOURCES = join(ROOT, 'shims');
/** Modules provided by an unmodified package. */
const PACKAGES = { punycode: 'punycode/' };
/**
 * Imports of the packages, and the stand-in that provides each.
 * @type {Record<string, string>}
 */
const PROVIDERS = {
  'safe-buffer': 'buffer',
  qs: 'querystring',
  'process/': 'process',
  'punycode/': 'punycode',
  'string_decoder/': 'string_decoder',
};
/** Never used: the sandbox already has it. */
const UNUSED = ['abort-controller'];

/** @param {string} output */
export async function writeNodeShims(output) {
  const { build: bundle } = await import('esbuild');
  const own = readdirSync(SOURCES).map((file) => file.replace('.cjs', ''));
  const parts = new Set([...own, ...Object.keys(PACKAGES)]);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const { metafile } = await bundle({
    entryPoints: {
      ...PACKAGES,
      ...Object.fromEntries(own.map((name) => [name, join(SOURCES, `${name}.cjs`)])),
    },
    outdir: output,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    target: 'es2023',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    define: { global: 'globalThis' },
    metafile: true,
    logLevel: 'warning',
    plugins: [{ name: 'parts', setup: (build) => linkParts(build, parts) }],
  });
  writeFileSync(join(output, 'LICENSES.txt'), licenses(Object.keys(metafile.inputs)));
}

/**
 * Stand-ins import each other instead of bundling copies, so that there is only one `Buffer`.
 * @param {import('esbuild').PluginBuild} build
 * @param {Set<string>} parts
 */
function linkParts(build, parts) {
  build.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
    if (kind === 'entry-point' || importer === '') return undefined;
    if (UNUSED.includes(path)) return { path, namespace: 'unused' };
    const isOwn = path.startsWith('tgp:');
    const name = (PROVIDERS[path] ?? path).replace(/^tgp:/, '').replace('/', '_');
    // A stand-in built from the package of the same name imports it with a trailing slash.
    return (isOwn || !importer.startsWith(SOURCES)) && parts.has(name)
      ? { path: `./${name}.cjs`, external: true }
      : undefined;
  });
  build.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: '' }));
}

/** @param {string[]} inputs files, as seen from here */
function licenses(inputs) {
  const folders = inputs.map((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const found = [...new Set(folders.filter((folder) => folder !== undefined))].sort();
  return found.map((folder) => licenseOf(join(ROOT, folder))).join('\n\n');
}

/** @param {string} folder of a package */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : license;
  return `${name} ${version} (${license})\n\n${text}\n`;
}
