/**
 * A package as one module, by Rolldown: it resolves `exports`, conditions and subpaths as the ecosystem expects, and
 * writes no file.
 *
 * Its parser follows the nesting of a source on the stack, so that a file of a package can end the process that reads it.
 * Only `bundle_worker.js` calls this, in a process of its own.
 */

import { statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute } from 'node:path';
import { packageName } from '../boundary/package_name.js';
import { createManifest } from './bundle_manifest.js';
import { CODE_MAKERS, codeFromText } from './code_from_text.js';
import { isSupported, NODE_GLOBALS, nodeParts, SHIMS } from './node_parts.js';
import { PackageFiles } from './package_files.js';

/** How a package is resolved: as for browsers without a page, as far as it knows of such. */
const PLAIN = { conditionNames: ['module', 'worker'], mainFields: ['module', 'main'] };
const BROWSER = {
  conditionNames: [...PLAIN.conditionNames, 'browser'],
  mainFields: ['browser', ...PLAIN.mainFields],
  aliasFields: [['browser']],
};
/** Stands for the `document` of a page while it is found out whether code needs one; a variable of that name is none. */
const PAGE = '$tgpDocument';
const NEEDS_PAGE = /\$tgpDocument\.(?:create\w+|implementation)\b/;
/** What libraries look at to leave their development checks out, the names that they have for the global object, and their place. */
const DEFINE = {
  'process.env.NODE_ENV': '"production"',
  global: 'globalThis',
  self: 'globalThis',
  'import.meta.url': '"file:///node_modules/index.js"',
  document: PAGE,
};
/** As in Node, a module that has no default export is its own. */
const OWN_DEFAULT =
  'if(module.exports?.__esModule&&!("default"in module.exports))try{Object.defineProperty(module.exports,"default",{value:module.exports})}catch{}';
/** The lowest Node of each line that Rolldown runs in; lines in between have none. */
const NODES = [
  [20, 19],
  [22, 12],
];
/** Part of every bundle's identity: another way to bundle is another bundle. */
const RECIPE = 5;
/** What one package may be made of, with all that it needs, and what may come of it. */
const MAX_MODULES = 5_000;
const MAX_SOURCE_BYTES = 32 << 20;
const MAX_CODE_CHARS = 16 << 20;

/** @typedef {{ code: string, manifest: import('./bundle_manifest.js').Manifest }} Made */

/** Why a package cannot be bundled, in words for whoever wanted it. */
export class NotBundled extends Error {}

const NOT_INSTALLED = 'it is not installed in the application, or has no such subpath.';

/**
 * Whether a specifier is a package and a way down into it.
 * @param {string} specifier
 */
const isPlain = (specifier) => !specifier.split(/[/\\]/).some((part) => part === '' || part === '.' || part === '..');

/** Who bundles, and how. */
export const makerOf = () =>
  `rolldown ${createRequire(import.meta.url)('rolldown/package.json').version}, recipe ${RECIPE}`;

/**
 * Whether Rolldown runs in this Node.
 * @param {string} version as in `process.versions.node`
 */
export function canBundle(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [newest = 0] = NODES.at(-1) ?? [];
  return major > newest || NODES.some(([line, least]) => line === major && minor >= (least ?? 0));
}

/** What is said where it does not. */
export function neededNode() {
  const least = NODES.map((line) => line.join('.')).join(', ');
  return `bundling needs Node ${least} or newer, and this is Node ${process.versions.node}. Update Node.`;
}

/**
 * The package as the body of a CommonJS module that imports nothing.
 * @param {string} specifier
 * @param {string} baseDir where the application's `node_modules` are looked for, upwards
 * @returns {Promise<Made>} rejects with NotBundled
 */
export async function bundle(specifier, baseDir) {
  if (isBuiltin(specifier) && !isSupported(specifier)) {
    throw new NotBundled(`it needs "${specifier}" of Node, which the sandbox does not have.`);
  }
  // A tool names the subpath: what is around a package is not there for it, whether it exists or not.
  if (!isPlain(specifier)) throw new NotBundled(NOT_INSTALLED);
  const { code, manifest } = await withoutPage(specifier, baseDir);
  return { code: code.replaceAll(PAGE, 'document'), manifest };
}

/**
 * The package as it is for browsers, unless that needs a page and the package as it is for Node does not.
 * @param {string} specifier
 * @param {string} baseDir
 * @returns {Promise<Made>}
 */
async function withoutPage(specifier, baseDir) {
  const made = await bundled(specifier, baseDir, BROWSER);
  if (!NEEDS_PAGE.test(made.code)) return made;
  const other = await bundled(specifier, baseDir, PLAIN).catch(() => made);
  return NEEDS_PAGE.test(other.code) ? made : other;
}

/**
 * @param {string} specifier
 * @param {string} baseDir
 * @param {import('rolldown').InputOptions['resolve']} resolve
 * @returns {Promise<Made>}
 */
async function bundled(specifier, baseDir, resolve) {
  const { rolldown } = await import('rolldown');
  /** @type {string | undefined} */
  let stopped;
  /** @type {string[]} */
  let modules = [];
  /** @type {{ from: string, name: string }[]} */
  const imports = [];
  const files = new PackageFiles(baseDir, SHIMS);
  const asked = (/** @type {string} */ from, /** @type {string} */ id) => {
    const name = packageName(id);
    imports.push({ from, name });
    files.add(from, name);
  };
  asked(baseDir, specifier);
  const size = { modules: 0, bytes: 0 };
  const stop = (/** @type {string} */ why) => {
    stopped = why;
    throw new Error(why);
  };
  const build = await rolldown({
    input: { entry: specifier },
    cwd: baseDir,
    platform: 'neutral',
    resolve,
    transform: { define: DEFINE, inject: { ...NODE_GLOBALS, ...CODE_MAKERS } },
    logLevel: 'silent',
    plugins: [
      nodeParts(),
      codeFromText(),
      {
        name: 'tgp:sources',
        resolveId(id, importer) {
          if (importer && /^[^./\\#\0]/.test(id) && !isAbsolute(id)) {
            asked(dirname(importer), id);
          }
          return null;
        },
        load(id) {
          if (isAbsolute(id) && !files.has(id)) stop('it reaches for a file outside of its folder.');
          size.modules += 1;
          size.bytes += isAbsolute(id) ? (statSync(id, { throwIfNoEntry: false })?.size ?? 0) : 0;
          if (size.modules > MAX_MODULES || size.bytes > MAX_SOURCE_BYTES) {
            stop(`it is larger than ${MAX_MODULES} files or ${MAX_SOURCE_BYTES} bytes with all that it needs.`);
          }
          return null;
        },
        buildEnd() {
          modules = [...this.getModuleIds()];
          for (const id of modules.filter(isAbsolute)) {
            const { importers, dynamicImporters } = this.getModuleInfo(id) ?? { importers: [], dynamicImporters: [] };
            const isMisled = [...importers, ...dynamicImporters].some((from) => !files.mayImport(from, id));
            if (isMisled) stop('a package in it reaches for one that the application only links to.');
          }
        },
      },
    ],
  });
  try {
    const { output } = await build.generate({
      format: 'cjs',
      exports: 'auto',
      esModule: 'if-default-prop',
      codeSplitting: false,
      // Names of functions and classes are data: errors are told apart by them, registries go by them.
      keepNames: true,
      minify: {
        mangle: { keepNames: true },
        compress: { keepNames: { function: true, class: true } },
        codegen: true,
      },
      footer: OWN_DEFAULT,
    });
    const [chunk] = output;
    const [missing] = chunk.imports;
    if (missing !== undefined) throw new Error(`UNRESOLVED_IMPORT '${missing}'`);
    if (chunk.code.length > MAX_CODE_CHARS) stop(`it is larger than ${MAX_CODE_CHARS} characters as one module.`);
    return { code: chunk.code, manifest: await createManifest(makerOf(), baseDir, modules, imports) };
  } catch (cause) {
    throw new NotBundled(stopped ?? reason(cause), { cause });
  } finally {
    await build.close();
  }
}

/**
 * What went wrong, without the places on this machine that a bundler's own message names.
 * @param {unknown} cause
 */
function reason(cause) {
  const message = cause instanceof Error ? cause.message : '';
  if (message.includes('UNRESOLVED_ENTRY')) return NOT_INSTALLED;
  const missing = /UNRESOLVED_IMPORT[^']*'([^']+)'/.exec(message)?.[1];
  if (missing !== undefined) return `it needs "${missing}", which is not installed in the application.`;
  if (/top-level await/i.test(message))
    return 'it awaits something at its top level, and a tool loads packages at once.';
  return 'its code could not be bundled.';
}
