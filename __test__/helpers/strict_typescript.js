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
 * @returns {Promise<string>} the compiler's complaints
 */
export async function strictTypeScript(folder, name, source, more = {}) {
  await writeFile(join(folder, `${name}.ts`), source);
  const project = join(folder, `${name}.json`);
  await writeFile(project, JSON.stringify({ compilerOptions: { ...STRICT, ...more }, files: [`${name}.ts`] }));
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const outcome = await run(tsc, ['-p', project, '--pretty', 'false']).catch((error) => error);
  return outcome.stdout;
}
