// `ReadableStream` with its default reader and controller.
(function readableStreams(realm) {
  const { asyncIterator, give, iterator, promises, readStrategy, tag } = realm;
  const { NONE, failed, invoke, later, newQueue, own, put, quiet, settled, sizeOf, take, valueOf, when, wrap } =
    promises;

  const KEY = { __proto__: null };
  let stateOf;
  let isStream;
  let newController;

  const newState = () => ({
    __proto__: null,
    status: 'readable',
    error: undefined,
    reader: undefined,
    disturbed: false,
    controller: undefined,
    queue: newQueue(),
    held: 0,
    most: 1,
    size: undefined,
    check: undefined,
    pull: undefined,
    cancel: undefined,
    started: false,
    closing: false,
    pulling: false,
    again: false,
  });

  const wanted = (state) =>
    state.status === 'errored' ? null : state.status === 'closed' ? 0 : state.most - state.held;
  const isAwaited = (state) => state.reader !== undefined && sizeOf(state.reader.requests) > 0;

  const forget = (state) => {
    state.queue = newQueue();
    state.held = 0;
    state.pull = state.cancel = state.size = undefined;
  };

  const fail = (state, error) => {
    if (state.status !== 'readable') return;
    state.status = 'errored';
    state.error = error;
    forget(state);
    const { reader } = state;
    if (reader === undefined) return;
    while (sizeOf(reader.requests) > 0) take(reader.requests).reject(error);
    quiet(reader.closed.promise);
    reader.closed.reject(error);
  };

  const end = (state) => {
    state.status = 'closed';
    forget(state);
    const { reader } = state;
    if (reader === undefined) return;
    while (sizeOf(reader.requests) > 0) take(reader.requests).resolve({ value: undefined, done: true });
    reader.closed.resolve(undefined);
  };

  const pullMore = (state) => {
    if (state.status !== 'readable' || state.closing || !state.started) return;
    if (!isAwaited(state) && !(wanted(state) > 0)) return;
    if (state.pulling) {
      state.again = true;
      return;
    }
    state.pulling = true;
    const done = () => {
      state.pulling = false;
      if (!state.again) return;
      state.again = false;
      pullMore(state);
    };
    when(invoke(state.pull, NONE), done, (error) => fail(state, error));
  };

  const enqueue = (state, chunk) => {
    if (state.status !== 'readable' || state.closing)
      throw new realm.TypeError('The stream is closed or has failed, and takes no more chunks');
    state.check?.(chunk);
    if (isAwaited(state)) {
      take(state.reader.requests).resolve({ value: chunk, done: false });
    } else {
      try {
        const size = realm.sizeOfChunk(state.size, chunk);
        put(state.queue, { __proto__: null, chunk, size });
        state.held += size;
      } catch (error) {
        fail(state, error);
        throw error;
      }
    }
    pullMore(state);
  };

  const close = (state) => {
    if (state.status !== 'readable' || state.closing) throw new realm.TypeError('The stream is closed already');
    state.closing = true;
    if (sizeOf(state.queue) === 0) end(state);
  };

  const cancel = async (state, reason) => {
    state.disturbed = true;
    if (state.status === 'closed') return;
    if (state.status === 'errored') throw state.error;
    const { cancel: callback } = state;
    end(state);
    await own(invoke(callback, reason));
  };

  // A promise of the next chunk, as an iterator result.
  const read = (reader) => {
    const { state } = reader;
    if (state === undefined) return failed(new realm.TypeError('The reader has released its stream')).promise;
    state.disturbed = true;
    if (state.status === 'errored') return failed(state.error).promise;
    if (state.status === 'closed') return settled({ value: undefined, done: true }).promise;
    if (sizeOf(state.queue) === 0) {
      const request = later();
      put(reader.requests, request);
      pullMore(state);
      return request.promise;
    }
    const { chunk, size } = take(state.queue);
    state.held = sizeOf(state.queue) === 0 ? 0 : state.held - size;
    if (state.closing && sizeOf(state.queue) === 0) end(state);
    else pullMore(state);
    return settled({ value: chunk, done: false }).promise;
  };

  const acquire = (state) => {
    if (state.reader !== undefined) throw new realm.TypeError('The stream is locked: it already has a reader');
    const reader = { __proto__: null, state, requests: newQueue(), closed: later() };
    quiet(reader.closed.promise);
    if (state.status === 'closed') reader.closed.resolve(undefined);
    if (state.status === 'errored') reader.closed.reject(state.error);
    state.reader = reader;
    return reader;
  };

  const release = (reader) => {
    const { state } = reader;
    if (state === undefined) return;
    const error = new realm.TypeError('The reader has released its stream');
    if (state.status === 'readable') reader.closed.reject(error);
    else reader.closed = failed(error);
    while (sizeOf(reader.requests) > 0) take(reader.requests).reject(error);
    state.reader = undefined;
    reader.state = undefined;
  };

  class ReadableStreamDefaultController {
    #state;
    constructor(key, state) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: a stream creates its controller');
      this.#state = state;
    }
    get desiredSize() {
      return wanted(this.#state);
    }
    enqueue(chunk) {
      enqueue(this.#state, chunk);
    }
    close() {
      close(this.#state);
    }
    error(reason) {
      fail(this.#state, reason);
    }
    static {
      newController = (state) => new ReadableStreamDefaultController(KEY, state);
    }
  }

  class ReadableStreamDefaultReader {
    #reader;
    constructor(stream) {
      if (!isStream(stream)) throw new realm.TypeError('A reader needs a ReadableStream');
      this.#reader = acquire(stateOf(stream));
    }
    get closed() {
      return this.#reader.closed.promise;
    }
    read() {
      return read(this.#reader);
    }
    async cancel(reason) {
      const { state } = this.#reader;
      if (state === undefined) throw new realm.TypeError('The reader has released its stream');
      await own(cancel(state, reason));
    }
    releaseLock() {
      release(this.#reader);
    }
  }

  // The stream pulls once the promise of `start` is fulfilled.
  const begin = (state, started) => {
    const begun = () => {
      state.started = true;
      pullMore(state);
    };
    when(started, begun, (error) => fail(state, error));
  };

  const checkBytes = (chunk) => {
    if (realm.bytesOf(chunk) === undefined)
      throw new realm.TypeError('A chunk of a byte stream must be a view of an ArrayBuffer');
  };

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
      const cancelled = isDone || keeps ? undefined : cancel(state, undefined);
      release(reader);
      if (cancelled !== undefined) await own(cancelled);
    }
  }

  class ReadableStream {
    #state = newState();
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
    static from(iterable) {
      return fromIterable(iterable);
    }
    get locked() {
      return this.#state.reader !== undefined;
    }
    async cancel(reason) {
      if (this.#state.reader !== undefined)
        throw new realm.TypeError('The stream is locked: cancel it with its reader');
      await own(cancel(this.#state, reason));
    }
    getReader(options) {
      const mode = options?.mode;
      if (mode !== undefined) {
        throw new realm.TypeError(
          `The sandbox does not support readers of the mode ${realm.textOf(mode)}: use the default reader`,
        );
      }
      return new ReadableStreamDefaultReader(this);
    }
    values(options) {
      return chunksOf(acquire(this.#state), !!options?.preventCancel);
    }
    tee() {
      return realm.teeStream(this);
    }
    pipeTo(target, options) {
      return realm.pipeStream(this, target, options);
    }
    pipeThrough(pair, options) {
      return realm.pipeThroughPair(this, pair, options);
    }
    static {
      stateOf = (stream) => stream.#state;
      isStream = (value) => value !== null && typeof value === 'object' && #state in value;
    }
  }

  const byteLength = (chunk) => realm.typedArrayBytes(realm.bytesOf(chunk));

  // An internal stream: `pull` and `cancel` return internal promises.
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

  const fromIterable = (iterable) => {
    const method = iterable?.[asyncIterator] ?? iterable?.[iterator];
    if (typeof method !== 'function') throw new realm.TypeError('ReadableStream.from needs an iterable');
    const source = realm.ReflectApply(method, iterable, []);
    if (source === null || typeof source !== 'object') throw new realm.TypeError('The iterator is not an object');
    const { next } = source;
    let state;
    const pull = async () => {
      const step = await realm.ReflectApply(next, source, []);
      if (step === null || typeof step !== 'object') throw new realm.TypeError('The iterator did not return an object');
      if (step.done) close(state);
      else enqueue(state, await step.value);
    };
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
  const classes = { __proto__: null, ReadableStream, ReadableStreamDefaultReader, ReadableStreamDefaultController };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
});
