// The classes of byte streams: the controller, its requests, and the reader that brings its own views.
(function byteStreams(/** @type {Realm} */ realm) {
  const { bufferBytes, bufferDetached, give, newByteQueue, own, placeOf, readableStates, tag, trunc } = realm;
  const { acquire, cancelBy, close, enqueue, fail, invalid, partsOf, release, wanted } = readableStates;
  const { failed } = realm.promises;

  const KEY = { __proto__: null };
  const MAX_COUNT = 9007199254740991;
  /** @type {(request: ByobRequest) => object} */
  let newRequest;

  /** @param {string} name @param {Guest} value */
  const needPlace = (name, value) => {
    const place = placeOf(value);
    if (place !== undefined) return place;
    throw realm.wrongType(name, 'an instance of Buffer, TypedArray, or DataView', value);
  };
  /** @param {string} name @param {Guest} value @param {number} least */
  const countOf = (name, value, least) => {
    const count = trunc(+value);
    if (count >= least && count <= MAX_COUNT) return count;
    throw new realm.TypeError(`The property '${name}' must be an integer of at least ${least}`);
  };

  class ReadableStreamBYOBRequest {
    #request;
    /** @param {Guest} key @param {Guest} request */
    constructor(key = undefined, request = undefined) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor');
      this.#request = request;
    }
    /** @param {ArrayBuffer} data */
    #queue(data) {
      const { isOver, state } = this.#request;
      if (isOver) throw invalid('This BYOB request has been invalidated');
      if (bufferDetached(data)) throw invalid('Viewed ArrayBuffer is detached');
      return /** @type {ByteQueue} */ (state.bytes);
    }
    get view() {
      return this.#request.isOver ? null : this.#request.view;
    }
    /** @param {Guest} bytesWritten */
    respond(bytesWritten) {
      this.#queue(realm.typedArrayBuffer(this.#request.view)).respond(countOf('bytesWritten', bytesWritten, 0));
    }
    /** @param {Guest} view */
    respondWithNewView(view) {
      const place = needPlace('view', view);
      this.#queue(place.data).respondWith(place);
    }
    static {
      newRequest = (request) => new ReadableStreamBYOBRequest(KEY, request);
    }
  }

  class ReadableByteStreamController {
    #state;
    /** @param {Guest} key @param {Guest} state */
    constructor(key = undefined, state = undefined) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor');
      this.#state = state;
    }
    get byobRequest() {
      const request = this.#state.bytes.request();
      if (request === undefined) return null;
      request.object ??= newRequest(request);
      return request.object;
    }
    get desiredSize() {
      return wanted(this.#state);
    }
    close() {
      close(this.#state);
    }
    /** @param {Guest} chunk */
    enqueue(chunk) {
      const { data, length } = needPlace('buffer', chunk);
      if (length === 0 || bufferBytes(data) === 0) throw invalid('chunk ArrayBuffer is zero-length or detached');
      enqueue(this.#state, chunk);
    }
    /** @param {Guest} reason */
    error(reason) {
      fail(this.#state, reason);
    }
    static {
      realm.newByteController = (state, chunkSize) => {
        const size = chunkSize === undefined ? undefined : countOf('source.autoAllocateChunkSize', chunkSize, 1);
        state.bytes = newByteQueue(state, size);
        return new ReadableByteStreamController(KEY, state);
      };
    }
  }

  // The iterator result that a guest gets.
  /** @type {NewStep} */
  const newResult = (value, done) => ({ value, done });

  class ReadableStreamBYOBReader {
    #reader;
    /** @param {Guest} stream */
    constructor(stream) {
      this.#reader = acquire(realm.readable.needStream(stream), newResult, true);
    }
    get closed() {
      return this.#reader.closed.promise;
    }
    /** @param {Guest} view @param {Guest} options */
    #read(view, options) {
      const place = needPlace('view', view);
      if (place.length === 0) throw invalid('View or Viewed ArrayBuffer is zero-length or detached');
      const min = options?.min;
      const least = min === undefined ? 1 : countOf('options.min', min, 1);
      if (least * place.unit > place.length)
        throw new realm.RangeError('The value of "options.min" is out of range. It must be <= view.length');
      const { state } = this.#reader;
      if (state === undefined) throw invalid('The reader is not attached to a stream');
      return /** @type {ByteQueue} */ (state.bytes).readInto(this.#reader, place, least);
    }
    /** @param {Guest} view @param {Guest} options */
    read(view, options) {
      try {
        return this.#read(view, options);
      } catch (error) {
        return failed(error).promise;
      }
    }
    /** @param {Guest} reason */
    async cancel(reason) {
      await own(cancelBy(this.#reader, reason));
    }
    releaseLock() {
      release(this.#reader);
    }
    static {
      realm.streamParts.ReadableStreamBYOBReader = (/** @type {Guest} */ value) =>
        partsOf(value.#reader, 'readIntoRequests');
    }
  }

  /** @type {Table<any>} */
  const classes = {
    __proto__: null,
    ReadableByteStreamController,
    ReadableStreamBYOBReader,
    ReadableStreamBYOBRequest,
  };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
  realm.newByobReader = (stream) => new ReadableStreamBYOBReader(stream);
});
