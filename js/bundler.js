/**
 * Packages of the application as one module each, for the sandbox.
 *
 * Rolldown does the work: it resolves `exports`, conditions and subpaths as the ecosystem expects, runs inside this
 * process and writes no file. It is loaded when the first package is asked for that was not bundled before.
 */

import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute } from 'node:path';
import { createManifest, packageName, stillTrue } from './bundle_manifest.js';
import { CompilationError } from './errors.js';

/** What libraries look at to leave their development checks out. */
const DEFINE = { 'process.env.NODE_ENV': '"production"' };
/** The lowest Node of each line that Rolldown runs in; lines in between have none. */
const NODES = [
  [20, 19],
  [22, 12],
];
/** Part of every bundle's identity: another way to bundle is another bundle. */
const RECIPE = 1;

/** @typedef {{ manifest: string, code: string | null }} Bundle no code: what is known still holds */

/** Who bundles, and how. */
const makerOf = () => `rolldown ${createRequire(import.meta.url)('rolldown/package.json').version}, recipe ${RECIPE}`;

/**
 * Whether Rolldown runs in this Node.
 * @param {string} version as in `process.versions.node`
 */
export function canBundle(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [newest = 0] = NODES.at(-1) ?? [];
  return major > newest || NODES.some(([line, least]) => line === major && minor >= (least ?? 0));
}

/**
 * The package as the body of a CommonJS module that imports nothing, unless the known bundle is still the same.
 * @param {string} specifier
 * @param {string} baseDir where the application's `node_modules` are looked for, upwards
 * @param {string | null} known the manifest of a bundle made before
 * @param {import('./bundle_manifest.js').Trust} trust
 * @returns {Promise<Bundle>}
 */
export async function bundlePackage(specifier, baseDir, known, trust) {
  const manifest = known && (await stillTrue(JSON.parse(known), makerOf(), baseDir, trust));
  if (manifest) return { manifest: JSON.stringify(manifest), code: null };
  const begun = Date.now();
  const first = await bundle(specifier, baseDir);
  // A file that changed meanwhile may have been read before or after.
  const stable = first.manifest.sources.every(({ changed }) => changed < begun);
  const made = stable ? first : await bundle(specifier, baseDir);
  return { manifest: JSON.stringify(made.manifest), code: made.code };
}

/** @param {string} specifier @param {string} baseDir */
async function bundle(specifier, baseDir) {
  if (!canBundle(process.versions.node)) {
    const least = NODES.map((line) => line.join('.')).join(', ');
    throw new CompilationError(
      `bundling needs Node ${least} or newer, and this is Node ${process.versions.node}. Update Node.`,
    );
  }
  const { rolldown } = await import('rolldown');
  /** @type {string | undefined} */
  let builtin;
  /** @type {string[]} */
  let modules = [];
  const imports = [{ from: baseDir, name: packageName(specifier) }];
  const build = await rolldown({
    input: { entry: specifier },
    cwd: baseDir,
    platform: 'neutral',
    resolve: { conditionNames: ['import', 'module', 'default', 'browser'], mainFields: ['module', 'main'] },
    transform: { define: DEFINE },
    logLevel: 'silent',
    plugins: [
      {
        name: 'tgp:sources',
        resolveId(id, importer) {
          if (isBuiltin(id)) {
            builtin = id;
            throw new Error(id);
          }
          if (importer && /^[^./\\#\0]/.test(id) && !isAbsolute(id)) {
            imports.push({ from: dirname(importer), name: packageName(id) });
          }
          return null;
        },
        buildEnd() {
          modules = [...this.getModuleIds()];
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
      minify: true,
    });
    const [chunk] = output;
    const [missing] = chunk.imports;
    if (missing !== undefined) throw new Error(`UNRESOLVED_IMPORT '${missing}'`);
    return { code: chunk.code, manifest: await createManifest(makerOf(), baseDir, modules, imports) };
  } catch (cause) {
    throw new CompilationError(reason(cause, builtin), { cause });
  } finally {
    await build.close();
  }
}

/**
 * What went wrong, without the places on this machine that a bundler's own message names.
 * @param {unknown} cause
 * @param {string | undefined} builtin
 */
function reason(cause, builtin) {
  if (builtin !== undefined) return `it needs "${builtin}" of Node, which the sandbox does not have.`;
  const message = cause instanceof Error ? cause.message : '';
  if (message.includes('UNRESOLVED_ENTRY')) return 'it is not installed in the application, or has no such subpath.';
  const missing = /UNRESOLVED_IMPORT[^']*'([^']+)'/.exec(message)?.[1];
  if (missing !== undefined) return `it needs "${missing}", which is not installed in the application.`;
  return 'its code could not be bundled.';
}
