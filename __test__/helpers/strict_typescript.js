import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const STRICT = {
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.AsyncIterable', 'ESNext.Disposable'],
  module: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules', '@types')],
  paths: { '@tgp/core': [join(ROOT, 'index.d.ts')] },
};

/**
 * Compiles a program as a strict application with the packages of `folder` would.
 * @param {string} folder
 * @param {string} name of the program
 * @param {string} source
 * @param {object} [more] compiler options that the application needs
 * @returns {Promise<string>} the errors of the compiler
 */
export async function strictTypeScript(folder, name, source, more = {}) {
  return strictPrograms(folder, name, { [`${name}.ts`]: source }, more);
}

/**
 * As {@link strictTypeScript}, for several files at once.
 * @param {string} folder
 * @param {string} name of the project
 * @param {Record<string, string>} sources
 * @param {object} [more]
 * @returns {Promise<string>}
 */
export async function strictPrograms(folder, name, sources, more = {}) {
  for (const [file, source] of Object.entries(sources)) await writeFile(join(folder, file), source);
  const project = join(folder, `${name}.json`);
  const files = Object.keys(sources);
  await writeFile(project, JSON.stringify({ compilerOptions: { ...STRICT, ...more }, files }));
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const outcome = await run(tsc, ['-p', project, '--pretty', 'false']).catch((error) => error);
  return outcome.stdout;
}
