import { unwrap } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { policyFileText, stampOf } from './policy_source.js';

/** How often the file is looked at: editors replace files, and not every disk reports it. */
const INTERVAL_MS = 500;

/**
 * Follows a policy file. Rules that cannot be meant change nothing, and the log says so.
 * @param {import('../boundary/typed_native.js').NativeKernel} kernel
 * @param {{ file: string, stamp?: string }} source the file, and how it was before the rules in force were read from it
 * @param {import('../../index.js').Logger} log
 * @returns {() => void} ends it
 */
export function watchPolicy(kernel, { file, stamp }, log) {
  let known = stamp;
  let isBusy = false;
  const look = async () => {
    if (isBusy) return;
    isBusy = true;
    // Before the text is read: what is written meanwhile is another change.
    const now = await stampOf(file);
    if (now !== known) {
      known = now;
      await reload();
    }
    isBusy = false;
  };
  const reload = async () => {
    try {
      unwrap(await kernel.replacePolicy(await policyFileText(file)));
      log.info('The policy was changed, and the new rules are in force.');
    } catch (error) {
      log.error(`The policy was changed, and the old rules stay in force. ${messageOf(error)}`);
    }
  };
  const complain = (/** @type {unknown} */ error) => log.error('The policy cannot be followed.', error);
  const looking = setInterval(guarded(complain, look), INTERVAL_MS);
  looking.unref();
  return () => clearInterval(looking);
}
