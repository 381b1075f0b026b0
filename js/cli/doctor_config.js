import { relative } from 'node:path';
import { ConfigError } from '../boundary/errors.js';
import { applicationFunctions } from '../kernel/application_functions.js';
import { withSecrets } from '../kernel/config_secrets.js';
import { openSource, settingsOf } from '../sql/sql_settings.js';
import { askRemote } from './doctor_remote.js';
import { ok, problem } from './finding.js';
import { locateRoot } from './workspace.js';

/**
 * State shared by the checks of one `tgp doctor` run, so that a problem is reported once.
 * @typedef {object} CheckContext
 * @property {{ config?: string }} options
 * @property {Awaited<ReturnType<typeof locateRoot>>} [located] set once the configuration is loaded
 * @property {ReturnType<typeof askRemote>} [remoteAnswer] the answer of the remote or its failure, set once the configuration allows the request
 * @property {'well' | 'faulty'} [config]
 * @property {'well' | 'faulty'} [worker]
 */

/**
 * Checks the configuration and reports all of its faults.
 * @param {CheckContext} context
 * @returns {Promise<import('./finding.js').Finding>}
 */
export async function config(context) {
  context.config = 'faulty';
  /** @type {string[]} */
  const faults = [];
  await collect(faults, async () => {
    context.located = await locateRoot(context.options);
  });
  if (context.located !== undefined) await checkApplication(context.located.resolved, context, faults);
  if (faults.length > 0) return problem('not valid', faults.join(' '));
  context.config = 'well';
  const file = context.located?.resolved.file;
  return ok(file === undefined ? 'none; defaults are used' : relative(process.cwd(), file));
}

/**
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @param {CheckContext} context
 * @param {string[]} faults
 */
async function checkApplication(resolved, context, faults) {
  const { application } = resolved;
  await collect(faults, () => withSecrets(resolved.config));
  await collect(faults, () => applicationFunctions(application.sandboxAPI));
  await collect(faults, () => {
    if (application.sql === undefined) return;
    const { source, options } = settingsOf(application.sql);
    openSource(source, options);
  });
  await collect(faults, async () => {
    const answer = askRemote(resolved);
    // An unreachable remote is not a fault of the configuration.
    const failure = await answer.catch((error) => error);
    if (failure instanceof ConfigError) throw failure;
    context.remoteAnswer = answer;
  });
}

/**
 * @param {string[]} faults
 * @param {() => unknown} check
 */
async function collect(faults, check) {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (!faults.includes(error.message)) faults.push(error.message);
  }
}
