import { watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { unwrap } from '../boundary/errors.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { fingerprintOf, inTurn, policyFileText, refuseWritablePolicy } from './policy_source.js';

/** How often the file is looked at beside reports of the system, and how often where there are none: not every disk has them. */
const REPORTED_MS = 5_000;
const UNREPORTED_MS = 500;
/** How long reports are gathered: a file is written in steps. */
const GATHER_MS = 40;

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
      if (!isOver) log.error(`The policy was changed, and the old rules stay in force. ${messageOf(error)}`);
    }
  };
  const look = async () => {
    // Before the text is read: a write during the read is another change.
    const now = await fingerprintOf(file);
    if (now === known || isOver) return;
    known = now;
    await inTurn(file, reload);
    // A file that was replaced, or a link that leads elsewhere, may be reported by another folder.
    await reports.begin();
  };
  const complain = (/** @type {unknown} */ error) => log.error('The policy cannot be followed.', error);
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

/** What the system reports of a file: of the folders that it, and what it links to, are in. */
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

  /** Whether the system reports anything. */
  get areHad() {
    return this.#watchers.length > 0;
  }

  async begin() {
    const place = await realpath(this.#file).catch(() => this.#file);
    const names = new Set([basename(this.#file), basename(place)]);
    this.#end();
    if (this.#isClosed) return;
    for (const folder of new Set([dirname(this.#file), dirname(place)])) {
      // A link may lead over others, which have any name.
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
      // Without reports the file is looked at more often.
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
