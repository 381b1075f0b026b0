import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installedPackages } from '../../tools/installed_packages.mjs';

const SDKS = { 4: '4.3.19', 5: '5.0.277', 6: '6.0.326', 7: '7.0.169' };
const ZODS = { zod3: '3.25.76', zod4: '4.6.7' };

/** Every SDK with every zod, also with one that it does not declare, as in applications. */
export const MATRIX = Object.keys(SDKS).flatMap((sdk) => Object.keys(ZODS).map((zod) => ({ sdk, zod })));

/** For each zod, the folder in which it is installed with all SDKs. */
export async function installedSdks() {
  const sdks = Object.entries(SDKS).map(([sdk, version]) => [`ai${sdk}`, `npm:ai@${version}`]);
  /** @type {Record<string, string>} */
  const folders = {};
  for (const [zod, version] of Object.entries(ZODS)) {
    const dependencies = { ...Object.fromEntries(sdks), zod: version };
    const folder = installedPackages(`tgp-ai-${zod}`, dependencies, '--legacy-peer-deps');
    for (const sdk of Object.keys(SDKS)) {
      const lines = [`export * as sdk from 'ai${sdk}';`, `export * as test from 'ai${sdk}/test';`];
      await writeFile(join(folder, `ai${sdk}.mjs`), [...lines, `export { z } from 'zod';`, ''].join('\n'));
    }
    folders[zod] = folder;
  }
  return folders;
}
