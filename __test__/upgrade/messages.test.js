/** Messages contain the phrases that users of the TypeScript package match on, at any position. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMemoryVFS, createNodeVFS, loadTGPConfig } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const KEY = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';

/** @type {[phrases: string[], source: string][]} */
const FINDINGS = [
  [['Violation [Standard 3]', "Usage of 'any' is prohibited"], 'export default (args: any): number => args.n;'],
  [
    ['Violation [Safety]', "Dynamic code execution ('eval') is prohibited"],
    'export default (args: { code: string }): unknown => eval(args.code);',
  ],
  [
    ['Violation [Safety]', "Dynamic code execution ('Function' constructor) is prohibited"],
    "export default (): unknown => new Function('return 1');",
  ],
  [
    ['Violation [Standard 4]', "Direct access to 'process' is prohibited", "Global 'process' is forbidden"],
    'export default (): unknown => process.env;',
  ],
  [
    ['Violation [Standard 1]', "Found potential Magic Number '0.05'. Abstract logic from data"],
    'export default (args: { n: number }): number => {\n  const taxRate = 0.05;\n  return args.n * taxRate;\n}',
  ],
  [
    ['Violation [Standard 1]', "Found potential Magic Number '1.19'. Abstract logic from data"],
    'export default (args: { n: number }): number => args.n * 1.19;',
  ],
  [['Violation [Standard 7]', 'Hardcoded email address detected'], "export default (): string => 'bob@acme.com';"],
  [
    ['Violation [Standard 7]', 'Potential hardcoded ID or Secret detected', 'Secret detected'],
    `export default (): string => '${KEY}';`,
  ],
  [
    ['Violation [Standard 7]', 'Potential hardcoded ID or Secret detected'],
    "export default (): string => '507f1f77bcf86cd799439011';",
  ],
  [
    ['Restricted import', "Import of module 'fs' is not allowed", 'Allowed modules are: @tgp/std, zod'],
    "import fs from 'fs';\nexport default (): unknown => fs;",
  ],
];

describe('check_tool finds', () => {
  test.each(FINDINGS)('%j', async (phrases, source) => {
    const { tools } = await createKernel({ allowedImports: ['zod'] });
    await tools.write_file.execute({ path: 'tools/t.ts', content: `/** Does. */\n${source}` });
    const { valid, errors } = await tools.check_tool.execute({ path: 'tools/t.ts' });
    expect(valid).toBe(false);
    for (const phrase of phrases) expect(errors.join('\n')).toContain(phrase);
  });
});

/** @type {[phrases: string[], source: string][]} */
const RUNS = [
  [
    ['Security Violation', 'Write access denied for', "'data/out.csv'", 'Allowed directories:'],
    "return tgp.write_file('data/out.csv', 'a')",
  ],
  [['File not found: data/none.json'], "return tgp.read_file('data/none.json')"],
  [['Security Violation', "Path '../secret' is outside the sandbox root"], "return tgp.read_file('../secret')"],
  [
    ['Security Violation', 'URL "https://evil.example/x" is not in the allowed list'],
    "return (await tgp.fetch('https://evil.example/x')).status",
  ],
  [["Import of module 'lodash' is not allowed", 'Allowed modules are:', 'zod'], "return require('lodash')"],
  [["Failed to load module './none' from 'tools/test'"], "return require('./none')"],
  [["Failed to bundle allowed module 'not-installed-anywhere'"], "return require('not-installed-anywhere')"],
  [['timed out'], 'while (true) {}'],
];

describe('a run fails with', () => {
  test.each(RUNS)('%j', async (phrases, source) => {
    const { tools, rootDir } = await createKernel({
      allowedImports: ['zod', 'not-installed-anywhere'],
      allowedFetchUrls: ['https://api.example.com'],
    });
    await mkdir(join(rootDir, 'tools/test'), { recursive: true });
    await writeFile(join(rootDir, 'tools/test/t.ts'), source);
    const report = await tools.exec_tool.execute({ path: 'tools/test/t.ts' });
    expect(report.success).toBe(false);
    for (const phrase of phrases) expect(/** @type {any} */ (report).error).toContain(phrase);
  });

  test('Network access is disabled, if no address is allowed', async () => {
    const { forge } = await createKernel();
    await expect(forge("return (await tgp.fetch('https://api.example.com')).status")).rejects.toThrow(
      'Security Violation: Network access is disabled. No URLs are whitelisted in tgp.config.ts.',
    );
  });

  test('Arguments must be serializable JSON', async () => {
    const { kernel } = await createKernel();
    /** @type {any} */
    const args = {};
    args.self = args;
    await expect(kernel.exec('tools/none.ts', args)).rejects.toThrow('Arguments must be serializable JSON');
  });
});

describe('a kernel tool fails with', () => {
  /** @type {[phrase: string, name: string, args: object][]} */
  const calls = [
    [
      "Patch failed: Search text not found in 'tools/t.ts'",
      'patch_file',
      { path: 'tools/t.ts', search: 'x', replace: '' },
    ],
    ['File not found: tools/none.ts', 'read_file', { path: 'tools/none.ts' }],
    ['File not found: tools/none.ts', 'check_tool', { path: 'tools/none.ts' }],
    ['File not found: tools/none.ts', 'patch_file', { path: 'tools/none.ts', search: 'a', replace: 'b' }],
    ["Security Violation: Path '../x' is outside the sandbox root", 'read_file', { path: '../x' }],
    ["Security Violation: Path '../x.ts' is outside the sandbox root", 'write_file', { path: '../x.ts', content: '' }],
    ["Security Violation: Path '/etc/passwd' is outside the sandbox root", 'read_file', { path: '/etc/passwd' }],
  ];
  test.each(calls)('%s (%s)', async (phrase, name, args) => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/t.ts', content: 'return 1' });
    await expect(/** @type {any} */ (tools)[name].execute(args)).rejects.toThrow(phrase);
  });
});

test('a VFS without a kernel fails with File not found and outside the sandbox root', async () => {
  for (const files of [createMemoryVFS(), createNodeVFS(await tempRoot())]) {
    await expect(files.readFile('none.txt')).rejects.toThrow('File not found: none.txt');
    await expect(files.readFile('../none.txt')).rejects.toThrow(
      "Security Violation: Path '../none.txt' is outside the sandbox root",
    );
  }
});

describe('a config file fails with', () => {
  /** @type {[phrase: string, text: string][]} */
  const files = [
    ['No default export found in', 'export const other = 1;'],
    ['Invalid TGP Configuration:', "export default { rootDirr: 'x' };"],
    ['Failed to load TGP config from', "throw new Error('boom');"],
  ];
  test.each(files)('%s', async (phrase, text) => {
    const file = join(await tempRoot(), 'tgp.config.ts');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await expect(loadTGPConfig(file)).rejects.toThrow(phrase);
  });
});
