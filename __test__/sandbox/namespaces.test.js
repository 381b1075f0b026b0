import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NAMESPACE_PROGRAMS } from '../fixtures/namespace_programs.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const require = createRequire(import.meta.url);
const TSC = join(require.resolve('typescript/package.json'), '../lib/tsc.js');
const OPTIONS = [
  '--module',
  'commonjs',
  '--target',
  'es2022',
  '--lib',
  'esnext',
  '--strict',
  '--types',
  '',
  '--ignoreConfig',
];

/**
 * The results of programs as TypeScript emits them, run by Node.
 * @param {string[]} programs
 */
async function resultsOfTypeScript(programs) {
  const folder = await tempRoot();
  const files = programs.map((_, at) => join(folder, `program_${at}.ts`));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  await Promise.all(programs.map((source, at) => writeFile(String(files[at]), source)));
  const out = join(folder, 'out');
  const emitted = spawnSync(process.execPath, [TSC, ...OPTIONS, '--outDir', out, ...files], { encoding: 'utf8' });
  expect(emitted.stdout).toBe('');
  return Promise.all(programs.map((_, at) => require(join(out, `program_${at}.js`)).default()));
}

it('namespaces, merged declarations and import aliases run as TypeScript emits them', async () => {
  const programs = Object.entries(NAMESPACE_PROGRAMS);
  expect(programs.length).toBeGreaterThanOrEqual(50);
  const expected = await resultsOfTypeScript(programs.map(([, source]) => source));
  const { forge } = await createKernel({ check: 'off' });
  const results = [];
  for (const [name, source] of programs) {
    const outcome = await forge(source).then(
      ({ result }) => result,
      (error) => `${name}: ${error.message}`,
    );
    results.push([name, outcome]);
  }
  expect(results).toEqual(programs.map(([name], at) => [name, expected[at]]));
});
