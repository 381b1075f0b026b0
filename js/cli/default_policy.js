/** The default policy of commands. */

import { join } from 'node:path';
import { exists, isOwnFile } from './config_lookup.js';

/** Beside the config; without one, beside the workspace. */
const FILE = 'tgp.policy.yaml';

/**
 * The configuration with its policy, else with the policy file beside it, else with `safe`.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {Promise<import('../kernel/config.js').ResolvedConfig>}
 */
export async function withDefaultPolicy(resolved) {
  const { application, ...written } = await withPolicyFile(resolved);
  return { ...written, application: { ...application, policy: application.policy ?? 'safe' } };
}

/**
 * The configuration with its policy, else with the policy file beside it, if any. A policy file in a parent folder must belong
 * to this user, like config files.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {Promise<import('../kernel/config.js').ResolvedConfig>}
 */
export async function withPolicyFile(resolved) {
  const { application, baseDir } = resolved;
  if (application.policy !== undefined || !(await isPresent(baseDir))) return resolved;
  return { ...resolved, application: { ...application, policy: `./${FILE}` } };
}

/** @param {string} folder */
async function isPresent(folder) {
  const file = join(folder, FILE);
  return (await exists(file)) && (folder === process.cwd() || (await isOwnFile(file)));
}
