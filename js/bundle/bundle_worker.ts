/** Child process that bundles one package. Separate, because untrusted source may crash it. Started by `bundler.ts`. */

import { createInterface } from 'node:readline';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { guarded } from '../boundary/guarded.js';
import { bundle, NotBundled } from './bundle_package.js';

const leave = () => process.exit(1);
const input = createInterface({ input: process.stdin });

input.once(
  'line',
  guarded(leave, async (line) => {
    const { specifier, baseDir } = parseForeignJson(line) as { specifier: string; baseDir: string };
    process.stdout.write(JSON.stringify(await answer(specifier, baseDir)), () => process.exit());
  }),
);
// The parent process has ended.
input.once('close', leave);

async function answer(specifier: string, baseDir: string) {
  try {
    return await bundle(specifier, baseDir);
  } catch (error) {
    return { error: error instanceof NotBundled ? error.message : 'the bundler could not be started.' };
  }
}
