import { copyFile, link, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORKER = new URL('./compromised_worker.mjs', import.meta.url).href;

/**
 * The environment of a program whose kernels start the compromised worker in place of their own.
 * @param {string} folder an empty folder
 */
export async function compromisedWorkers(folder) {
  const [addon = ''] = (await readdir(ROOT)).filter((name) => /^tgp\..*\.node$/.test(name));
  await mkdir(folder, { recursive: true });
  const library = join(folder, addon);
  for (const file of [addon, 'tgp.icu']) {
    await link(join(ROOT, file), join(folder, file)).catch(() => copyFile(join(ROOT, file), join(folder, file)));
  }
  const start = `#!${process.execPath}\nimport(${JSON.stringify(WORKER)});\n`;
  await writeFile(join(folder, 'tgp-sandbox'), start, { mode: 0o755 });
  return { NAPI_RS_NATIVE_LIBRARY_PATH: library };
}
