// `WritableStream` with its default writer and controller.
(function writableStreams(realm) {
  const { give, promises, readStrategy, tag } = realm;
  const { NONE, failed, invoke, later, newQueue, own, peek, put, quiet, settled, sizeOf, take, valueOf, when, wrap } =
    promises;

  const KEY = { __proto__: null };
  // Marks the close in the queue.
  const CLOSE = { __proto__: null, size: 0 };
  let stateOf;
  let isStream;
  let newController;

  const newState = () => ({
    __proto__: null,
    status: 'writable',
    error: undefined,
    writer: undefined,
    controller: undefined,
    signal: realm.newSignal(),
    write: undefined,
    close: undefined,
    abort: undefined,
    most: 1,
    size: undefined,
    held: 0,
    queue: newQueue(),
    requests: newQueue(),
    started: false,
    writing: undefined,
    closing: undefined,
    closeRequest: undefined,
    aborting: undefined,
    isFull: false,
  });

  const wanted = (state) => state.most - state.held;
  const isClosing = (state) => state.closeRequest !== undefined || state.closing !== undefined;

  const forget = (state) => {
    state.write = state.close = state.abort = state.size = undefined;
  };

  // Sets the backpressure; the writer waits while the stream is full.
  const setFull = (state, isFull) => {
    if (state.writer !== undefined && isFull !== state.isFull) {
      if (isFull) state.writer.ready = later();
      else state.writer.ready.resolve(undefined);
    }
    state.isFull = isFull;
  };

  const refuseReady = (writer, error) => {
    quiet(writer.ready.promise);
    // Rejects the pending promise, and later reads of `ready`.
    writer.ready.reject(error);
    writer.ready = failed(error);
  };

  const rejectClosed = (state) => {
    if (state.closeRequest !== undefined) {
      state.closeRequest.reject(state.error);
      state.closeRequest = undefined;
    }
    if (state.writer === undefined) return;
    quiet(state.writer.closed.promise);
    state.writer.closed.reject(state.error);
  };

  const finishErroring = (state) => {
    state.status = 'errored';
    state.queue = newQueue();
    state.held = 0;
    const { abort } = state;
    forget(state);
    while (sizeOf(state.requests) > 0) take(state.requests).reject(state.error);
    const { aborting } = state;
    if (aborting === undefined) {
      rejectClosed(state);
      return;
    }
    state.aborting = undefined;
    if (aborting.wasErroring) {
      aborting.request.reject(state.error);
      rejectClosed(state);
      return;
    }
    when(
      invoke(abort, aborting.reason),
      () => {
        aborting.request.resolve(undefined);
        rejectClosed(state);
      },
      (error) => {
        aborting.request.reject(error);
        rejectClosed(state);
      },
    );
  };

  const startErroring = (state, error) => {
    state.status = 'erroring';
    state.error = error;
    if (state.writer !== undefined) refuseReady(state.writer, error);
    if (state.writing === undefined && state.closing === undefined && state.started) finishErroring(state);
  };

  const handleFailure = (state, error) => {
    if (state.status === 'writable') startErroring(state, error);
    else if (state.status === 'erroring') finishErroring(state);
  };

  const fail = (state, error) => {
    if (state.status === 'writable') startErroring(state, error);
  };

  const finishClose = (state) => {
    state.closing.resolve(undefined);
    state.closing = undefined;
    if (state.status === 'erroring') {
      state.error = undefined;
      state.aborting?.request.resolve(undefined);
      state.aborting = undefined;
    }
    state.status = 'closed';
    forget(state);
    state.writer?.closed.resolve(undefined);
  };

  const closeSink = (state) => {
    take(state.queue);
    state.closing = state.closeRequest;
    state.closeRequest = undefined;
    const { close } = state;
    const bad = (error) => {
      state.closing.reject(error);
      state.closing = undefined;
      state.aborting?.request.reject(error);
      state.aborting = undefined;
      handleFailure(state, error);
    };
    when(invoke(close, NONE), () => finishClose(state), bad);
  };

  const writeChunk = (state, item) => {
    state.writing = take(state.requests);
    const good = () => {
      state.writing.resolve(undefined);
      state.writing = undefined;
      take(state.queue);
      state.held -= item.size;
      if (!isClosing(state) && state.status === 'writable') setFull(state, wanted(state) <= 0);
      advance(state);
    };
    const bad = (error) => {
      state.writing.reject(error);
      state.writing = undefined;
      if (state.status === 'writable') forget(state);
      handleFailure(state, error);
    };
    when(invoke(state.write, item.chunk), good, bad);
  };

  const advance = (state) => {
    if (!state.started || state.writing !== undefined) return;
    if (state.status === 'erroring') {
      finishErroring(state);
      return;
    }
    if (sizeOf(state.queue) === 0 || state.status !== 'writable') return;
    const item = peek(state.queue);
    if (item === CLOSE) closeSink(state);
    else writeChunk(state, item);
  };

  const write = (writer, chunk) => {
    const { state } = writer;
    if (state === undefined) return failed(new realm.TypeError('The writer has released its stream')).promise;
    let size = 1;
    if (state.status === 'writable' && state.size !== undefined) {
      try {
        size = realm.sizeOfChunk(state.size, chunk);
      } catch (error) {
        fail(state, error);
      }
    }
    if (writer.state !== state) return failed(new realm.TypeError('The writer has released its stream')).promise;
    if (state.status === 'errored' || state.status === 'erroring') return failed(state.error).promise;
    if (isClosing(state) || state.status === 'closed') {
      return failed(new realm.TypeError('The stream is closed or closing')).promise;
    }
    const request = later();
    put(state.requests, request);
    put(state.queue, { __proto__: null, chunk, size });
    state.held += size;
    setFull(state, wanted(state) <= 0);
    advance(state);
    return request.promise;
  };

  const close = (state) => {
    if (state.status === 'closed' || state.status === 'errored' || isClosing(state)) {
      return failed(new realm.TypeError('The stream is closed or closing')).promise;
    }
    const request = later();
    state.closeRequest = request;
    if (state.writer !== undefined && state.isFull && state.status === 'writable')
      state.writer.ready.resolve(undefined);
    put(state.queue, CLOSE);
    advance(state);
    return request.promise;
  };

  const abort = (state, reason) => {
    if (state.status === 'closed' || state.status === 'errored') return settled(undefined).promise;
    realm.abortSignal(state.signal, reason);
    if (state.status === 'closed' || state.status === 'errored') return settled(undefined).promise;
    if (state.aborting !== undefined) return state.aborting.request.promise;
    const wasErroring = state.status === 'erroring';
    const request = later();
    state.aborting = { __proto__: null, request, reason: wasErroring ? undefined : reason, wasErroring };
    if (!wasErroring) startErroring(state, reason);
    return request.promise;
  };

  const acquire = (state) => {
    if (state.writer !== undefined) throw new realm.TypeError('The stream is locked: it already has a writer');
    const writer = { __proto__: null, state, ready: settled(undefined), closed: later() };
    quiet(writer.closed.promise);
    if (state.status === 'writable' && !isClosing(state) && state.isFull) writer.ready = later();
    if (state.status === 'erroring' || state.status === 'errored') writer.ready = failed(state.error);
    if (state.status === 'closed') writer.closed.resolve(undefined);
    if (state.status === 'errored') writer.closed.reject(state.error);
    state.writer = writer;
    return writer;
  };

  const release = (writer) => {
    const { state } = writer;
    if (state === undefined) return;
    const error = new realm.TypeError('The writer has released its stream');
    refuseReady(writer, error);
    if (state.status === 'closed' || state.status === 'errored') writer.closed = failed(error);
    else writer.closed.reject(error);
    state.writer = undefined;
    writer.state = undefined;
  };

  class WritableStreamDefaultController {
    #state;
    constructor(key, state) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: a stream creates its controller');
      this.#state = state;
    }
    get signal() {
      return this.#state.signal;
    }
    error(reason) {
      fail(this.#state, reason);
    }
    static {
      newController = (state) => new WritableStreamDefaultController(KEY, state);
    }
  }

  class WritableStreamDefaultWriter {
    #writer;
    constructor(stream) {
      if (!isStream(stream)) throw new realm.TypeError('A writer needs a WritableStream');
      this.#writer = acquire(stateOf(stream));
    }
    #state() {
      if (this.#writer.state === undefined) throw new realm.TypeError('The writer has released its stream');
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
    write(chunk) {
      return write(this.#writer, chunk);
    }
    async close() {
      await own(close(this.#state()));
    }
    async abort(reason) {
      await own(abort(this.#state(), reason));
    }
    releaseLock() {
      release(this.#writer);
    }
  }

  const begin = (state, started) => {
    setFull(state, wanted(state) <= 0);
    const begun = () => {
      state.started = true;
      advance(state);
    };
    const bad = (error) => {
      state.started = true;
      handleFailure(state, error);
    };
    when(started, begun, bad);
  };

  class WritableStream {
    #state = newState();
    constructor(sink = undefined, strategy = undefined, key = undefined) {
      const state = this.#state;
      state.controller = newController(state);
      if (key === KEY) return;
      if (sink === null) throw new realm.TypeError('The sink of a stream must be an object');
      const target = sink ?? { __proto__: null };
      if (target.type !== undefined) throw new realm.RangeError('The sink of a stream has no type');
      const { most, size } = readStrategy(strategy, 1);
      state.most = most;
      state.size = size;
      const start = realm.optionalFunction(target, 'start');
      state.write = wrap(realm.optionalFunction(target, 'write'), target, state.controller);
      state.close = wrap(realm.optionalFunction(target, 'close'), target);
      state.abort = wrap(realm.optionalFunction(target, 'abort'), target);
      begin(state, valueOf(start === undefined ? undefined : realm.ReflectApply(start, target, [state.controller])));
    }
    get locked() {
      return this.#state.writer !== undefined;
    }
    async abort(reason) {
      if (this.#state.writer !== undefined) throw new realm.TypeError('The stream is locked: abort it with its writer');
      await own(abort(this.#state, reason));
    }
    async close() {
      if (this.#state.writer !== undefined) throw new realm.TypeError('The stream is locked: close it with its writer');
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
  const classes = { __proto__: null, WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
});
