// `ReadableStream` with its default reader and controller.
(function readableStreams(/** @type {Realm} */ realm) {
  const { asyncIterator, chunksOf, give, iterator, newByobReader, own, promises, readStrategy, tag } = realm;
  const { readableStates } = realm;
  const { settled, valueOf, wrap } = promises;
  const { acquire, begin, cancel, cancelBy, close, enqueue, fail, invalid, newState, partsOf, read, release, wanted } =
    readableStates;

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
    constructor(key = undefined, state = undefined) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor');
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
      this.#reader = acquire(needStream(stream), newResult);
    }
    get closed() {
      return this.#reader.closed.promise;
    }
    read() {
      return read(this.#reader);
    }
    /** @param {Guest} reason */
    async cancel(reason) {
      await own(cancelBy(this.#reader, reason));
    }
    releaseLock() {
      release(this.#reader);
    }
    static {
      realm.streamParts.ReadableStreamDefaultReader = (/** @type {Guest} */ value) =>
        partsOf(value.#reader, 'readRequests');
    }
  }

  /** @type {ReadableFunctions['needStream']} */
  const needStream = (stream) => {
    if (isStream(stream)) return stateOf(stream);
    throw realm.wrongType('stream', 'an instance of ReadableStream', stream);
  };

  class ReadableStream {
    #state = newState();
    /** @param {Guest} [source] @param {Guest} [strategy] @param {Guest} [key] */
    constructor(source = undefined, strategy = undefined, key = undefined) {
      const state = this.#state;
      realm.noteStream(state, this);
      if (key === KEY) return;
      if (source === null) throw realm.wrongType('source', 'of type object', source);
      const underlying = source ?? { __proto__: null };
      const isBytes = underlying.type !== undefined;
      if (isBytes && `${underlying.type}` !== 'bytes')
        throw new realm.TypeError(`The property 'source.type' is invalid. Received '${underlying.type}'`);
      const { most, size } = readStrategy(strategy, isBytes ? 0 : 1);
      if (isBytes && size !== undefined) throw new realm.RangeError("The property 'strategy.size' is invalid.");
      state.most = most;
      state.size = size;
      state.controller = isBytes
        ? realm.newByteController(state, underlying.autoAllocateChunkSize)
        : newController(state);
      const start = realm.optionalFunction(underlying, 'start', 'source');
      state.pull = wrap(realm.optionalFunction(underlying, 'pull', 'source'), underlying, state.controller);
      state.cancel = wrap(realm.optionalFunction(underlying, 'cancel', 'source'), underlying);
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
      if (this.#state.reader !== undefined) throw invalid('ReadableStream is locked');
      await own(cancel(this.#state, reason));
    }
    /** @param {Guest} options */
    getReader(options) {
      if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function')
        throw realm.wrongType('options', 'of type object', options);
      const mode = options?.mode;
      if (mode === undefined) return new ReadableStreamDefaultReader(this);
      if (`${mode}` === 'byob') return newByobReader(this);
      throw new realm.TypeError(`The property 'options.mode' is invalid. Received '${mode}'`);
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

  /** @type {ReadableFunctions['newByteStream']} */
  const newByteStream = (pull, cancelled) => {
    const stream = newStream(pull, cancelled, 0);
    const state = stateOf(stream);
    state.bytes = realm.newByteQueue(state, undefined);
    return stream;
  };
  // The end of an internal stream, also for views that wait to be filled.
  /** @type {ReadableFunctions['close']} */
  const finish = (state) => {
    close(state);
    state.bytes?.finish();
  };

  /** @param {Guest} iterable */
  const fromIterable = (iterable) => {
    const later = iterable?.[asyncIterator];
    const method = later ?? iterable?.[iterator];
    if (typeof method !== 'function') throw new realm.TypeError(`${realm.textOf(iterable)} must be iterable`);
    const source = realm.ReflectApply(method, iterable, []);
    if (source === null || typeof source !== 'object') throw invalid('The iterator method must return an object');
    const { next } = source;
    /** @type {ReadableState} */
    let state;
    const pull = async () => {
      const result = realm.ReflectApply(next, source, []);
      // The values of an iterator that is not async are awaited, and not its results.
      const step = method === later ? await result : result;
      if (step === null || typeof step !== 'object')
        throw invalid('The promise returned by the iterator.next() method must fulfill with an object');
      if (step.done) close(state);
      else enqueue(state, await step.value);
    };
    /** @param {Guest} reason */
    const stopped = async (reason) => {
      const stop = source.return;
      if (stop === undefined || stop === null) return;
      const result = realm.ReflectApply(stop, source, [reason]);
      const step = method === later ? await result : result;
      if (step === null || typeof step !== 'object')
        throw invalid('The promise returned by the iterator.return() method must fulfill with an object');
    };
    const stream = newStream(pull, stopped, 0);
    state = stateOf(stream);
    return stream;
  };

  realm.readable = {
    __proto__: null,
    acquire,
    cancel,
    close: finish,
    closeOnly: close,
    enqueue,
    fail,
    isStream,
    needStream,
    newByteStream,
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
