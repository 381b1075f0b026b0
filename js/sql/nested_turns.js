import { AbortedError } from '../boundary/errors.js';
import { guarded, ignored } from '../boundary/guarded.js';

/**
 * Whose turn it is to write in a transaction. What a nested run has written is undone from its savepoint on, so until it has
 * ended nobody writes but itself and the runs below it. Who has waited too long for that writes all the same; then what
 * either of them wrote can only be undone with all the rest.
 *
 * @typedef {readonly number[]} Nesting the runs below the outermost one, down to the one that asks
 * @typedef {{ run: number, number: number, state: 'claimed' | 'set' | 'failed' }} Mark a savepoint: one that will be set, one that
 * is, and one that nothing can be undone to
 * @typedef {{ nesting: Nesting, writes: boolean, go: () => void, stop: (reason: Error) => void }} Waiting
 */

/** Runs that wait for each other, because they want the same worker, would wait for good. */
const MAX_WAIT_MS = 2_000;

export class NestedTurns {
  /** The outermost first. @type {Mark[]} */
  #marks = [];
  /** Runs that write among others, the outermost one as `undefined`. @type {Set<number | undefined>} */
  #mixed = new Set();
  /** @type {Waiting[]} */
  #waiting = [];
  #last = 0;

  get isIdle() {
    return this.#marks.length === 0 && this.#waiting.length === 0;
  }

  /**
   * Lets a statement go on: at once, where nothing is returned.
   * @param {Nesting} nesting
   * @param {boolean} writes
   * @returns {Promise<void> | undefined}
   */
  admit(nesting, writes) {
    if (!this.#isBehind(nesting) && this.#claim(nesting, writes)) return;
    return new Promise((resolve, reject) => {
      /** @type {NodeJS.Timeout | undefined} */
      let timer;
      /** @type {<T extends unknown[]>(then: (...args: T) => void) => (...args: T) => void} */
      const ending =
        (then) =>
        (...args) => {
          clearTimeout(timer);
          then(...args);
        };
      const entry = { nesting, writes, go: ending(() => resolve(undefined)), stop: ending(reject) };
      const goAnyway = guarded(ignored, () => this.#mix(entry));
      timer = setTimeout(goAnyway, MAX_WAIT_MS);
      this.#waiting.push(entry);
    });
  }

  /**
   * The savepoints that are to be set before a statement that writes.
   * @param {Nesting} nesting
   */
  unset(nesting) {
    return this.#marks.filter(({ run, state }) => state === 'claimed' && nesting.includes(run));
  }

  /**
   * Ends the turn of a run and of those below it.
   * @param {number} run
   * @returns {Mark | undefined} its savepoint, which those of the runs below it go with
   */
  end(run) {
    this.#stop(({ nesting }) => nesting.includes(run));
    const index = this.#marks.findIndex((mark) => mark.run === run);
    const [mark] = index < 0 ? [] : this.#marks.splice(index);
    const wasMixed = this.#mixed.delete(run);
    this.#goOn();
    return mark ?? (wasMixed ? { run, number: 0, state: 'failed' } : undefined);
  }

  /** Lets nothing go on that waits. */
  stop() {
    this.#stop(() => true);
  }

  #goOn() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const entry of waiting) {
      if (!this.#isBehind(entry.nesting) && this.#claim(entry.nesting, entry.writes)) entry.go();
      else this.#waiting.push(entry);
    }
  }

  /** @param {(entry: Waiting) => boolean} isOver */
  #stop(isOver) {
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((entry) => !isOver(entry));
    for (const { stop } of over) stop(new AbortedError('The run has ended.'));
  }

  /**
   * Whether an earlier statement of the same run waits.
   * @param {Nesting} nesting
   */
  #isBehind(nesting) {
    return this.#waiting.some((other) => other.nesting.at(-1) === nesting.at(-1));
  }

  /**
   * @param {Nesting} nesting
   * @param {boolean} writes
   */
  #claim(nesting, writes) {
    if (!writes) return true;
    if (this.#mixed.has(nesting.at(-1))) {
      this.#spoil(nesting);
      return true;
    }
    if (!this.#marks.every(({ run }, index) => nesting[index] === run)) return false;
    for (const run of nesting.slice(this.#marks.length)) {
      this.#last += 1;
      // What such a run wrote before would stay.
      this.#marks.push({ run, number: this.#last, state: this.#mixed.has(run) ? 'failed' : 'claimed' });
    }
    return true;
  }

  /** @param {Waiting} entry that has waited too long */
  #mix(entry) {
    for (const run of entry.nesting) if (!this.#marks.some((mark) => mark.run === run)) this.#mixed.add(run);
    this.#mixed.add(entry.nesting.at(-1));
    this.#goOn();
  }

  /**
   * Nothing is undone to savepoints behind which somebody else has written.
   * @param {Nesting} nesting of that run
   */
  #spoil(nesting) {
    for (const mark of this.#marks) if (!nesting.includes(mark.run)) mark.state = 'failed';
  }
}
