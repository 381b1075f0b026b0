/**
 * Builds the `expect` of `@tgp/std/test`: vitest's, bundled with its dependencies into one file that runs without Node. It is
 * committed, because the crate embeds its text.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/process.mjs';

const ENTRY = join(ROOT, 'scripts', 'expect', 'entry.mjs');
const OUTPUT = join(ROOT, 'std', 'expect.js');
const LICENSES = join(ROOT, 'std', 'LICENSES.txt');

export async function writeExpect() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [ENTRY],
    outfile: OUTPUT,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    minify: true,
    legalComments: 'none',
    define: { global: 'globalThis' },
    metafile: true,
    logLevel: 'warning',
  });
  writeWhenStale(OUTPUT, outputFiles[0]?.text ?? '');
  writeWhenStale(LICENSES, licenses(Object.keys(metafile.inputs)));
}

/**
 * Writes only if changed: Cargo rebuilds crates whose files are newer than the last build.
 * @param {string} path
 * @param {string} text
 */
function writeWhenStale(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/**
 * The licences of all bundled packages.
 * @param {string[]} inputs
 */
function licenses(inputs) {
  const names = inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  const texts = [...new Set(names)].sort().map((name) => {
    const folder = join(ROOT, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `std/expect.js holds code of these packages.\n\n${texts.join('\n---\n\n')}`;
}
