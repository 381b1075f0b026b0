/** The rules that commands are held to where the configuration names none. */

import { join } from 'node:path';
import { exists, isOurs } from './config_lookup.js';

/** Beside the config; without one, beside the workspace. */
const FILE = 'tgp.policy.yaml';

/**
 * The configuration with the policy file that lies beside it, or else with `safe`. As with config files, one that somebody
 * else has put into a folder above the current one does not count.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {Promise<import('../kernel/config.js').ResolvedConfig>}
 */
export async function withDefaultPolicy(resolved) {
  const { application, baseDir } = resolved;
  const policy = application.policy ?? ((await counts(baseDir)) ? `./${FILE}` : 'safe');
  return { ...resolved, application: { ...application, policy } };
}

/** @param {string} folder */
async function counts(folder) {
  const file = join(folder, FILE);
  return (await exists(file)) && (folder === process.cwd() || (await isOurs(file)));
}
