import { unwatchFile, watchFile } from 'node:fs';
import { unwrap } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { policyFileText, refuseWritablePolicy } from './policy_source.js';

/** How often the file is looked at: editors replace files, and not every disk tells of it. */
const INTERVAL_MS = 500;

/**
 * Follows a policy file. Rules that cannot be meant change nothing, and somebody is told.
 * @param {import('../boundary/typed_native.js').NativeKernel} kernel
 * @param {string} file
 * @param {string[]} folders that tools and agents can write: a link may lead into them later
 * @param {import('../../index.js').Logger} log
 * @returns {() => void} ends it
 */
export function watchPolicy(kernel, file, folders, log) {
  let isBusy = false;
  let isStale = false;
  const follow = async () => {
    isStale = true;
    if (isBusy) return;
    isBusy = true;
    while (isStale) {
      isStale = false;
      try {
        const place = await refuseWritablePolicy(file, folders);
        unwrap(await kernel.replacePolicy(await policyFileText(file, place)));
        log.info('The policy was changed, and the new rules are in force.');
      } catch (error) {
        log.error(`The policy was changed, and the old rules stay in force. ${messageOf(error)}`);
      }
    }
    isBusy = false;
  };
  const complain = (/** @type {unknown} */ error) => log.error('The policy cannot be followed.', error);
  const listener = guarded(complain, follow);
  watchFile(file, { interval: INTERVAL_MS, persistent: false }, listener);
  return () => unwatchFile(file, listener);
}
