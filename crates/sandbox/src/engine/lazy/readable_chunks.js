// The async iterator of a `ReadableStream`.
(function readableChunks(/** @type {Realm} */ realm) {
  const { getPrototypeOf, own, promises, readableStates } = realm;
  const { cancel, read, release } = readableStates;

  // A base class with V8's prototype of async iterators.
  /** @type {Guest} */
  const Iterating = function Iterating() {};
  const generator = async function* () {};
  Iterating.prototype = getPrototypeOf(getPrototypeOf(generator.prototype));

  // The iterator result that a guest gets.
  /** @type {NewStep} */
  const newResult = (value, done) => ({ value, done });

  class Chunks extends Iterating {
    #reader;
    #keeps;
    #isOver = false;
    // Settled when the latest step is over: steps do not overlap.
    /** @type {Promise<undefined> | undefined} */
    #latest;
    /** @param {StreamReader} reader @param {boolean} keeps */
    constructor(reader, keeps) {
      super();
      this.#reader = reader;
      this.#keeps = keeps;
    }
    /** @param {() => Promise<Guest>} step */
    async #inTurn(step) {
      const turn = promises.later();
      const before = this.#latest;
      this.#latest = turn.promise;
      try {
        if (before !== undefined) await own(before);
        return await own(step());
      } finally {
        turn.resolve(undefined);
      }
    }
    #end() {
      this.#isOver = true;
      release(this.#reader);
    }
    async #readNext() {
      if (this.#isOver) return { __proto__: null, value: undefined, done: true };
      try {
        const step = await own(read(this.#reader));
        if (step.done) this.#end();
        return step;
      } catch (error) {
        this.#end();
        throw error;
      }
    }
    /** @param {Guest} value */
    async #stop(value) {
      const step = { __proto__: null, value, done: true };
      if (this.#isOver) return step;
      const { state } = this.#reader;
      const cancelled = this.#keeps || state === undefined ? undefined : cancel(state, value);
      this.#end();
      if (cancelled !== undefined) await own(cancelled);
      return step;
    }
    async next() {
      const { value, done } = await own(this.#inTurn(() => this.#readNext()));
      return newResult(value, done);
    }
    /** @param {Guest} value */
    async return(value) {
      const step = await own(this.#inTurn(() => this.#stop(value)));
      return newResult(step.value, true);
    }
  }
  /** @type {Guest} */
  const { prototype } = Chunks;
  delete prototype.constructor;
  realm.put(prototype, 'next', prototype.next);
  realm.put(prototype, 'return', prototype.return);

  realm.chunksOf = (reader, keeps) => new Chunks(reader, keeps);
});
