import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { tempRoot } from '../helpers/temp_root.js';

/** Packages that take `node:zlib` in different ways: functions, and classes that they inherit from, with internal members. */
const PACKAGES = { pngjs: '7.0.0', 'adm-zip': '0.6.1' };
/** @type {Record<string, string>} */
const JOBS = {
  pngjs: `import { PNG } from 'pngjs';
    const image = new PNG({ width: 20, height: 10 });
    image.data.forEach((_, i) => { image.data[i] = (i * 7) & 255; });
    const again = PNG.sync.read(PNG.sync.write(image));
    const later = await new Promise((resolve, reject) => new PNG().parse(PNG.sync.write(image, { deflateLevel: 1 }), (error, png) => (error ? reject(error) : resolve(png))));
    export default () => [again.width, again.height, image.data.equals(again.data), image.data.equals(later.data)];`,
  'adm-zip': `import AdmZip from 'adm-zip';
    const zip = new AdmZip();
    zip.addFile('a.txt', Buffer.from('hello '.repeat(500)));
    zip.addFile('folder/b.json', Buffer.from('{"a":1}'));
    const bytes = zip.toBuffer();
    const again = new AdmZip(bytes);
    export default () => [bytes.length < 1000, again.getEntries().map((entry) => [entry.entryName, entry.header.size]), again.readAsText('a.txt').length];`,
};

it.each(Object.keys(PACKAGES))('%s works in a tool as in Node', async (name) => {
  const installed = installedPackages('zlib_users', PACKAGES);
  const content = `import { Buffer } from 'node:buffer';\n${JOBS[name]}\n`;
  const job = join(installed, `${name}.mjs`);
  await writeFile(job, content);
  const expected = await (await import(/* @vite-ignore */ pathToFileURL(job).href)).default();
  const configFile = join(installed, `${name}.config.json`);
  const rootDir = join(await tempRoot(), '.tgp');
  const allowedImports = [name, 'buffer', 'zlib'];
  await writeFile(configFile, JSON.stringify({ rootDir, allowedImports, sandbox: { timeoutMs: 10_000 } }));
  const kernel = new TGP({ configFile });
  onTestFinished(() => kernel.shutdown());
  await tgpTools(kernel).write_file.execute({ path: 'tools/job.js', content });
  expect((await kernel.exec('tools/job.js')).result).toEqual(JSON.parse(JSON.stringify(expected)));
});
