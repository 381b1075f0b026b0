// The state of a readable stream, without its classes.
(function readableStates(/** @type {Realm} */ realm) {
  const { max, own } = realm;
  const { NONE, failed, invoke, later, newQueue, put, quiet, settled, sizeOf, take, when } = realm.promises;

  /** @param {string} text */
  const invalid = (text) => new realm.TypeError(`Invalid state: ${text}`);

  /** @returns {ReadableState} */
  const newState = () => ({
    __proto__: null,
    status: 'readable',
    error: undefined,
    stream: undefined,
    reader: undefined,
    disturbed: false,
    controller: undefined,
    queue: newQueue(),
    held: 0,
    most: 1,
    size: undefined,
    bytes: undefined,
    pull: undefined,
    cancel: undefined,
    started: false,
    closing: false,
    pulling: false,
    again: false,
  });

  /** @type {ReadableFunctions['wanted']} */
  const wanted = (state) =>
    state.status === 'errored' ? null : state.status === 'closed' ? 0 : state.most - state.held;
  /** @param {ReadableState} state */
  const isAwaited = (state) => state.reader !== undefined && sizeOf(state.reader.requests) > 0;

  /** @param {ReadableState} state */
  const forget = (state) => {
    state.queue = newQueue();
    state.held = 0;
    state.pull = state.cancel = state.size = undefined;
  };

  /** @type {ReadableFunctions['fail']} */
  const fail = (state, error) => {
    if (state.status !== 'readable') return;
    state.status = 'errored';
    state.error = error;
    forget(state);
    state.bytes?.forget();
    const { reader } = state;
    if (reader === undefined) return;
    quiet(reader.closed.promise);
    reader.closed.reject(error);
    while (sizeOf(reader.requests) > 0) take(reader.requests).reject(error);
  };

  /** @param {StreamReader} reader */
  const finishReads = (reader) => {
    while (sizeOf(reader.requests) > 0) take(reader.requests).resolve(reader.newStep(undefined, true));
  };
  /** @param {ReadableState} state */
  const end = (state) => {
    state.status = 'closed';
    forget(state);
    const { reader } = state;
    if (reader === undefined) return;
    reader.closed.resolve(undefined);
    if (!reader.isByob) finishReads(reader);
  };

  /** @param {ReadableState} state */
  const pullMore = (state) => {
    if (state.status !== 'readable' || state.closing || !state.started) return;
    if (!isAwaited(state) && !((wanted(state) ?? 0) > 0)) return;
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

  /** @param {ReadableState} state */
  const needOpen = (state) => {
    if (state.status === 'readable' && !state.closing) return;
    const isEnded = state.bytes !== undefined && state.status !== 'readable';
    throw invalid(isEnded ? 'ReadableStream is already closed' : 'Controller is already closed');
  };

  /** @type {ReadableFunctions['enqueue']} */
  const enqueue = (state, chunk) => {
    needOpen(state);
    if (state.bytes !== undefined) state.bytes.enqueue(chunk);
    else if (isAwaited(state)) {
      const { newStep, requests } = /** @type {StreamReader} */ (state.reader);
      take(requests).resolve(newStep(chunk, false));
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

  /** @type {ReadableFunctions['close']} */
  const close = (state) => {
    needOpen(state);
    if (sizeOf(state.queue) === 0) state.bytes?.checkEnd();
    state.closing = true;
    if (sizeOf(state.queue) === 0) end(state);
  };

  /** @type {ReadableFunctions['cancel']} */
  const cancel = async (state, reason) => {
    state.disturbed = true;
    if (state.status === 'closed') return;
    if (state.status === 'errored') throw state.error;
    const { cancel: callback, reader } = state;
    end(state);
    if (reader !== undefined) finishReads(reader);
    state.bytes?.forget();
    await own(invoke(callback, reason));
  };

  /** @type {ReadableStates['cancelBy']} */
  const cancelBy = async ({ state }, reason) => {
    if (state === undefined) throw invalid('The reader is not attached to a stream');
    await own(cancel(state, reason));
  };

  // After a part of the queue was read.
  /** @type {ReadableStates['afterChunk']} */
  const afterChunk = (state) => {
    if (state.closing && sizeOf(state.queue) === 0) end(state);
    else pullMore(state);
  };
  /** @type {ReadableStates['nextChunk']} */
  const nextChunk = (state) => {
    const { chunk, size } = take(state.queue);
    // Sums of fractions are rounded, also to less than nothing.
    state.held = max(state.held - size, 0);
    afterChunk(state);
    return chunk;
  };

  // A promise of the next chunk.
  /** @type {ReadableFunctions['read']} */
  const read = (reader) => {
    const { state } = reader;
    if (state === undefined) return failed(invalid('The reader is not attached to a stream')).promise;
    state.disturbed = true;
    if (state.status === 'errored') return failed(state.error).promise;
    if (state.status === 'closed') return settled(reader.newStep(undefined, true)).promise;
    if (sizeOf(state.queue) === 0) {
      try {
        state.bytes?.allocate();
      } catch (error) {
        return failed(error).promise;
      }
      const request = later();
      put(reader.requests, request);
      pullMore(state);
      return request.promise;
    }
    return settled(reader.newStep(nextChunk(state), false)).promise;
  };

  // Resolving a promise reads `then`: a step without a prototype has none of the guest.
  /** @type {NewStep} */
  const bareStep = (value, done) => ({ __proto__: null, value, done });
  /** @type {ReadableFunctions['acquire']} */
  const acquire = (state, newStep = bareStep, isByob = false) => {
    if (state.reader !== undefined) throw invalid('ReadableStream is locked');
    if (isByob && state.bytes === undefined) throw new realm.TypeError("The argument 'stream' must be a byte stream.");
    const reader = { __proto__: null, state, newStep, isByob, requests: newQueue(), closed: later() };
    quiet(reader.closed.promise);
    if (state.status === 'closed') reader.closed.resolve(undefined);
    if (state.status === 'errored') reader.closed.reject(state.error);
    state.reader = reader;
    return reader;
  };

  /** @type {ReadableFunctions['release']} */
  const release = (reader) => {
    const { state } = reader;
    if (state === undefined) return;
    const error = invalid('Reader released');
    if (state.status === 'readable') reader.closed.reject(error);
    else reader.closed = failed(error);
    state.bytes?.released();
    while (sizeOf(reader.requests) > 0) take(reader.requests).reject(invalid('Releasing reader'));
    state.reader = undefined;
    reader.state = undefined;
  };

  /** @type {ReadableStates['partsOf']} */
  const partsOf = (reader, requests) => ({
    __proto__: null,
    stream: reader.state?.stream,
    [requests]: sizeOf(reader.requests),
    close: reader.closed.promise,
  });

  // The stream pulls once the promise of `start` is fulfilled.
  /** @param {ReadableState} state @param {Promise<unknown>} started */
  const begin = (state, started) => {
    const begun = () => {
      state.started = true;
      pullMore(state);
    };
    when(started, begun, (error) => fail(state, error));
  };

  realm.streamParts = { __proto__: null };
  // Notes the object that a state is of, which is only shown.
  realm.noteStream = (state, stream) => {
    state.stream = stream;
  };
  realm.readableStates = {
    __proto__: null,
    acquire,
    afterChunk,
    begin,
    cancel,
    cancelBy,
    close,
    enqueue,
    fail,
    invalid,
    newState,
    nextChunk,
    partsOf,
    pullMore,
    read,
    release,
    wanted,
  };
});
