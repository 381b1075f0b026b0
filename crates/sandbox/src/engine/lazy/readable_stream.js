// `ReadableStream` with its default reader and controller.
(function readableStreams(/** @type {Realm} */ realm) {
  const { asyncIterator, give, iterator, own, promises, readStrategy, readableStates, tag } = realm;
  const { settled, valueOf, wrap } = promises;
  const { acquire, begin, cancel, close, enqueue, fail, newState, read, release, wanted } = readableStates;

  const KEY = { __proto__: null };
  /** @type {ReadableFunctions['stateOf']} */
  let stateOf;
  /** @type {ReadableFunctions['isStream']} */
  let isStream;
  /** @type {(state: ReadableState) => object} */
  let newController;

  class ReadableStreamDefaultController {
    #state;
    /** @param {Guest} key @param {Guest} state */
    constructor(key, state) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: a stream creates its controller');
      this.#state = state;
    }
    get desiredSize() {
      return wanted(this.#state);
    }
    /** @param {Guest} chunk */
    enqueue(chunk) {
      enqueue(this.#state, chunk);
    }
    close() {
      close(this.#state);
    }
    /** @param {Guest} reason */
    error(reason) {
      fail(this.#state, reason);
    }
    static {
      /** @param {ReadableState} state */
      newController = (state) => new ReadableStreamDefaultController(KEY, state);
    }
  }

  // The iterator result that a guest gets.
  /** @type {NewStep} */
  const newResult = (value, done) => ({ value, done });

  class ReadableStreamDefaultReader {
    #reader;
    /** @param {Guest} stream */
    constructor(stream) {
      if (!isStream(stream)) throw new realm.TypeError('A reader needs a ReadableStream');
      this.#reader = acquire(stateOf(stream), newResult);
    }
    get closed() {
      return this.#reader.closed.promise;
    }
    read() {
      return read(this.#reader);
    }
    /** @param {Guest} reason */
    async cancel(reason) {
      const { state } = this.#reader;
      if (state === undefined) throw new realm.TypeError('The reader has released its stream');
      await own(cancel(state, reason));
    }
    releaseLock() {
      release(this.#reader);
    }
  }

  /** @param {Guest} chunk */
  const checkBytes = (chunk) => {
    if (realm.bytesOf(chunk) === undefined)
      throw new realm.TypeError('A chunk of a byte stream must be a view of an ArrayBuffer');
  };

  /** @param {StreamReader} reader @param {boolean} keeps */
  async function* chunksOf(reader, keeps) {
    let isDone = false;
    try {
      for (;;) {
        let step;
        try {
          step = await own(read(reader));
        } catch (error) {
          isDone = true;
          throw error;
        }
        if (step.done) {
          isDone = true;
          return;
        }
        yield step.value;
      }
    } finally {
      const { state } = reader;
      const cancelled = isDone || keeps || state === undefined ? undefined : cancel(state, undefined);
      release(reader);
      if (cancelled !== undefined) await own(cancelled);
    }
  }

  class ReadableStream {
    #state = newState();
    /** @param {Guest} [source] @param {Guest} [strategy] @param {Guest} [key] */
    constructor(source = undefined, strategy = undefined, key = undefined) {
      const state = this.#state;
      state.controller = newController(state);
      if (key === KEY) return;
      if (source === null) throw new realm.TypeError('The source of a stream must be an object');
      const underlying = source ?? { __proto__: null };
      const isBytes = underlying.type !== undefined;
      if (isBytes && `${underlying.type}` !== 'bytes')
        throw new realm.TypeError("The type of a source must be 'bytes' or undefined");
      const { most, size } = readStrategy(strategy, isBytes ? 0 : 1);
      if (isBytes && size !== undefined) throw new realm.RangeError('A byte stream has no size function');
      state.most = most;
      state.size = isBytes ? byteLength : size;
      state.check = isBytes ? checkBytes : undefined;
      const start = realm.optionalFunction(underlying, 'start');
      state.pull = wrap(realm.optionalFunction(underlying, 'pull'), underlying, state.controller);
      state.cancel = wrap(realm.optionalFunction(underlying, 'cancel'), underlying);
      begin(
        state,
        valueOf(start === undefined ? undefined : realm.ReflectApply(start, underlying, [state.controller])),
      );
    }
    /** @param {Guest} iterable */
    static from(iterable) {
      return fromIterable(iterable);
    }
    get locked() {
      return this.#state.reader !== undefined;
    }
    /** @param {Guest} reason */
    async cancel(reason) {
      if (this.#state.reader !== undefined)
        throw new realm.TypeError('The stream is locked: cancel it with its reader');
      await own(cancel(this.#state, reason));
    }
    /** @param {Guest} options */
    getReader(options) {
      const mode = options?.mode;
      if (mode !== undefined) {
        throw new realm.TypeError(
          `The sandbox does not support readers of the mode ${realm.textOf(mode)}: use the default reader`,
        );
      }
      return new ReadableStreamDefaultReader(this);
    }
    /** @param {Guest} options */
    values(options) {
      return chunksOf(acquire(this.#state), !!options?.preventCancel);
    }
    tee() {
      return realm.teeStream(this);
    }
    /** @param {Guest} target @param {Guest} options */
    pipeTo(target, options) {
      return realm.pipeStream(this, target, options);
    }
    /** @param {Guest} pair @param {Guest} options */
    pipeThrough(pair, options) {
      return realm.pipeThroughPair(this, pair, options);
    }
    static {
      stateOf = (stream) => stream.#state;
      isStream = (value) => value !== null && typeof value === 'object' && #state in value;
    }
  }

  /** @param {Guest} chunk */
  const byteLength = (chunk) => realm.typedArrayBytes(realm.bytesOf(chunk));

  // An internal stream: `pull` and `cancel` return internal promises.
  /** @type {ReadableFunctions['newStream']} */
  const newStream = (pull, cancelled, most, size, started) => {
    const stream = new ReadableStream(undefined, undefined, KEY);
    const state = stateOf(stream);
    state.most = most;
    state.pull = pull;
    state.cancel = cancelled;
    state.size = size;
    begin(state, started ?? settled(undefined).promise);
    return stream;
  };

  /** @param {Guest} iterable */
  const fromIterable = (iterable) => {
    const later = iterable?.[asyncIterator];
    const method = later ?? iterable?.[iterator];
    if (typeof method !== 'function') throw new realm.TypeError('ReadableStream.from needs an iterable');
    const source = realm.ReflectApply(method, iterable, []);
    if (source === null || typeof source !== 'object') throw new realm.TypeError('The iterator is not an object');
    const { next } = source;
    /** @type {ReadableState} */
    let state;
    const pull = async () => {
      const result = realm.ReflectApply(next, source, []);
      // The values of an iterator that is not async are awaited, and not its results.
      const step = method === later ? await result : result;
      if (step === null || typeof step !== 'object') throw new realm.TypeError('The iterator did not return an object');
      if (step.done) close(state);
      else enqueue(state, await step.value);
    };
    /** @param {Guest} reason */
    const stopped = async (reason) => {
      const stop = source.return;
      if (stop !== undefined && stop !== null) await realm.ReflectApply(stop, source, [reason]);
    };
    const stream = newStream(pull, stopped, 0);
    state = stateOf(stream);
    return stream;
  };

  realm.readable = {
    __proto__: null,
    acquire,
    cancel,
    close,
    enqueue,
    fail,
    isStream,
    newStream,
    read,
    release,
    stateOf,
    wanted,
  };
  realm.define(ReadableStream.prototype, asyncIterator, ReadableStream.prototype.values);
  /** @type {Table<any>} */
  const classes = { __proto__: null, ReadableStream, ReadableStreamDefaultReader, ReadableStreamDefaultController };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
});
