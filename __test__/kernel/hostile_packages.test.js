import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { hostCost, MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Hostile files of a package. */
const FILES = {
  'parentheses.js': `module.exports = ${'('.repeat(200_000)}1${')'.repeat(200_000)};`,
  'arrays.js': `module.exports = ${'['.repeat(100_000)}${']'.repeat(100_000)};`,
  'sums.js': `module.exports = ${'1+'.repeat(500_000)}1;`,
  'arrows.js': `module.exports = ${'a=>'.repeat(20_000)}1;`,
  'blocks.js': `${'{'.repeat(100_000)}${'}'.repeat(100_000)} module.exports = 1;`,
  'data.json': `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
  'huge.js': `module.exports = '${'x'.repeat(40 << 20)}';`,
  'bytes.js': Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  'nothing.js': 'module.exports = ;',
};
/** A valid circular import. */
const GOOD = {
  'circle_a.js': "exports.name = 'a'; exports.other = require('./circle_b').name;",
  'circle_b.js': "exports.name = 'b'; require('./circle_a');",
};

it('a package with hostile files is bundled or refused, and the host survives', async () => {
  const folder = await tempRoot();
  const install = (name, content) => {
    const file = join(folder, 'node_modules/odd', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  install('package.json', JSON.stringify({ name: 'odd', version: '1.0.0', main: 'circle_a.js' }));
  for (const [name, content] of Object.entries({ ...FILES, ...GOOD })) install(name, content);
  for (let index = 0; index < 6_000; index++)
    install(`chain/${index}.js`, `module.exports = require('./${index + 1}.js');`);
  writeFileSync(
    join(folder, 'tgp.config.json'),
    JSON.stringify({ allowedImports: ['odd'], sandbox: { timeoutMs: 2000 } }),
  );
  const names = [...Object.keys(FILES), 'chain/0.js'];
  const { value, extraMb } = await hostCost(
    folder,
    "const kernel = new TGP({ configFile: './tgp.config.json' }); const tools = tgpTools(kernel);",
    `const outcomes = {};
     for (const name of ${JSON.stringify([...names, 'circle_a.js'])}) {
       const content = 'import value from "odd/' + name + '";\\nexport default () => JSON.stringify(value ?? null).length';
       await tools.write_file.execute({ path: 'tools/t.ts', content });
       outcomes[name] = await kernel.exec('tools/t.ts').then(({ result }) => result, (error) => error.code + ' ' + error.message.slice(0, 300));
     }
     return outcomes;`,
    'await kernel.shutdown();',
  );
  for (const name of names) expect(String(value[name]), name).toMatch(/^ERR_[A-Z_]+ |^\d+$/);
  expect(value['circle_a.js']).toBe('{"name":"a","other":"b"}'.length);
  for (const outcome of Object.values(value)) expect(String(outcome)).not.toContain(folder);
  expect(extraMb).toBeLessThan(MAX_EXTRA_MB);
});

it('the bundler does not run --require modules of the application', async () => {
  const folder = await tempRoot();
  mkdirSync(join(folder, 'node_modules/plain'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/plain/package.json'), '{"name":"plain","main":"index.js"}');
  writeFileSync(join(folder, 'node_modules/plain/index.js'), "module.exports = 'bundled';");
  writeFileSync(join(folder, 'first.cjs'), "console.log('loaded');");
  const { child, ended } = startProgram(
    folder,
    `const kernel = new TGP({ config: { rootDir: '.tgp', allowedImports: ['plain'] } });
     const content = 'import value from "plain";\\nexport default () => value';
     await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content });
     console.log((await kernel.exec('tools/t.ts')).result);
     await kernel.shutdown();`,
    { NODE_OPTIONS: '--require ./first.cjs' },
  );
  const [printed, { stderr }] = await Promise.all([text(child.stdout), ended]);
  expect(printed, stderr).toBe('loaded\nbundled\n');
});
