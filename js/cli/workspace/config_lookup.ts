/** Finds the project of a command: in the current folder or a parent folder. */

import { join } from 'node:path';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { defaultFile, resolveConfig, withoutFile } from '../../kernel/config/config.js';
import { DEFAULT_ROOT, exists, foldersFrom, isOwnFile } from '../../kernel/config/parent_workspace.js';

export { DEFAULT_ROOT, exists, isOwnFile };

/** Whether parent folders are searched. */
export type SearchScope = 'here' | 'around';

/** The named configuration, or else the nearest one, or else the defaults. */
export async function nearestConfig(
  { config: configFile }: { config?: string },
  reach: SearchScope = 'around',
): Promise<ResolvedConfig> {
  if (configFile !== undefined) return resolveConfig({ configFile });
  const here = process.cwd();
  for (const folder of reach === 'around' ? await foldersFrom(here) : [here]) {
    const file = await defaultFile(folder);
    if (file !== undefined && (folder === here || (await isOwnFile(file)))) return resolveConfig({ configFile: file });
    if (await exists(join(folder, DEFAULT_ROOT, '.git'))) return withoutFile(folder);
  }
  return withoutFile(here);
}
