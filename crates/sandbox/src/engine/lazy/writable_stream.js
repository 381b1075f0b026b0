// `WritableStream` with its default writer and controller.
(function writableStreams(/** @type {Realm} */ realm) {
  const { give, own, promises, readStrategy, tag, writableStates } = realm;
  const { settled, valueOf, wrap } = promises;
  const { invalid } = realm.readableStates;
  const { abort, acquire, begin, close, fail, isClosing, newState, release, wanted, write } = writableStates;

  const KEY = { __proto__: null };
  /** @type {WritableFunctions['stateOf']} */
  let stateOf;
  /** @type {WritableFunctions['isStream']} */
  let isStream;
  /** @type {(state: WritableState) => object} */
  let newController;

  class WritableStreamDefaultController {
    #state;
    /** @param {Guest} key @param {Guest} state */
    constructor(key = undefined, state = undefined) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor');
      this.#state = state;
    }
    get signal() {
      return this.#state.signal;
    }
    /** @param {Guest} reason */
    error(reason) {
      fail(this.#state, reason);
    }
    static {
      realm.streamParts.WritableStreamDefaultController = (/** @type {Guest} */ value) => ({
        __proto__: null,
        stream: value.#state.stream,
      });
      /** @param {WritableState} state */
      newController = (state) => new WritableStreamDefaultController(KEY, state);
    }
  }

  class WritableStreamDefaultWriter {
    #writer;
    /** @param {Guest} stream */
    constructor(stream) {
      if (!isStream(stream)) throw realm.wrongType('stream', 'an instance of WritableStream', stream);
      this.#writer = acquire(stateOf(stream));
    }
    #state() {
      if (this.#writer.state === undefined) throw invalid('Writer is not bound to a WritableStream');
      return this.#writer.state;
    }
    get closed() {
      return this.#writer.closed.promise;
    }
    get ready() {
      return this.#writer.ready.promise;
    }
    get desiredSize() {
      const state = this.#state();
      if (state.status === 'errored' || state.status === 'erroring') return null;
      return state.status === 'closed' ? 0 : wanted(state);
    }
    /** @param {Guest} chunk */
    write(chunk) {
      return write(this.#writer, chunk);
    }
    async close() {
      await own(close(this.#state()));
    }
    /** @param {Guest} reason */
    async abort(reason) {
      await own(abort(this.#state(), reason));
    }
    releaseLock() {
      release(this.#writer);
    }
    static {
      realm.streamParts.WritableStreamDefaultWriter = (/** @type {Guest} */ value) => ({
        __proto__: null,
        stream: value.#writer.state?.stream,
        close: value.closed,
        ready: value.ready,
        desiredSize: value.desiredSize,
      });
    }
  }

  class WritableStream {
    #state = newState();
    /** @param {Guest} [sink] @param {Guest} [strategy] @param {Guest} [key] */
    constructor(sink = undefined, strategy = undefined, key = undefined) {
      const state = this.#state;
      realm.noteStream(state, this);
      state.controller = newController(state);
      if (key === KEY) return;
      if (sink === null) throw realm.wrongType('sink', 'of type object', sink);
      const target = sink ?? { __proto__: null };
      if (target.type !== undefined)
        throw new realm.RangeError(`The argument 'type' is invalid. Received ${realm.textOf(target.type)}`);
      const { most, size } = readStrategy(strategy, 1);
      state.most = most;
      state.size = size;
      const start = realm.optionalFunction(target, 'start', 'sink');
      state.write = wrap(realm.optionalFunction(target, 'write', 'sink'), target, state.controller);
      state.close = wrap(realm.optionalFunction(target, 'close', 'sink'), target);
      state.abort = wrap(realm.optionalFunction(target, 'abort', 'sink'), target);
      begin(state, valueOf(start === undefined ? undefined : realm.ReflectApply(start, target, [state.controller])));
    }
    get locked() {
      return this.#state.writer !== undefined;
    }
    /** @param {Guest} reason */
    async abort(reason) {
      if (this.#state.writer !== undefined) throw invalid('WritableStream is locked');
      await own(abort(this.#state, reason));
    }
    async close() {
      if (this.#state.writer !== undefined) throw invalid('WritableStream is locked');
      await own(close(this.#state));
    }
    getWriter() {
      return new WritableStreamDefaultWriter(this);
    }
    static {
      stateOf = (stream) => stream.#state;
      isStream = (value) => value !== null && typeof value === 'object' && #state in value;
    }
  }

  // An internal stream.
  /** @type {WritableFunctions['newStream']} */
  const newStream = (sink, strategy) => {
    const stream = new WritableStream(undefined, undefined, KEY);
    const state = stateOf(stream);
    state.most = strategy.most;
    state.size = strategy.size;
    state.write = sink.write;
    state.close = sink.close;
    state.abort = sink.abort;
    begin(state, sink.started ?? settled(undefined).promise);
    return stream;
  };

  realm.writable = {
    __proto__: null,
    abort,
    acquire,
    close,
    fail,
    isClosing,
    isStream,
    newStream,
    release,
    stateOf,
    wanted,
    write,
  };
  /** @type {Table<any>} */
  const classes = { __proto__: null, WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
});
