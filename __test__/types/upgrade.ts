/**
 * An application that was written for the TypeScript package. This file is not run: `tsc` refuses it if a type has changed.
 */

import {
  createSqlTools,
  type DBExecutor,
  defineTGPConfig,
  type FSConfig,
  type GitBackend,
  type GitConfig,
  GitConfigSchema,
  type Kernel,
  loadTGPConfig,
  type RegistryState,
  TGP,
  type TGPConfig,
  TGPConfigSchema,
  type ToolMetadata,
} from '../../index.js';

const git: GitConfig = {
  provider: 'github',
  repo: 'my-org/tgp-tools',
  branch: 'main',
  apiBaseUrl: 'https://api.github.com',
  auth: { token: 'x', user: 'tgp-bot[bot]', email: 'tgp-bot@users.noreply.github.com' },
  writeStrategy: 'direct',
};
const fs: FSConfig = { allowedDirs: ['./tmp'], blockUpwardTraversal: true };
const config: TGPConfig = { rootDir: './.tgp', git, fs, allowedImports: ['@tgp/std', 'zod', 'date-fns'] };

export const defined = defineTGPConfig(config);
export const parsed: TGPConfig = TGPConfigSchema.parse(config);
export const branch: string = GitConfigSchema.parse({ provider: 'gitlab', repo: 'a/b' }).branch;

const executor: DBExecutor = async (sql, params) => [{ sql, params }];
export const { exec_sql } = createSqlTools(executor);

export async function use(): Promise<string[]> {
  const loaded: TGPConfig = await loadTGPConfig('./tgp.config.ts');
  new TGP({ config: await loadTGPConfig('./tgp.config.ts') });
  const kernel = new TGP({ configFile: './tgp.config.ts' });
  await kernel.boot();
  await kernel.registry.register('tools/a.ts', 'return 1');
  await kernel.git.persist('Nothing', []);
  const tools: ToolMetadata[] = kernel.registry.list();
  const awaited: ToolMetadata[] = await kernel.registry.list();
  const state: RegistryState = { tools: { 'tools/a.ts': { name: 'a', description: '', path: 'tools/a.ts' } } };
  const directories: string[] = kernel.config.fs.allowedDirs;
  return [
    loaded.rootDir,
    ...directories,
    ...[...tools, ...awaited, ...Object.values(state.tools)].map(({ path }) => path),
  ];
}

export const history = (kernel: Kernel): GitBackend => kernel.git;
