import { unwrap } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { fingerprintOf, inTurn, policyFileText, refuseWritablePolicy } from './policy_source.js';

/** How often the file is looked at: editors replace files, and not every disk reports it. */
const INTERVAL_MS = 500;

/**
 * Reloads a policy file when it changes. Invalid rules change nothing, and are logged.
 * @param {import('../boundary/typed_native.js').NativeKernel} kernel
 * @param {{ file: string, folders: string[], fingerprint?: string }} source `fingerprint`: that of the file before the rules in
 * force were read; `folders`: those that tools and agents can write, and a link may lead into later
 * @param {import('../../index.js').Logger} log
 * @returns {() => void} ends it
 */
export function watchPolicy(kernel, { file, folders, fingerprint }, log) {
  let known = fingerprint;
  let isBusy = false;
  const look = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      // Before the text is read: a write during the read is another change.
      const now = await fingerprintOf(file);
      if (now === known) return;
      known = now;
      await inTurn(file, reload);
    } finally {
      isBusy = false;
    }
  };
  const reload = async () => {
    try {
      const place = await refuseWritablePolicy(file, folders);
      unwrap(await kernel.replacePolicy(await policyFileText(file, place)));
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
