import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { FORMATS } from '../../tools/package_jobs/formats.mjs';
import { OTHERS } from '../../tools/package_jobs/others.mjs';
import { VALUES } from '../../tools/package_jobs/values.mjs';
import { tempRoot } from '../helpers/temp_root.js';

/** A selection from docs/packages.md: each uses other features. */
const PACKAGES = {
  lodash: '4.18.1',
  underscore: '1.13.8',
  papaparse: '5.7.0',
  qs: '6.17.1',
  joi: '18.3.0',
  'sanitize-html': '2.17.5',
  mathjs: '15.2.0',
  'csv-parse': '7.0.3',
  xml2js: '0.6.2',
  'iconv-lite': '0.7.3',
  'crypto-js': '4.2.0',
  jsonwebtoken: '9.0.3',
};
const JOBS = { ...VALUES, ...FORMATS, ...OTHERS };

it.each(Object.keys(PACKAGES))('%s works in a tool as in Node', async (name) => {
  const installed = installedPackages('popular', PACKAGES);
  const [imports = '', expression = ''] = JOBS[name] ?? [];
  const content = `${imports};\nexport default async () => ${expression};\n`;
  const job = join(installed, `${name}.mjs`);
  await writeFile(job, content);
  const expected = await (await import(/* @vite-ignore */ pathToFileURL(job).href)).default();
  const configFile = join(installed, `${name}.config.json`);
  const rootDir = join(await tempRoot(), '.tgp');
  await writeFile(
    configFile,
    JSON.stringify({ rootDir, allowedImports: [name], fs: { allowedDirs: [] }, sandbox: { timeoutMs: 10_000 } }),
  );
  const kernel = new TGP({ configFile });
  onTestFinished(() => kernel.shutdown());
  await tgpTools(kernel).write_file.execute({ path: 'tools/job.ts', content });
  expect((await kernel.exec('tools/job.ts')).result).toEqual(JSON.parse(JSON.stringify(expected)));
});
