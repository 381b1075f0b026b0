/** Reloads the policy file when it changes. */

import { watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { unwrap } from '../boundary/errors.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { fingerprintOf, inTurn, policyFileText, refuseWritablePolicy } from './policy_source.js';

/** Polling interval with file system events, and without: not every file system supports them. */
const REPORTED_MS = 5_000;
const UNREPORTED_MS = 500;
/** Debounce time of events: a file is written in several steps. */
const GATHER_MS = 40;

/**
 * Watches a policy file and reloads it when it changes. Invalid rules are logged and not applied.
 * @param {import('../boundary/typed_native.js').NativeKernel} kernel
 * @param {{ file: string, folders: string[], fingerprint?: string }} source `fingerprint`: of the file before the active
 * rules were read; `folders`: folders writable by tools and agents, which must not contain the file
 * @param {import('../../index.js').Logger} log
 * @returns {() => void} stops watching
 */
export function watchPolicy(kernel, { file, folders, fingerprint }, log) {
  let known = fingerprint;
  let isBusy = false;
  let isDue = false;
  const reports = new Reports(file, () => soon());
  /** @type {NodeJS.Timeout | undefined} */
  let next;
  let isOver = false;
  const reload = async () => {
    try {
      const place = await refuseWritablePolicy(file, folders);
      unwrap(await kernel.replacePolicy(await policyFileText(file, place)));
      log.info('The policy was changed, and the new rules are in force.');
    } catch (error) {
      if (!isOver) log.error(`The changed policy is not valid; the old rules stay in force. ${messageOf(error)}`);
    }
  };
  const look = async () => {
    // Taken before the text is read, so that a write during the read counts as another change.
    const now = await fingerprintOf(file);
    if (now === known || isOver) return;
    known = now;
    await inTurn(file, reload);
    // A replaced file or changed link may be in another folder.
    await reports.begin();
  };
  const complain = (/** @type {unknown} */ error) => log.error('Failed to watch the policy file.', error);
  const turn = guarded(complain, async () => {
    if (isBusy) {
      isDue = true;
      return;
    }
    isBusy = true;
    isDue = false;
    try {
      await look();
    } finally {
      isBusy = false;
      after(isDue ? GATHER_MS : reports.areHad ? REPORTED_MS : UNREPORTED_MS);
    }
  });
  const after = (/** @type {number} */ ms) => {
    clearTimeout(next);
    if (!isOver) next = setTimeout(turn, ms).unref();
  };
  let gathering = false;
  const soon = () => {
    if (gathering) return;
    gathering = true;
    const gathered = guarded(complain, () => {
      gathering = false;
      turn();
    });
    setTimeout(gathered, GATHER_MS).unref();
  };
  reports.begin().then(() => after(0), complain);
  return () => {
    isOver = true;
    clearTimeout(next);
    reports.close();
  };
}

/** File system events of a file: watches its folder, and the folder of its link target. */
class Reports {
  #file;
  #changed;
  /** @type {import('node:fs').FSWatcher[]} */
  #watchers = [];
  #isClosed = false;

  /**
   * @param {string} file
   * @param {() => void} changed
   */
  constructor(file, changed) {
    this.#file = file;
    this.#changed = changed;
  }

  /** Whether events are available. */
  get areHad() {
    return this.#watchers.length > 0;
  }

  async begin() {
    const place = await realpath(this.#file).catch(() => this.#file);
    const names = new Set([basename(this.#file), basename(place)]);
    this.#end();
    if (this.#isClosed) return;
    for (const folder of new Set([dirname(this.#file), dirname(place)])) {
      // Intermediate links may have any name.
      this.#watch(folder, place === this.#file ? names : undefined);
    }
  }

  /**
   * @param {string} folder
   * @param {Set<string> | undefined} names
   */
  #watch(folder, names) {
    try {
      const reported = (/** @type {string} */ _event, /** @type {string | null} */ name) => {
        if (name === null || names === undefined || names.has(name)) this.#changed();
      };
      const watcher = watch(folder, { persistent: false }, guarded(ignored, reported));
      // Without events the file is polled more often.
      watcher.on(
        'error',
        guarded(ignored, () => this.#end()),
      );
      this.#watchers.push(watcher);
    } catch {
      this.#end();
    }
  }

  close() {
    this.#isClosed = true;
    this.#end();
  }

  #end() {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }
}
