import { relative } from 'node:path';
import { ConfigError } from '../boundary/errors.js';
import { applicationFunctions } from '../kernel/application_functions.js';
import { withSecrets } from '../kernel/config_secrets.js';
import { openSource, settingsOf } from '../sql/sql_settings.js';
import { askRemote } from './doctor_remote.js';
import { ok, problem } from './finding.js';
import { locateRoot } from './workspace.js';

/**
 * What the checks of one `tgp doctor` share: what one has found out, and told, the others do not find again.
 * @typedef {object} Patient
 * @property {{ config?: string }} options
 * @property {Awaited<ReturnType<typeof locateRoot>>} [located] once the configuration could be loaded
 * @property {ReturnType<typeof askRemote>} [asked] the answer of the remote, or its failure, once it could be asked
 * @property {'well' | 'faulty'} [config]
 * @property {'well' | 'faulty'} [worker]
 */

/**
 * Every fault of the configuration is told here, whoever it would keep from working.
 * @param {Patient} patient
 * @returns {Promise<import('./finding.js').Finding>}
 */
export async function config(patient) {
  patient.config = 'faulty';
  /** @type {string[]} */
  const faults = [];
  await lookAt(faults, async () => {
    patient.located = await locateRoot(patient.options);
  });
  if (patient.located !== undefined) await lookInto(patient.located.resolved, patient, faults);
  if (faults.length > 0) return problem('cannot be used', faults.join(' '));
  patient.config = 'well';
  const file = patient.located?.resolved.file;
  return ok(file === undefined ? 'none, every default is used' : relative(process.cwd(), file));
}

/**
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @param {Patient} patient
 * @param {string[]} faults
 */
async function lookInto(resolved, patient, faults) {
  const { application } = resolved;
  await lookAt(faults, () => withSecrets(resolved.config));
  await lookAt(faults, () => applicationFunctions(application.sandboxAPI));
  await lookAt(faults, () => {
    if (application.sql === undefined) return;
    const { source, options } = settingsOf(application.sql);
    openSource(source, options);
  });
  await lookAt(faults, async () => {
    const asked = askRemote(resolved);
    // That it cannot be reached is no fault of the configuration.
    const failure = await asked.catch((error) => error);
    if (failure instanceof ConfigError) throw failure;
    patient.asked = asked;
  });
}

/**
 * @param {string[]} faults
 * @param {() => unknown} look
 */
async function lookAt(faults, look) {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (!faults.includes(error.message)) faults.push(error.message);
  }
}
