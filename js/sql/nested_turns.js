import { AbortedError } from '../boundary/errors.js';

/**
 * Whose turn it is to write in a transaction. What a nested run has written is undone from its savepoint on, so until it has
 * ended nobody writes but itself and the runs below it.
 *
 * @typedef {readonly number[]} Nesting the runs below the outermost one, down to the one that asks
 * @typedef {{ run: number, number: number, state: 'claimed' | 'set' | 'failed' }} Mark a savepoint, or one that will be set
 * @typedef {{ nesting: Nesting, writes: boolean, go: () => void, stop: (reason: Error) => void }} Waiting
 */
export class NestedTurns {
  /** The outermost first. @type {Mark[]} */
  #marks = [];
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
    if (!this.#waiting.some((other) => other.nesting.at(-1) === nesting.at(-1)) && this.#claim(nesting, writes)) return;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ nesting, writes, go: () => resolve(undefined), stop: reject });
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
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const entry of waiting) {
      const isBehind = this.#waiting.some((other) => other.nesting.at(-1) === entry.nesting.at(-1));
      if (!isBehind && this.#claim(entry.nesting, entry.writes)) entry.go();
      else this.#waiting.push(entry);
    }
    return mark;
  }

  /** Lets nothing go on that waits. */
  stop() {
    this.#stop(() => true);
  }

  /** @param {(entry: Waiting) => boolean} isOver */
  #stop(isOver) {
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((entry) => !isOver(entry));
    for (const { stop } of over) stop(new AbortedError('The run has ended.'));
  }

  /**
   * @param {Nesting} nesting
   * @param {boolean} writes
   */
  #claim(nesting, writes) {
    if (!writes) return true;
    if (!this.#marks.every(({ run }, index) => nesting[index] === run)) return false;
    for (const run of nesting.slice(this.#marks.length)) {
      this.#last += 1;
      this.#marks.push({ run, number: this.#last, state: 'claimed' });
    }
    return true;
  }
}
