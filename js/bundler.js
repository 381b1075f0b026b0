/**
 * Packages of the application as one module each, for the sandbox.
 *
 * Rolldown does the work: it resolves `exports`, conditions and subpaths as the ecosystem expects, runs inside this
 * process and writes no file. It is loaded when the first package is asked for.
 */

import { isBuiltin } from 'node:module';
import { CompilationError } from './errors.js';

/** What libraries look at to leave their development checks out. */
const DEFINE = { 'process.env.NODE_ENV': '"production"' };

/**
 * The package as the body of a CommonJS module that imports nothing.
 * @param {string} specifier
 * @param {string} baseDir where the application's `node_modules` are looked for, upwards
 * @returns {Promise<string>}
 */
export async function bundlePackage(specifier, baseDir) {
  const { rolldown } = await import('rolldown');
  /** @type {string | undefined} */
  let builtin;
  const bundle = await rolldown({
    input: { entry: specifier },
    cwd: baseDir,
    platform: 'neutral',
    resolve: { conditionNames: ['import', 'module', 'default', 'browser'], mainFields: ['module', 'main'] },
    transform: { define: DEFINE },
    logLevel: 'silent',
    plugins: [
      {
        name: 'tgp:no-builtins',
        resolveId(id) {
          if (isBuiltin(id)) {
            builtin = id;
            throw new Error(id);
          }
          return null;
        },
      },
    ],
  });
  try {
    const { output } = await bundle.generate({
      format: 'cjs',
      exports: 'auto',
      esModule: 'if-default-prop',
      codeSplitting: false,
      minify: true,
    });
    const [chunk] = output;
    const [missing] = chunk.imports;
    if (missing !== undefined) throw new Error(`UNRESOLVED_IMPORT '${missing}'`);
    return chunk.code;
  } catch (cause) {
    throw new CompilationError(reason(cause, builtin), { cause });
  } finally {
    await bundle.close();
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
