// The state of a writable stream, without its classes.
(function writableStates(/** @type {Realm} */ realm) {
  const { max } = realm;
  const { invalid } = realm.readableStates;
  const { NONE, failed, invoke, later, newQueue, peek, put, quiet, settled, sizeOf, take, when } = realm.promises;

  // Marks the close in the queue.
  const CLOSE = { __proto__: null, size: 0 };

  /** @returns {WritableState} */
  const newState = () => ({
    __proto__: null,
    status: 'writable',
    error: undefined,
    stream: undefined,
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

  /** @type {WritableFunctions['wanted']} */
  const wanted = (state) => state.most - state.held;
  /** @type {WritableFunctions['isClosing']} */
  const isClosing = (state) => state.closeRequest !== undefined || state.closing !== undefined;

  /** @param {WritableState} state */
  const forget = (state) => {
    state.write = state.close = state.abort = state.size = undefined;
  };

  // Sets the backpressure; the writer waits while the stream is full.
  /** @param {WritableState} state @param {boolean} isFull */
  const setFull = (state, isFull) => {
    if (state.writer !== undefined && isFull !== state.isFull) {
      if (isFull) state.writer.ready = later();
      else state.writer.ready.resolve(undefined);
    }
    state.isFull = isFull;
  };

  /** @param {StreamWriter} writer @param {Guest} error */
  const refuseReady = (writer, error) => {
    quiet(writer.ready.promise);
    // Rejects the pending promise, and later reads of `ready`.
    writer.ready.reject(error);
    writer.ready = failed(error);
  };

  /** @param {WritableState} state */
  const rejectClosed = (state) => {
    if (state.closeRequest !== undefined) {
      state.closeRequest.reject(state.error);
      state.closeRequest = undefined;
    }
    if (state.writer === undefined) return;
    quiet(state.writer.closed.promise);
    state.writer.closed.reject(state.error);
  };

  /** @param {WritableState} state */
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

  /** @param {WritableState} state @param {Guest} error */
  const startErroring = (state, error) => {
    state.status = 'erroring';
    state.error = error;
    if (state.writer !== undefined) refuseReady(state.writer, error);
    if (state.writing === undefined && state.closing === undefined && state.started) finishErroring(state);
  };

  /** @param {WritableState} state @param {Guest} error */
  const handleFailure = (state, error) => {
    if (state.status === 'writable') startErroring(state, error);
    else if (state.status === 'erroring') finishErroring(state);
  };

  /** @type {WritableFunctions['fail']} */
  const fail = (state, error) => {
    if (state.status === 'writable') startErroring(state, error);
  };

  /** @param {WritableState} state */
  const finishClose = (state) => {
    state.closing?.resolve(undefined);
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

  /** @param {WritableState} state */
  const closeSink = (state) => {
    take(state.queue);
    state.closing = state.closeRequest;
    state.closeRequest = undefined;
    const { close } = state;
    /** @param {Guest} error */
    const bad = (error) => {
      state.closing?.reject(error);
      state.closing = undefined;
      state.aborting?.request.reject(error);
      state.aborting = undefined;
      handleFailure(state, error);
    };
    when(invoke(close, NONE), () => finishClose(state), bad);
  };

  /** @param {WritableState} state @param {Chunk} item */
  const writeChunk = (state, item) => {
    state.writing = take(state.requests);
    const good = () => {
      state.writing?.resolve(undefined);
      state.writing = undefined;
      take(state.queue);
      state.held = max(state.held - item.size, 0);
      if (!isClosing(state) && state.status === 'writable') setFull(state, wanted(state) <= 0);
      advance(state);
    };
    /** @param {Guest} error */
    const bad = (error) => {
      state.writing?.reject(error);
      state.writing = undefined;
      if (state.status === 'writable') forget(state);
      handleFailure(state, error);
    };
    when(invoke(state.write, item.chunk), good, bad);
  };

  /** @param {WritableState} state */
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

  /** @type {WritableFunctions['write']} */
  const write = (writer, chunk) => {
    const { state } = writer;
    if (state === undefined) return failed(invalid('Writer is not bound to a WritableStream')).promise;
    let size = 1;
    if (state.status === 'writable' && state.size !== undefined) {
      try {
        size = realm.sizeOfChunk(state.size, chunk);
      } catch (error) {
        fail(state, error);
      }
    }
    if (writer.state !== state) return failed(invalid('Writer is not bound to a WritableStream')).promise;
    if (state.status === 'errored' || state.status === 'erroring') return failed(state.error).promise;
    if (isClosing(state) || state.status === 'closed') {
      return failed(invalid('WritableStream is closed')).promise;
    }
    const request = later();
    put(state.requests, request);
    put(state.queue, { __proto__: null, chunk, size });
    state.held += size;
    setFull(state, wanted(state) <= 0);
    advance(state);
    return request.promise;
  };

  /** @type {WritableFunctions['close']} */
  const close = (state) => {
    if (state.status === 'closed' || state.status === 'errored' || isClosing(state)) {
      return failed(invalid(isClosing(state) ? 'Failure to close WritableStream' : 'WritableStream is closed')).promise;
    }
    const request = later();
    state.closeRequest = request;
    if (state.writer !== undefined && state.isFull && state.status === 'writable')
      state.writer.ready.resolve(undefined);
    put(state.queue, CLOSE);
    advance(state);
    return request.promise;
  };

  /** @type {WritableFunctions['abort']} */
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

  /** @type {WritableFunctions['acquire']} */
  const acquire = (state) => {
    if (state.writer !== undefined) throw invalid('WritableStream is locked');
    const writer = { __proto__: null, state, ready: settled(undefined), closed: later() };
    quiet(writer.closed.promise);
    if (state.status === 'writable' && !isClosing(state) && state.isFull) writer.ready = later();
    if (state.status === 'erroring' || state.status === 'errored') writer.ready = failed(state.error);
    if (state.status === 'closed') writer.closed.resolve(undefined);
    if (state.status === 'errored') writer.closed.reject(state.error);
    state.writer = writer;
    return writer;
  };

  /** @type {WritableFunctions['release']} */
  const release = (writer) => {
    const { state } = writer;
    if (state === undefined) return;
    const error = invalid('Writer has been released');
    refuseReady(writer, error);
    if (state.status === 'closed' || state.status === 'errored') writer.closed = failed(error);
    else writer.closed.reject(error);
    state.writer = undefined;
    writer.state = undefined;
  };

  /** @param {WritableState} state @param {Promise<unknown>} started */
  const begin = (state, started) => {
    setFull(state, wanted(state) <= 0);
    const begun = () => {
      state.started = true;
      advance(state);
    };
    /** @param {Guest} error */
    const bad = (error) => {
      state.started = true;
      handleFailure(state, error);
    };
    when(started, begun, bad);
  };

  realm.writableStates = {
    __proto__: null,
    abort,
    acquire,
    begin,
    close,
    fail,
    isClosing,
    newState,
    release,
    wanted,
    write,
  };
});
