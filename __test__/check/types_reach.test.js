import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const path = 'tools/t.ts';
/** Text that no report may contain: values, keys and exports of the application's files. */
const SECRETS = /sk-live|hunter2|privateKeyName|SECRET_EXPORT/;

/** @param {string} folder @param {Record<string, unknown>} files */
async function writeAll(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** An application with secrets beside packages of all kinds. */
async function application() {
  const app = join(await tempRoot(), 'app');
  const declaration = 'export declare const value: number;\nexport interface Shape { size: number }\n';
  const secret = "export const SECRET_EXPORT = 'sk-live-hunter2' as const;\n";
  await writeAll(app, {
    'package.json': { name: 'app', version: '1.0.0' },
    'secrets.ts': secret,
    'secrets.d.ts': "export declare const SECRET_EXPORT: 'sk-live-hunter2';\n",
    'config.json': { privateKeyName: 'hunter2' },
    '.env.json': { privateKeyName: 'hunter2' },
    'node_modules/plain/package.json': { name: 'plain', version: '1.0.0', types: './index.d.ts', main: './index.js' },
    'node_modules/plain/index.d.ts': declaration,
    'node_modules/plain/sub/deep.d.ts': 'export declare const deep: string;\n',
    'node_modules/plain/.hidden/secrets.d.ts': secret,
    'node_modules/plain/leak.d.ts': "export * from '../../secrets';\n",
    'node_modules/plain/refer.d.ts':
      '/// <reference path="../../secrets.ts" />\nexport * from "../../../app/secrets";\n',
    'node_modules/plain/node_modules/undeclared/index.d.ts': secret,
    'node_modules/mapped/package.json': {
      name: 'mapped',
      version: '1.0.0',
      types: '../../secrets.d.ts',
      typesVersions: { '*': { '*': ['../../*'] } },
    },
    'node_modules/exporting/package.json': {
      name: 'exporting',
      version: '1.0.0',
      exports: { '.': { types: '../../secrets.d.ts' }, './*': { types: './*' }, './up/*': '../../*' },
      imports: { '#out': '../../secrets.ts' },
    },
    'node_modules/exporting/inner.d.ts': "export * from '#out';\n",
    'node_modules/untyped/package.json': { name: 'untyped', version: '1.0.0', main: './index.js' },
    'node_modules/untyped/index.js': 'exports.f = () => 1;\n',
    'node_modules/@types/untyped/package.json': { name: '@types/untyped', version: '1.0.0', types: 'index.d.ts' },
    'node_modules/@types/untyped/index.d.ts': 'export declare function f(): number;\n',
    'node_modules/not-allowed/index.d.ts': secret,
    'node_modules/@types/not-allowed/index.d.ts': secret,
    // As pnpm keeps them.
    'node_modules/.pnpm/typed@1/node_modules/typed/package.json': {
      name: 'typed',
      version: '1.0.0',
      types: './index.d.ts',
      dependencies: { inner: '1' },
    },
    'node_modules/.pnpm/typed@1/node_modules/typed/index.d.ts':
      "import type { Inner } from 'inner';\nimport type { Outer } from 'undeclared-inner';\nexport declare const inner: Inner;\nexport declare const outer: Outer;\n",
    'node_modules/.pnpm/inner@1/node_modules/inner/package.json': { name: 'inner', version: '1.0.0', types: 'i.d.ts' },
    'node_modules/.pnpm/inner@1/node_modules/inner/i.d.ts': 'export interface Inner { deep: number }\n',
    'node_modules/undeclared-inner/index.d.ts': "export type Outer = 'sk-live-hunter2';\n",
    // A package of the same repository.
    '../packages/ui/package.json': { name: '@app/ui', version: '1.0.0', types: './src/index.ts' },
    '../packages/ui/src/index.ts': "export const color = 'red' as const;\n",
    '../packages/secrets.ts': secret,
  });
  const modules = join(app, 'node_modules');
  await symlink('.pnpm/typed@1/node_modules/typed', join(modules, 'typed'));
  await symlink('../../inner@1/node_modules/inner', join(modules, '.pnpm/typed@1/node_modules/inner'));
  await mkdir(join(modules, '@app'));
  await symlink('../../../packages/ui', join(modules, '@app/ui'));
  await symlink('..', join(modules, 'itself'));
  await symlink('../..', join(modules, 'plain/linked'));
  await symlink('../../secrets.ts', join(modules, 'plain/secret.ts'));
  const allowedImports = ['plain', 'mapped', 'exporting', 'untyped', 'typed', '@app/ui', 'itself'];
  await writeFile(join(app, 'tgp.config.json'), JSON.stringify({ allowedImports }));
  const kernel = new TGP({ configFile: join(app, 'tgp.config.json') });
  onTestFinished(() => kernel.shutdown());
  const tools = tgpTools(kernel);
  return {
    app,
    rootDir: join(app, '.tgp'),
    tools,
    check: async (content) => {
      await tools.write_file.execute({ path, content });
      return tools.check_tool.execute({ path }).catch((error) => ({ valid: false, error: error.message }));
    },
  };
}

const quoting = (specifier) => [
  `type Leak = typeof import('${specifier}');\nexport default (a: Leak): never => a;`,
  `import * as leak from '${specifier}';\nexport default (): never => leak;`,
  `export * from '${specifier}';\nexport default (): never => 1;`,
];

describe('the type checker sees only what tools may import', () => {
  it('no specifier reaches a file of the application', async () => {
    const { app, check } = await application();
    const specifiers = [
      'plain/../../secrets',
      'plain/../../secrets.ts',
      'plain/../../config.json',
      'plain/../../.env.json',
      'plain/sub/../../../secrets',
      'plain/./../../secrets',
      'plain//../../secrets',
      'plain\\\\..\\\\..\\\\secrets',
      'plain/%2e%2e/%2e%2e/secrets',
      'plain/..%2f..%2fsecrets',
      'PLAIN/../../secrets',
      'plain/linked/secrets',
      'plain/linked/config.json',
      'plain/secret',
      'plain/leak',
      'plain/refer',
      'plain/.hidden/secrets',
      'plain/node_modules/undeclared',
      'plain/node_modules/../../../secrets',
      'mapped',
      'mapped/secrets',
      'mapped/config.json',
      'exporting',
      'exporting/../../secrets.d.ts',
      'exporting/up/secrets.d.ts',
      'exporting/inner.d.ts',
      '@app/ui/../secrets',
      '@app/../../secrets',
      'itself',
      'itself/secrets',
      'itself/config.json',
      'not-allowed',
      '@types/not-allowed',
      '@types/untyped/../../../secrets',
      'app',
      'app/secrets',
      '#out',
      `${app}/secrets`,
      `${app}/config.json`,
      `file://${app}/secrets.ts`,
      `plain/../../../../../../../../../../../..${app}/secrets`,
      `../../../..${app}/secrets`,
      `/lib/../../..${app}/secrets`,
      '../../../../secrets',
      '/lib/../../secrets',
    ];
    for (const specifier of specifiers) {
      for (const content of quoting(specifier)) {
        const report = await check(content);
        expect(JSON.stringify(report), content).not.toMatch(SECRETS);
        expect(report.valid && report.typesChecked, content).not.toBe(true);
      }
    }
  });

  it('no other syntax reaches a file of the application', async () => {
    const { app, check } = await application();
    for (const content of [
      `/// <reference path="${app}/secrets.ts" />\nexport default (): never => SECRET;`,
      '/// <reference path="../../../secrets.ts" />\nexport default (): number => 1 as never as string;',
      '/// <reference types="plain/../../secrets" />\nexport default (): string => 1;',
      '/// <reference types="not-allowed" />\nexport default (): string => 1;',
      '/// <reference lib="dom" />\nexport default (): string => 1;',
      "import leak = require('plain/../../secrets');\nexport default (): never => leak;",
      "import leak = require('plain/../../config.json');\nexport default (): never => leak;",
      "export default async (): Promise<never> => import('plain/../../secrets');",
      'export default async (): Promise<never> => import(`plain/../../config.json`);',
      "declare module 'plain/../../secrets' { export const x: 1 }\nexport default (): string => 1;",
      "import config from 'plain/../../config.json' with { type: 'json' };\nexport default (): never => config;",
      "import type { SECRET } from 'plain/leak';\nexport default (a: SECRET): never => a;",
      "/** @typedef {import('plain/../../secrets')} Leak */\nexport default (): string => 1;",
      "// @ts-ignore\nimport leak from 'plain/../../secrets';\nexport default (): never => leak;",
      "type Key = keyof typeof import('plain/../../config.json');\nexport default (k: Key): never => k;",
      "const name = 'plain/../../secrets' as const;\nexport default async (): Promise<never> => import(name);",
    ]) {
      expect(JSON.stringify(await check(content)), content).not.toMatch(SECRETS);
    }
  });

  it('settings, declarations and links in the root reveal no file of the application', async () => {
    const { app, rootDir, tools, check } = await application();
    await check('/** One. */\nexport default (): number => 1;\n');
    await writeAll(rootDir, {
      'tsconfig.json': { compilerOptions: { paths: { '*': [`${app}/*`] }, typeRoots: [app], types: ['*'] } },
      'tools/tsconfig.json': { extends: `${app}/config.json`, files: [`${app}/secrets.ts`] },
      'tools/package.json': { imports: { '#x': `${app}/secrets.ts` }, types: `${app}/secrets.d.ts` },
      'tools/outside.d.ts': `export * from '${app}/secrets';\nexport * from 'plain/../../secrets';\n`,
      'tools/node_modules/evil/index.d.ts': `export * from '${app}/secrets';\n`,
    });
    await symlink(app, join(rootDir, 'tools/app'));
    await symlink(join(app, 'secrets.ts'), join(rootDir, 'tools/link.ts'));
    for (const specifier of [
      'secrets',
      '#x',
      './outside',
      './app/secrets',
      './app/config.json',
      './link',
      'evil',
      './node_modules/evil',
    ]) {
      for (const content of quoting(specifier)) {
        expect(JSON.stringify(await check(content)), content).not.toMatch(SECRETS);
      }
    }
    const { valid } = await tools.check_tool
      .execute({ path })
      .then(() => check('/** One. */\nexport default (): number => 1;\n'));
    expect(valid).toBe(true);
  });

  it('allowed imports have their types, wherever they are installed', async () => {
    const { check } = await application();
    const content = [
      "import { value, type Shape } from 'plain';",
      "import { deep } from 'plain/sub/deep';",
      "import { f } from 'untyped';",
      "import { inner, outer } from 'typed';",
      "import { color } from '@app/ui';",
      "import { mean } from '@tgp/std/stats';",
      '',
      '/** Wrong everywhere. */',
      'export default (args: { shape: Shape }): never[] => [',
      '  value, deep, f(), inner, outer, color, mean, args.shape,',
      '];',
    ].join('\n');
    const { errors, typesChecked } = await check(content);
    expect(typesChecked).toBe(true);
    const messages = errors.join('\n');
    for (const type of ["'number'", "'string'", "'Inner'", '\'"red"\'', "'Shape'"]) expect(messages).toContain(type);
    // An undeclared dependency of a package is not resolved, so its type is unknown.
    expect(messages).not.toMatch(SECRETS);
    expect(messages).not.toContain('/tgp/');
  });
});
