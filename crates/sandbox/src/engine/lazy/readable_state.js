// The state of a readable stream, without its classes.
(function readableStates(/** @type {Realm} */ realm) {
  const { own } = realm;
  const { NONE, failed, invoke, later, newQueue, put, quiet, settled, sizeOf, take, when } = realm.promises;

  /** @returns {ReadableState} */
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
    const { reader } = state;
    if (reader === undefined) return;
    while (sizeOf(reader.requests) > 0) take(reader.requests).reject(error);
    quiet(reader.closed.promise);
    reader.closed.reject(error);
  };

  /** @param {ReadableState} state */
  const end = (state) => {
    state.status = 'closed';
    forget(state);
    const { reader } = state;
    if (reader === undefined) return;
    while (sizeOf(reader.requests) > 0) take(reader.requests).resolve(reader.newStep(undefined, true));
    reader.closed.resolve(undefined);
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

  /** @type {ReadableFunctions['enqueue']} */
  const enqueue = (state, chunk) => {
    if (state.status !== 'readable' || state.closing)
      throw new realm.TypeError('The stream is closed or has failed, and takes no more chunks');
    state.check?.(chunk);
    if (isAwaited(state)) {
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
    if (state.status !== 'readable' || state.closing) throw new realm.TypeError('The stream is closed already');
    state.closing = true;
    if (sizeOf(state.queue) === 0) end(state);
  };

  /** @type {ReadableFunctions['cancel']} */
  const cancel = async (state, reason) => {
    state.disturbed = true;
    if (state.status === 'closed') return;
    if (state.status === 'errored') throw state.error;
    const { cancel: callback } = state;
    end(state);
    await own(invoke(callback, reason));
  };

  // A promise of the next chunk.
  /** @type {ReadableFunctions['read']} */
  const read = (reader) => {
    const { state } = reader;
    if (state === undefined) return failed(new realm.TypeError('The reader has released its stream')).promise;
    state.disturbed = true;
    if (state.status === 'errored') return failed(state.error).promise;
    if (state.status === 'closed') return settled(reader.newStep(undefined, true)).promise;
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
    return settled(reader.newStep(chunk, false)).promise;
  };

  // Resolving a promise reads `then`: a step without a prototype has none of the guest.
  /** @type {NewStep} */
  const bareStep = (value, done) => ({ __proto__: null, value, done });
  /** @type {ReadableFunctions['acquire']} */
  const acquire = (state, newStep = bareStep) => {
    if (state.reader !== undefined) throw new realm.TypeError('The stream is locked: it already has a reader');
    const reader = { __proto__: null, state, newStep, requests: newQueue(), closed: later() };
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
    const error = new realm.TypeError('The reader has released its stream');
    if (state.status === 'readable') reader.closed.reject(error);
    else reader.closed = failed(error);
    while (sizeOf(reader.requests) > 0) take(reader.requests).reject(error);
    state.reader = undefined;
    reader.state = undefined;
  };

  // The stream pulls once the promise of `start` is fulfilled.
  /** @param {ReadableState} state @param {Promise<unknown>} started */
  const begin = (state, started) => {
    const begun = () => {
      state.started = true;
      pullMore(state);
    };
    when(started, begun, (error) => fail(state, error));
  };

  realm.readableStates = {
    __proto__: null,
    acquire,
    begin,
    cancel,
    close,
    enqueue,
    fail,
    newState,
    read,
    release,
    wanted,
  };
});
