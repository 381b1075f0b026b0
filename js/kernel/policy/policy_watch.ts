/** Reloads the policy file when it changes. */

import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { guarded, ignored } from '../../boundary/guarded.js';
import { messageOf } from '../../boundary/thrown.js';
import type { NativeKernel } from '../../boundary/typed_native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type { Logger } from '../../types/kernel.js';
import { fingerprintOf, inTurn, policyFileText, refuseWritablePolicy } from './policy_source.js';

/** Polling interval with file system events, and without: not every file system supports them. */
const REPORTED_MS = 5_000;
const UNREPORTED_MS = 500;
/** Debounce time of events: a file is written in several steps. */
const GATHER_MS = 40;

/**
 * Watches a policy file and reloads it when it changes. Invalid rules are logged and not applied.
 * @param source `fingerprint`: of the file before the active
 * rules were read; `folders`: folders writable by tools and agents, which must not contain the file
 * @returns stops watching
 */
export function watchPolicy(
  kernel: NativeKernel,
  { file, folders, fingerprint }: { file: string; folders: string[]; fingerprint?: string },
  log: Logger,
): () => void {
  let known = fingerprint;
  let isBusy = false;
  let isDue = false;
  const reports = new Reports(file, () => soon());
  let next: NodeJS.Timeout | undefined;
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
  const complain = (error: unknown) => log.error('Failed to watch the policy file.', error);
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
  const after = (ms: number) => {
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
  #watchers: FSWatcher[] = [];
  #isClosed = false;

  constructor(file: string, changed: () => void) {
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

  #watch(folder: string, names: Set<string> | undefined) {
    try {
      const reported = (_event: string, name: string | null) => {
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
