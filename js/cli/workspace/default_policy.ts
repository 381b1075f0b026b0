/** The default policy of commands. */

import { join } from 'node:path';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { exists, isOwnFile } from './config_lookup.js';

/** Beside the config; without one, beside the workspace. */
const FILE = 'tgp.policy.yaml';

/** The configuration with its policy, else with the policy file beside it, else with `safe`. */
export async function withDefaultPolicy(resolved: ResolvedConfig): Promise<ResolvedConfig> {
  const { application, ...written } = await withPolicyFile(resolved);
  return { ...written, application: { ...application, policy: application.policy ?? 'safe' } };
}

/**
 * The configuration with its policy, else with the policy file beside it, if any. A policy file in a parent folder must belong
 * to this user, like config files.
 */
export async function withPolicyFile(resolved: ResolvedConfig): Promise<ResolvedConfig> {
  const { application, baseDir } = resolved;
  if (application.policy !== undefined || !(await isPresent(baseDir))) return resolved;
  return { ...resolved, application: { ...application, policy: `./${FILE}` } };
}

async function isPresent(folder: string) {
  const file = join(folder, FILE);
  return (await exists(file)) && (folder === process.cwd() || (await isOwnFile(file)));
}
