/**
 * Bundles a package into one module with Rolldown, in memory.
 *
 * Rolldown's parser is recursive, so a deeply nested source can crash the process. Only `bundle_worker.ts` calls this, in a
 * separate process.
 */

import { statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute } from 'node:path';
import type { InputOptions } from 'rolldown';
import { packageName } from '../boundary/package_name.js';
import type { Manifest } from './bundle_manifest.js';
import { createManifest } from './bundle_manifest.js';
import { CODE_MAKERS, evalShims } from './eval_shims.js';
import { isSupported, NODE_GLOBALS, nodeParts, SHIMS } from './node_parts.js';
import { PackageFiles } from './package_files.js';

/** Resolution options: like a browser worker, without a page. */
const PLAIN = { conditionNames: ['module', 'worker'], mainFields: ['module', 'main'] };
const BROWSER = {
  conditionNames: [...PLAIN.conditionNames, 'browser'],
  mainFields: ['browser', ...PLAIN.mainFields],
  aliasFields: [['browser']],
};
/**
 * Replaces the global `document` in bundles, to detect whether the code needs a page. Local variables of that name are not
 * replaced.
 */
const PAGE = '$tgpDocument';
const NEEDS_PAGE = /\$tgpDocument\.(?:create\w+|implementation)\b/;
/** Constants for libraries: production mode, names of the global object, and the module URL. */
const DEFINE = {
  'process.env.NODE_ENV': '"production"',
  global: 'globalThis',
  self: 'globalThis',
  'import.meta.url': '"file:///node_modules/index.js"',
  document: PAGE,
};
/** As in Node, a module without a default export is its own default. */
const OWN_DEFAULT =
  'if(module.exports?.__esModule&&!("default"in module.exports))try{Object.defineProperty(module.exports,"default",{value:module.exports})}catch{}';
/** The lowest supported version of each old Node release line. All newer lines are supported, other old ones are not. */
const NODES = [
  [20, 19],
  [22, 12],
];
/** Version of the bundling options; a change invalidates all cached bundles. */
const RECIPE = 5;
/** Limits of a package with its dependencies, and of the bundle. */
const MAX_MODULES = 5_000;
const MAX_SOURCE_BYTES = 32 << 20;
const MAX_CODE_CHARS = 16 << 20;

/** The code of a bundle and its inputs. */
export type Bundle = { code: string; manifest: Manifest };

/** A package cannot be bundled. The message is for the author of the import. */
export class NotBundled extends Error {}

const NOT_INSTALLED = 'it is not installed in the application, or has no such subpath.';

/** Whether a specifier is a package name with an optional subpath, without `.` or `..`. */
const isPlain = (specifier: string) =>
  !specifier.split(/[/\\]/).some((part) => part === '' || part === '.' || part === '..');

/** The version of the bundler and its options. */
export const makerOf = () =>
  `rolldown ${createRequire(import.meta.url)('rolldown/package.json').version}, recipe ${RECIPE}`;

/**
 * Whether Rolldown runs in this Node.
 * @param version as in `process.versions.node`
 */
export function canBundle(version: string) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [newest = 0] = NODES.at(-1) ?? [];
  return major > newest || NODES.some(([line, least]) => line === major && minor >= (least ?? 0));
}

/** The message for an unsupported Node. */
export function neededNode() {
  const least = NODES.map((line) => line.join('.')).join(', ');
  return `bundling needs Node ${least} or newer, and this is Node ${process.versions.node}. Update Node.`;
}

/**
 * The package as the body of a CommonJS module that imports nothing.
 * @param baseDir where the search for `node_modules` starts, upwards
 * @returns rejects with NotBundled
 */
export async function bundle(specifier: string, baseDir: string): Promise<Bundle> {
  if (isBuiltin(specifier) && !isSupported(specifier)) {
    throw new NotBundled(`it needs "${specifier}" of Node, which the sandbox does not have.`);
  }
  // The subpath is from a tool, which must not reach files outside the package.
  if (!isPlain(specifier)) throw new NotBundled(NOT_INSTALLED);
  const { code, manifest } = await withoutPage(specifier, baseDir);
  return { code: code.replaceAll(PAGE, 'document'), manifest };
}

/** The browser build of a package, or its Node build if only the browser build needs a page. */
async function withoutPage(specifier: string, baseDir: string): Promise<Bundle> {
  const made = await bundled(specifier, baseDir, BROWSER);
  if (!NEEDS_PAGE.test(made.code)) return made;
  const other = await bundled(specifier, baseDir, PLAIN).catch(() => made);
  return NEEDS_PAGE.test(other.code) ? made : other;
}

async function bundled(specifier: string, baseDir: string, resolve: InputOptions['resolve']): Promise<Bundle> {
  const { rolldown } = await import('rolldown');
  let stopped: string | undefined;
  let modules: string[] = [];
  const imports: { from: string; name: string }[] = [];
  const files = new PackageFiles(baseDir, SHIMS);
  const addImport = (from: string, id: string) => {
    const name = packageName(id);
    imports.push({ from, name });
    files.add(from, name);
  };
  addImport(baseDir, specifier);
  const size = { modules: 0, bytes: 0 };
  const stop = (why: string) => {
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
      evalShims(),
      {
        name: 'tgp:sources',
        resolveId(id, importer) {
          if (importer && /^[^./\\#\0]/.test(id) && !isAbsolute(id)) {
            addImport(dirname(importer), id);
          }
          return null;
        },
        load(id) {
          if (isAbsolute(id) && !files.has(id)) stop('it accesses a file outside its folder.');
          size.modules += 1;
          size.bytes += isAbsolute(id) ? (statSync(id, { throwIfNoEntry: false })?.size ?? 0) : 0;
          if (size.modules > MAX_MODULES || size.bytes > MAX_SOURCE_BYTES) {
            stop(`it is larger than ${MAX_MODULES} files or ${MAX_SOURCE_BYTES} bytes with its dependencies.`);
          }
          return null;
        },
        buildEnd() {
          modules = [...this.getModuleIds()];
          for (const id of modules.filter(isAbsolute)) {
            const { importers, dynamicImporters } = this.getModuleInfo(id) ?? { importers: [], dynamicImporters: [] };
            const isRefused = [...importers, ...dynamicImporters].some((from) => !files.mayImport(from, id));
            if (isRefused) stop('one of its packages imports a package that the application only links to.');
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
      // Libraries use function and class names at run time.
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

/** The reason of a failure, without host paths from the bundler's message. */
function reason(cause: unknown) {
  const message = cause instanceof Error ? cause.message : '';
  if (message.includes('UNRESOLVED_ENTRY')) return NOT_INSTALLED;
  const missing = /UNRESOLVED_IMPORT[^']*'([^']+)'/.exec(message)?.[1];
  if (missing !== undefined) return `it needs "${missing}", which is not installed in the application.`;
  if (/top-level await/i.test(message)) return 'it uses top-level await, but tools load packages synchronously.';
  return 'its code could not be bundled.';
}
