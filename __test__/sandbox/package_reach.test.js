/** A package bundle contains only files of the package, whatever paths, maps, links and names the package contains. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const SECRET = 'sk-host-4711';

/** @param {string} folder @param {Record<string, string>} files */
function writeFiles(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** An application with its own files and the given installed packages. @param {Record<string, string>} files */
async function application(files) {
  const folder = await tempRoot();
  writeFiles(folder, {
    'outside.json': JSON.stringify({ key: SECRET }),
    'app/package.json': '{"name":"app","type":"module"}',
    'app/config.json': JSON.stringify({ key: SECRET }),
    'app/config.js': `export default ${JSON.stringify(SECRET)};\n`,
    'app/keys.txt': SECRET,
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`app/node_modules/${path}`, text])),
  });
  return { folder, baseDir: join(folder, 'app') };
}

/** The value that a tool gets from a package, or the error, as text. @param {string} baseDir @param {string} specifier */
async function imported(baseDir, specifier) {
  const configFile = join(baseDir, 'tgp.config.json');
  writeFileSync(
    configFile,
    JSON.stringify({
      rootDir: await tempRoot(),
      allowedImports: ['evil', 'good', 'linked'],
      sandbox: { timeoutMs: 2000 },
    }),
  );
  const kernel = new TGP({ configFile });
  onTestFinished(() => kernel.shutdown());
  const tools = tgpTools(kernel);
  const content = `import * as value from ${JSON.stringify(specifier)};\nexport default () => JSON.stringify(value);\n`;
  await tools.write_file.execute({ path: 'tools/t.ts', content });
  return kernel.exec('tools/t.ts').then(
    ({ result }) => String(result),
    (error) => `${error.code} ${error.message}`,
  );
}

const evil = (/** @type {string} */ main, more = {}) => ({
  'evil/package.json': JSON.stringify({ name: 'evil', version: '1.0.0', main: 'index.js', ...more }),
  'evil/index.js': main,
});

describe('a package that imports files of the host', () => {
  it.each([
    ['a path up, JSON', evil("module.exports = require('../../config.json');")],
    ['a path up, code', evil("import value from '../../config.js';\nexport { value };")],
    ['a path up, text', evil("import value from '../../keys.txt';\nexport { value };")],
    ['a path far up', evil("module.exports = require('../../../outside.json');")],
    ['a path through another package', evil("module.exports = require('good/../../config.json');")],
    ['a scope without a package', evil("module.exports = require('@x/../../config.json');")],
    [
      'imports of package.json',
      evil("module.exports = require('#own');", { imports: { '#own': '../../config.json' } }),
    ],
    [
      'browser of package.json',
      evil("module.exports = require('./a.js');", { browser: { './a.js': '../../config.json' } }),
    ],
    ['main of package.json', evil('', { main: '../../config.json' })],
    ['exports of package.json', evil('', { exports: '../../config.json' })],
  ])('is refused: %s', async (_name, files) => {
    const { baseDir } = await application({
      ...files,
      'good/package.json': '{"name":"good"}',
      'good/index.js': 'module.exports = 1;',
      '@x/y/index.js': '',
    });
    const outcome = await imported(baseDir, 'evil');
    expect(outcome).toMatch(/^ERR_COMPILATION /);
    expect(outcome).not.toContain(SECRET);
  });

  it('is refused: an absolute path, a link to a file, and a link to a folder in its node_modules', async () => {
    const { folder, baseDir } = await application(evil(''));
    const own = join(baseDir, 'node_modules/evil');
    const host = join(folder, 'outside.json');
    symlinkSync(host, join(own, 'link.json'));
    mkdirSync(join(own, 'node_modules'));
    symlinkSync(folder, join(own, 'node_modules/nested'));
    for (const wanted of [host, './link.json', 'nested/outside.json']) {
      writeFileSync(join(own, 'index.js'), `module.exports = require(${JSON.stringify(wanted)});`);
      const outcome = await imported(baseDir, 'evil');
      expect(outcome, wanted).toMatch(/^ERR_COMPILATION /);
      expect(outcome, wanted).not.toContain(SECRET);
    }
  });

  it('cannot find out through a tool whether host files exist', async () => {
    const { baseDir } = await application(evil('module.exports = 1;'));
    const there = await imported(baseDir, 'evil/../../config.json');
    const missing = await imported(baseDir, 'evil/../../nothing.json');
    expect(there).toMatch(/^ERR_/);
    expect(there.replaceAll('config', 'nothing')).toBe(missing);
  });
});

it.each([
  ['browser of package.json', "exports.other = require('./a.js');", { browser: { './a.js': 'good' } }],
  ['imports of package.json', "exports.other = require('#dep');", { imports: { '#dep': 'good' } }],
])('a map that leads to another package is followed: %s', async (_name, main, more) => {
  const { baseDir } = await application({
    ...evil(main, more),
    'evil/a.js': "module.exports = 'own';",
    'good/package.json': '{"name":"good"}',
    'good/index.js': "module.exports = 'of good';",
  });
  expect(await imported(baseDir, 'evil')).toContain('of good');
});

describe('an installed package that imports a package of the workspace', () => {
  const more = { dependencies: { linked: '*' }, imports: { '#own': 'linked/secrets.json' } };
  const wanted = ['linked/secrets.json', '../linked/secrets.json', '#own'];
  const ways = [
    ...wanted.map((path) => `module.exports = require('${path}');`),
    "export const key = import('linked');",
  ];

  it.each(ways)('is refused, even if the application imports that package: %s', async (main) => {
    const { folder, baseDir } = await application(evil(main, more));
    writeFiles(folder, {
      'packages/linked/package.json': '{"name":"linked"}',
      'packages/linked/index.js': `exports.key = '${SECRET}';`,
      'packages/linked/secrets.json': JSON.stringify({ key: SECRET }),
      'packages/linked/with_evil.js':
        "exports.own = require('./index.js').key.length; exports.other = require('evil');",
    });
    symlinkSync('../../packages/linked', join(baseDir, 'node_modules/linked'));
    mkdirSync(join(folder, 'packages/linked/node_modules'));
    symlinkSync('../../../app/node_modules/evil', join(folder, 'packages/linked/node_modules/evil'));
    for (const specifier of ['evil', 'linked/with_evil.js']) {
      const outcome = await imported(baseDir, specifier);
      expect(outcome, specifier).toMatch(/^ERR_COMPILATION /);
      expect(outcome, specifier).not.toContain(SECRET);
    }
  });
});

it('an application in node_modules can use its links, and no bundle contains its files', async () => {
  const folder = await tempRoot();
  const baseDir = join(folder, 'node_modules/app');
  writeFiles(folder, {
    'node_modules/app/package.json': '{"name":"app"}',
    'node_modules/app/config.json': JSON.stringify({ key: SECRET }),
    'node_modules/evil/package.json': '{"name":"evil"}',
    'node_modules/evil/index.js': "module.exports = require('../app/config.json');",
    'packages/linked/package.json': '{"name":"linked"}',
    'packages/linked/index.js': "exports.own = 'linked';",
  });
  mkdirSync(join(baseDir, 'node_modules'));
  symlinkSync('../../../packages/linked', join(baseDir, 'node_modules/linked'));
  expect(await imported(baseDir, 'linked')).toContain('"own":"linked"');
  expect(await imported(baseDir, 'evil')).toMatch(/^ERR_COMPILATION /);
});

it('packages find their own files and each other, installed by npm, by pnpm or linked by the application', async () => {
  const { folder, baseDir } = await application({
    'good/package.json': '{"name":"good","main":"lib/index.js","imports":{"#data":"./data/own.json"}}',
    'good/lib/index.js':
      "exports.data = require('#data'); exports.deep = require('inner'); exports.up = require('../up.js');",
    'good/up.js': "module.exports = 'up';",
    'good/data/own.json': '{"own":1}',
    'good/node_modules/inner/package.json': '{"name":"inner"}',
    'good/node_modules/inner/index.js': "module.exports = 'nested';",
    '.pnpm/evil@1/node_modules/evil/package.json': '{"name":"evil"}',
    '.pnpm/evil@1/node_modules/evil/index.js': "exports.other = require('other-name');",
    '.pnpm/other@1/node_modules/other/package.json': '{"name":"other"}',
    '.pnpm/other@1/node_modules/other/index.js': "module.exports = 'stored';",
  });
  writeFiles(folder, {
    'packages/linked/package.json': '{"name":"linked"}',
    'packages/linked/index.js': "exports.own = 'linked';",
  });
  const modules = join(baseDir, 'node_modules');
  symlinkSync('.pnpm/evil@1/node_modules/evil', join(modules, 'evil'));
  symlinkSync('../../other@1/node_modules/other', join(modules, '.pnpm/evil@1/node_modules/other-name'));
  symlinkSync('../../packages/linked', join(modules, 'linked'));
  expect(await imported(baseDir, 'good')).toContain('"deep":"nested"');
  expect(await imported(baseDir, 'evil')).toContain('"other":"stored"');
  expect(await imported(baseDir, 'linked')).toContain('"own":"linked"');
});
