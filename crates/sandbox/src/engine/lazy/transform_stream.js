// `TransformStream`, `ByteLengthQueuingStrategy` and `CountQueuingStrategy`.
(function transformStreams(/** @type {Realm} */ realm) {
  const { give, own, promises, readable, readStrategy, tag, writable } = realm;
  const { invalid } = realm.readableStates;
  const { NONE, invoke, later, valueOf, when, wrap } = promises;

  const KEY = { __proto__: null };
  /** @type {(state: TransformState) => object} */
  let newController;

  /** @returns {TransformState} */
  const newState = () => ({
    __proto__: null,
    // Set by `connect`.
    out: /** @type {Guest} */ (undefined),
    into: /** @type {Guest} */ (undefined),
    stream: undefined,
    controller: undefined,
    transform: undefined,
    flush: undefined,
    cancel: undefined,
    ending: undefined,
    // Awaited by the writable side while there is backpressure.
    change: later(),
    isFull: true,
  });

  /** @param {TransformState} state @param {boolean} isFull */
  const setFull = (state, isFull) => {
    if (state.isFull === isFull) return;
    state.isFull = isFull;
    state.change.resolve(undefined);
    state.change = later();
  };

  /** @param {TransformState} state @param {Guest} error */
  const stopWriting = (state, error) => {
    state.transform = state.flush = state.cancel = undefined;
    writable.fail(state.into, error);
    setFull(state, false);
  };

  /** @param {TransformState} state @param {Guest} error */
  const fail = (state, error) => {
    readable.fail(state.out, error);
    stopWriting(state, error);
  };

  /** @param {TransformState} state @param {Guest} chunk */
  const enqueue = (state, chunk) => {
    if (state.out.status !== 'readable' || state.out.closing) {
      throw invalid('Unable to enqueue');
    }
    try {
      readable.enqueue(state.out, chunk);
    } catch (error) {
      stopWriting(state, error);
      throw state.out.error;
    }
    const isFull = !((readable.wanted(state.out) ?? 0) > 0);
    if (isFull) setFull(state, true);
  };

  /** @param {TransformState} state @param {Guest} chunk */
  const transformChunk = async (state, chunk) => {
    if (state.isFull) {
      await own(state.change.promise);
      if (state.into.status === 'erroring') throw state.into.error;
    }
    try {
      if (state.transform === undefined) enqueue(state, chunk);
      else await own(state.transform(chunk));
    } catch (error) {
      fail(state, error);
      throw error;
    }
  };

  // Starts the end of the stream: a flush, an abort or a cancel, of which only the first calls the transformer. The others
  // wait for it and have its outcome.
  /** @param {TransformState} state @param {AsyncCallback | undefined} callback @param {Guest} reason @param {(ending: Later<undefined>) => void} good @param {(error: Guest) => void} bad */
  const finish = (state, callback, reason, good, bad) => {
    if (state.ending !== undefined) return state.ending.promise;
    const ending = later();
    state.ending = ending;
    const called = invoke(callback, reason);
    state.transform = state.flush = state.cancel = undefined;
    /** @param {Guest} error */
    const failed = (error) => {
      bad(error);
      ending.reject(error);
    };
    when(called, () => good(ending), failed);
    return ending.promise;
  };

  /** @param {TransformState} state */
  const closeOut = (state) => {
    const { out } = state;
    /** @param {Later<undefined>} ending */
    const flushed = (ending) => {
      if (out.status === 'errored') {
        ending.reject(out.error);
        return;
      }
      if (out.status === 'readable' && !out.closing) readable.close(out);
      ending.resolve(undefined);
    };
    return finish(state, state.flush, NONE, flushed, (error) => readable.fail(out, error));
  };

  /** @param {TransformState} state @param {Guest} reason */
  const abortOut = (state, reason) => {
    const { out } = state;
    /** @param {Later<undefined>} ending */
    const aborted = (ending) => {
      if (out.status === 'errored') {
        ending.reject(out.error);
        return;
      }
      readable.fail(out, reason);
      ending.resolve(undefined);
    };
    return finish(state, state.cancel, reason, aborted, (error) => readable.fail(out, error));
  };

  /** @param {TransformState} state @param {Guest} reason */
  const cancelled = (state, reason) => {
    const { into } = state;
    /** @param {Guest} error */
    const stop = (error) => {
      writable.fail(into, error);
      setFull(state, false);
    };
    /** @param {Later<undefined>} ending */
    const stopped = (ending) => {
      if (into.status === 'errored') {
        ending.reject(into.error);
        return;
      }
      stop(reason);
      ending.resolve(undefined);
    };
    // A flush that waits for a reader goes on.
    if (state.ending !== undefined) setFull(state, false);
    return finish(state, state.cancel, reason, stopped, stop);
  };

  class TransformStreamDefaultController {
    #state;
    /** @param {Guest} key @param {Guest} state */
    constructor(key = undefined, state = undefined) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor');
      this.#state = state;
    }
    get desiredSize() {
      return readable.wanted(this.#state.out);
    }
    /** @param {Guest} chunk */
    enqueue(chunk) {
      enqueue(this.#state, chunk);
    }
    /** @param {Guest} reason */
    error(reason) {
      fail(this.#state, reason);
    }
    terminate() {
      const state = this.#state;
      if (state.out.status === 'readable' && !state.out.closing) readable.close(state.out);
      stopWriting(state, invalid('TransformStream has been terminated'));
    }
    static {
      realm.streamParts.TransformStreamDefaultController = (/** @type {Guest} */ value) => ({
        __proto__: null,
        stream: value.#state.stream,
      });
      /** @param {TransformState} state */
      newController = (state) => new TransformStreamDefaultController(KEY, state);
    }
  }

  // Creates both ends of the stream that `state` describes.
  /** @param {TransformState} state @param {Promise<unknown> | undefined} started @param {Strategy} into @param {Strategy} out */
  const connect = (state, started, into, out) => {
    const ends = { __proto__: null, readable: undefined, writable: undefined };
    ends.writable = writable.newStream(
      {
        __proto__: null,
        started,
        write: (chunk) => transformChunk(state, chunk),
        close: () => closeOut(state),
        abort: (reason) => abortOut(state, reason),
      },
      into,
    );
    // Lifts the backpressure and waits until it is back.
    const pull = async () => {
      setFull(state, false);
      await own(state.change.promise);
    };
    state.into = writable.stateOf(ends.writable);
    ends.readable = readable.newStream(pull, (reason) => cancelled(state, reason), out.most, out.size, started);
    state.out = readable.stateOf(ends.readable);
    return ends;
  };

  // The ends of the next internally created TransformStream.
  /** @type {StreamEnds | undefined} */
  let ready;

  class TransformStream {
    #ends;
    /** @param {Guest} [transformer] @param {Guest} [writableStrategy] @param {Guest} [readableStrategy] */
    constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
      if (ready !== undefined) {
        this.#ends = ready;
        ready = undefined;
        return;
      }
      if (transformer === null) throw realm.wrongType('transformer', 'of type object', transformer);
      const source = transformer ?? { __proto__: null };
      if (source.readableType !== undefined || source.writableType !== undefined) {
        throw new realm.RangeError(
          `The property 'transformer.${source.readableType === undefined ? 'writableType' : 'readableType'}' is invalid.`,
        );
      }
      const out = readStrategy(readableStrategy, 0);
      const into = readStrategy(writableStrategy, 1);
      const state = newState();
      realm.noteStream(state, this);
      const start = realm.optionalFunction(source, 'start', 'transformer');
      state.controller = newController(state);
      state.transform = wrap(realm.optionalFunction(source, 'transform', 'transformer'), source, state.controller);
      state.flush = wrap(realm.optionalFunction(source, 'flush', 'transformer'), source, state.controller);
      state.cancel = wrap(realm.optionalFunction(source, 'cancel', 'transformer'), source);
      const started = later();
      this.#ends = connect(state, started.promise, into, out);
      const result = start === undefined ? undefined : realm.ReflectApply(start, source, [state.controller]);
      when(valueOf(result), () => started.resolve(undefined), started.reject);
      promises.quiet(started.promise);
    }
    get readable() {
      return this.#ends.readable;
    }
    get writable() {
      return this.#ends.writable;
    }
    static {
      realm.transformOf = (ends) => {
        ready = ends;
        return new TransformStream();
      };
      realm.endsOfTransform = (value) => (#ends in value ? value.#ends : undefined);
    }
  }

  // Both ends of an internal stream: `transform` and `flush` are async and get a function that passes chunks on.
  realm.newTransform = (transform, flush) => {
    const state = newState();
    // One chunk may produce much output: each piece waits until there is no backpressure.
    /** @param {Guest} chunk */
    const pass = async (chunk) => {
      if (state.isFull) await own(state.change.promise);
      if (state.into.status === 'erroring') throw state.into.error;
      // The reader has cancelled the stream while it was flushed.
      if (state.out.status === 'closed') return;
      enqueue(state, chunk);
    };
    /** @param {Guest} chunk */
    state.transform = (chunk) => transform(chunk, pass);
    state.flush = () => flush(pass);
    return connect(
      state,
      undefined,
      { __proto__: null, most: 1, size: undefined },
      { __proto__: null, most: 0, size: undefined },
    );
  };

  /** @param {string} name @param {SizeOf} measure */
  const newStrategy = (name, measure) => {
    const { [name]: Strategy } = {
      [name]: class {
        #most;
        /** @param {Guest} init */
        constructor(init) {
          if (init === null || typeof init !== 'object') throw realm.wrongType('init', 'of type object', init);
          if (init.highWaterMark === undefined) throw new realm.TypeError('init.highWaterMark is required');
          this.#most = +init.highWaterMark;
        }
        get highWaterMark() {
          return this.#most;
        }
        get size() {
          return measure;
        }
      },
    };
    return Strategy;
  };
  const { size: byteLength } = { size: (/** @type {Guest} */ chunk) => chunk.byteLength };
  const { size: one } = { size: () => 1 };

  /** @type {Table<any>} */
  const classes = {
    __proto__: null,
    TransformStream,
    TransformStreamDefaultController,
    ByteLengthQueuingStrategy: newStrategy('ByteLengthQueuingStrategy', byteLength),
    CountQueuingStrategy: newStrategy('CountQueuingStrategy', one),
  };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
});
