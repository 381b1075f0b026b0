/** Bundles packages of the application for the sandbox, on demand. */

import { programPath, startBounded } from '../boundary/bounded_program.js';
import { readAtMost, TooLarge } from '../boundary/bounded_read.js';
import { CompilationError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { currentManifest } from './bundle_manifest.js';
import { canBundle, makerOf, neededNode } from './bundle_package.js';

/** Limits of the bundler process. The kernel waits a little longer. */
const MAX_MEMORY_MB = 2048;
const TIMEOUT_MS = 50_000;
const MAX_ANSWER_BYTES = 64 << 20;

/**
 * @typedef {{ manifest: string, code: string | null }} BundleAnswer code null: the known bundle is current
 * @typedef {import('./bundle_package.js').Bundle} Bundle
 */

/**
 * The package as the body of a CommonJS module that imports nothing, unless the known bundle is still the same.
 * @param {string} specifier
 * @param {string} baseDir where the search for `node_modules` starts, upwards
 * @param {string | null} known the manifest of an earlier bundle
 * @param {import('./bundle_manifest.js').Trust} trust
 * @returns {Promise<BundleAnswer>}
 */
export async function bundlePackage(specifier, baseDir, known, trust) {
  const manifest = known && (await currentManifest(known, makerOf(), baseDir, trust));
  if (manifest) return { manifest: JSON.stringify(manifest), code: null };
  if (!canBundle(process.versions.node)) throw new CompilationError(neededNode());
  const begun = Date.now();
  const first = await bundled(specifier, baseDir);
  // A file that changed meanwhile may have been read before or after its change, so the bundle is made again.
  const stable = first.manifest.sources.every(({ changed }) => changed < begun);
  const made = stable ? first : await bundled(specifier, baseDir);
  return { manifest: JSON.stringify(made.manifest), code: made.code };
}

/**
 * Makes the bundle in a child process.
 * @param {string} specifier
 * @param {string} baseDir
 * @returns {Promise<Bundle>}
 */
async function bundled(specifier, baseDir) {
  const env = { NODE_OPTIONS: resolverOptions(process.env.NODE_OPTIONS) };
  const child = startBounded(process.execPath, [programPath('bundle/bundle_worker.js')], {
    memoryMb: MAX_MEMORY_MB,
    env,
  });
  child.on('error', ignored);
  child.stdin.on('error', ignored);
  let isLate = false;
  const late = guarded(ignored, () => {
    isLate = true;
    child.kill('SIGKILL');
  });
  const timer = setTimeout(late, TIMEOUT_MS);
  try {
    child.stdin.write(`${JSON.stringify({ specifier, baseDir })}\n`);
    const { error, ...made } = parseForeignJson((await readAtMost(child.stdout, MAX_ANSWER_BYTES)).toString('utf8'));
    if (error !== undefined) throw new CompilationError(String(error));
    return /** @type {Bundle} */ (made);
  } catch (cause) {
    if (cause instanceof CompilationError) throw cause;
    throw new CompilationError(failure(cause, isLate), { cause });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

/**
 * The NODE_OPTIONS for the bundler: only the resolver of Yarn Plug'n'Play. Other preloaded modules of the application (tracing, settings,
 * compilers) are not needed and may not be found.
 * @param {string | undefined} options
 */
export function resolverOptions(options = '') {
  const loads = options.match(/(?:-r|--require|--import|--loader|--experimental-loader)[ =](?:"[^"]*"|\S+)/g) ?? [];
  return loads.filter((load) => load.includes('.pnp.')).join(' ') || undefined;
}

/**
 * @param {unknown} cause
 * @param {boolean} isLate
 */
function failure(cause, isLate) {
  if (isLate) return 'it took too long.';
  if (cause instanceof TooLarge) return 'it is too large as one module.';
  if (cause instanceof BadJson) return 'the bundler failed on its code, which is nested too deeply or too large.';
  return 'the bundler could not be started.';
}
