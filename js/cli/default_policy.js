/** The rules that commands are held to where the configuration names none. */

import { join } from 'node:path';
import { exists, isOurs } from './config_lookup.js';

/** Beside the config; without one, beside the workspace. */
const FILE = 'tgp.policy.yaml';

/**
 * The configuration with the policy file that lies beside it, or else with `safe`.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {Promise<import('../kernel/config.js').ResolvedConfig>}
 */
export async function withDefaultPolicy(resolved) {
  const { application, ...written } = await withWrittenPolicy(resolved);
  return { ...written, application: { ...application, policy: application.policy ?? 'safe' } };
}

/**
 * The configuration with the policy file that lies beside it, if there is one. As with config files, one that somebody else has
 * put into a folder above the current one does not count.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {Promise<import('../kernel/config.js').ResolvedConfig>}
 */
export async function withWrittenPolicy(resolved) {
  const { application, baseDir } = resolved;
  if (application.policy !== undefined || !(await counts(baseDir))) return resolved;
  return { ...resolved, application: { ...application, policy: `./${FILE}` } };
}

/** @param {string} folder */
async function counts(folder) {
  const file = join(folder, FILE);
  return (await exists(file)) && (folder === process.cwd() || (await isOurs(file)));
}
