/**
 * Builds the packed scripts of the sandbox, `crates/sandbox/src/engine/lazy/kept/`: globals that V8 does not have, each a package
 * bundled into one function and compressed. They are committed, because the crate embeds them.
 *
 *   npm run kept-scripts     after a change of such a package
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, deflateRawSync } from 'node:zlib';
import { ROOT } from '../tools/process.mjs';

const ENTRIES = join(ROOT, 'scripts', 'kept');
export const KEPT = join(ROOT, 'crates', 'sandbox', 'src', 'engine', 'lazy', 'kept');

/**
 * The text of each script, and the licences of the packages in it.
 * @returns {Promise<{ texts: Record<string, string>, licenses: string }>}
 */
export async function keptScripts() {
  const { build } = await import('esbuild');
  /** @type {Record<string, string>} */
  const texts = {};
  /** @type {string[]} */
  const inputs = [];
  for (const file of readdirSync(ENTRIES)) {
    const name = file.replace('.mjs', '');
    const { outputFiles, metafile } = await build({
      entryPoints: [join(ENTRIES, file)],
      write: false,
      bundle: true,
      format: 'iife',
      globalName: 'kept',
      platform: 'browser',
      target: 'es2024',
      minify: true,
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
    });
    texts[name] = `(function ${name}(realm) {\n${outputFiles[0]?.text ?? ''}kept.build(realm);\n});\n`;
    inputs.push(...Object.keys(metafile.inputs));
  }
  return { texts, licenses: licensesOf(inputs) };
}

/** @param {string[]} inputs files, as seen from the root */
function licensesOf(inputs) {
  const names = inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  const texts = [...new Set(names)].sort().map((name) => {
    const folder = join(ROOT, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text =
      file === undefined ? license : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `The packed scripts of the sandbox hold code of these packages.\n\n${texts.join('\n---\n\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { texts, licenses } = await keptScripts();
  for (const [name, text] of Object.entries(texts)) {
    const packed = deflateRawSync(text, { level: constants.Z_BEST_COMPRESSION });
    writeFileSync(join(KEPT, `${name}.deflate`), packed);
    process.stdout.write(`${name}: ${text.length} characters, ${packed.length} bytes\n`);
  }
  writeFileSync(join(KEPT, 'LICENSES.txt'), licenses);
}
