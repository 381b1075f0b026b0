/** Bundles packages of the application for the sandbox, on demand. */

import { programPath, startBounded } from '../boundary/bounded_program.js';
import { readAtMost, TooLarge } from '../boundary/bounded_read.js';
import { CompilationError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded, ignored } from '../boundary/guarded.js';
import type { Trust } from './bundle_manifest.js';
import { currentManifest } from './bundle_manifest.js';
import type { Bundle } from './bundle_package.js';
import { canBundle, makerOf, neededNode } from './bundle_package.js';

/** Limits of the bundler process. The kernel waits a little longer. */
const MAX_MEMORY_MB = 2048;
const TIMEOUT_MS = 50_000;
const MAX_ANSWER_BYTES = 64 << 20;

/** Code `null`: the known bundle is current. */
export type BundleAnswer = { manifest: string; code: string | null };

/**
 * The package as the body of a CommonJS module that imports nothing, unless the known bundle is still the same.
 * @param baseDir where the search for `node_modules` starts, upwards
 * @param known the manifest of an earlier bundle
 */
export async function bundlePackage(
  specifier: string,
  baseDir: string,
  known: string | null,
  trust: Trust,
): Promise<BundleAnswer> {
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

/** Makes the bundle in a child process. */
async function bundled(specifier: string, baseDir: string): Promise<Bundle> {
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
    const text = (await readAtMost(child.stdout, MAX_ANSWER_BYTES)).toString('utf8');
    const answer = parseForeignJson(text) as Bundle | { error: string };
    if ('error' in answer) throw new CompilationError(answer.error);
    return answer;
  } catch (cause) {
    if (cause instanceof CompilationError) throw cause;
    throw new CompilationError(failure(cause, isLate), { cause });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

/**
 * The NODE_OPTIONS for the bundler: only the resolver of Yarn Plug'n'Play. Other preloaded modules of the application (tracing,
 * settings, compilers) are not needed and may not be found.
 */
export function resolverOptions(options: string | undefined = '') {
  const loads = options.match(/(?:-r|--require|--import|--loader|--experimental-loader)[ =](?:"[^"]*"|\S+)/g) ?? [];
  return loads.filter((load) => load.includes('.pnp.')).join(' ') || undefined;
}

function failure(cause: unknown, isLate: boolean) {
  if (isLate) return 'it took too long.';
  if (cause instanceof TooLarge) return 'it is too large as one module.';
  if (cause instanceof BadJson) return 'the bundler failed on its code, which is nested too deeply or too large.';
  return 'the bundler could not be started.';
}
