// The queue of a byte stream, and the views that its readers want filled, first come, first served.
(function byteQueues(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { ArrayBuffer, Uint8Array, bufferBytes, bufferTransfer, copyBytes, list, min, promises, push } = realm;
  const { typedArrayBuffer, typedArrayBytes, typedArrayName, typedArrayOffset, typedArraySet } = realm;
  const { failed, later, newQueue, peek, put, settled, sizeOf, take } = promises;
  const { afterChunk, fail, invalid, nextChunk, pullMore } = realm.readableStates;

  /** @param {Guest} View @param {number} unit @param {ArrayBuffer} data @param {number} offset @param {number} length @returns {Place} */
  const place = (View, unit, data, offset, length) => ({ __proto__: null, View, unit, data, offset, length });
  // Where a view lies; undefined for other values.
  /** @type {Realm['placeOf']} */
  const placeOf = (view) => {
    const name = typedArrayName(view);
    if (name !== undefined) {
      const View = realm.views[name];
      const unit = View.BYTES_PER_ELEMENT;
      return place(View, unit, typedArrayBuffer(view), typedArrayOffset(view), typedArrayBytes(view));
    }
    if (native.classOf(view) !== 'DataView') return undefined;
    return place(realm.DataView, 1, realm.viewBuffer(view), realm.viewOffset(view), realm.viewBytes(view));
  };

  /** @param {ArrayBuffer} data @param {number} [offset] @param {number} [size] */
  const bytesAt = (data, offset, size) => new Uint8Array(data, offset, size);

  /** @type {Realm['newByteQueue']} */
  const newByteQueue = (state, chunkSize) => {
    /** @type {Queue<WantedView>} */
    let wanted = newQueue();
    /** @type {ByobRequest | undefined} */
    let request;

    /** @param {Place} at @param {WantedView['by']} by @param {number} least @returns {WantedView} */
    const want = (at, by, least) => ({ __proto__: null, ...at, whole: bufferBytes(at.data), filled: 0, least, by });
    const endRequest = () => {
      if (request !== undefined) request.isOver = true;
      request = undefined;
    };

    /** @param {ArrayBuffer} data @param {number} offset @param {number} size */
    const add = (data, offset, size) => {
      put(state.queue, { __proto__: null, chunk: bytesAt(data, offset, size), size });
      state.held += size;
    };
    /** @param {ArrayBuffer} data @param {number} offset @param {number} size */
    const addCopy = (data, offset, size) =>
      add(typedArrayBuffer(copyBytes(bytesAt(data), offset, offset + size)), 0, size);
    // Keeps what was written for a reader that has released the stream.
    /** @param {WantedView} view */
    const keepFilled = (view) => {
      if (view.filled > 0) addCopy(view.data, view.offset, view.filled);
      take(wanted);
    };

    // Whether the queue had enough bytes for the view.
    /** @param {WantedView} view */
    const fill = (view) => {
      const most = min(view.filled + state.held, view.length);
      const whole = most - (most % view.unit);
      const isEnough = whole >= view.least;
      const target = bytesAt(view.data);
      for (const end = isEnough ? whole : most; view.filled < end; ) {
        const { chunk, size } = peek(state.queue);
        const count = min(end - view.filled, size);
        const from = typedArrayOffset(chunk);
        typedArraySet(target, bytesAt(typedArrayBuffer(chunk), from, count), view.offset + view.filled);
        state.held -= count;
        view.filled += count;
        if (count === size) take(state.queue);
        else {
          const { queue } = state;
          const rest = bytesAt(typedArrayBuffer(chunk), from + count, size - count);
          queue.items[queue.first] = { __proto__: null, chunk: rest, size: size - count };
        }
      }
      return isEnough;
    };
    /** @returns {List<WantedView>} */
    const fillAll = () => {
      /** @type {List<WantedView>} */
      const filled = list();
      while (sizeOf(wanted) > 0 && state.held > 0 && fill(peek(wanted))) push(filled, take(wanted));
      return filled;
    };
    /** @param {WantedView} view */
    const viewOf = (view) => new view.View(bufferTransfer(view.data), view.offset, view.filled / view.unit);
    /** @param {WantedView} view */
    const deliver = (view) => {
      const { newStep, requests } = /** @type {StreamReader} */ (state.reader);
      take(requests).resolve(newStep(viewOf(view), state.status === 'closed'));
    };
    /** @param {List<WantedView>} views */
    const deliverAll = (views) => {
      for (let i = 0; i < views.length; i++) deliver(views[i]);
    };

    /** @type {ByteQueue['enqueue']} */
    const enqueue = (chunk) => {
      const { data: given, offset, length } = /** @type {Place} */ (placeOf(chunk));
      const data = bufferTransfer(given);
      if (sizeOf(wanted) > 0) {
        const first = peek(wanted);
        if (realm.bufferDetached(first.data)) throw invalid('Destination ArrayBuffer is detached');
        endRequest();
        first.data = bufferTransfer(first.data);
        if (first.by === 'none') keepFilled(first);
      }
      const { reader } = state;
      if (reader === undefined || reader.isByob) {
        add(data, offset, length);
        if (reader !== undefined) deliverAll(fillAll());
        return;
      }
      const { newStep, requests } = reader;
      while (sizeOf(requests) > 0 && state.held > 0) take(requests).resolve(newStep(nextChunk(state), false));
      if (sizeOf(requests) === 0) add(data, offset, length);
      else {
        if (sizeOf(wanted) > 0) take(wanted);
        take(requests).resolve(newStep(bytesAt(data, offset, length), false));
      }
    };

    // After the source has written into the first view.
    /** @param {WantedView} first @param {number} count */
    const written = (first, count) => {
      endRequest();
      if (state.status === 'closed') {
        if (first.by === 'none') take(wanted);
        const { reader } = state;
        if (reader?.isByob) for (let left = sizeOf(reader.requests); left > 0; left--) deliver(take(wanted));
      } else {
        first.filled += count;
        if (first.by === 'none') {
          keepFilled(first);
          deliverAll(fillAll());
        } else if (first.filled >= first.least) {
          take(wanted);
          const rest = first.filled % first.unit;
          if (rest > 0) addCopy(first.data, first.offset + first.filled - rest, rest);
          first.filled -= rest;
          const filled = fillAll();
          deliver(first);
          deliverAll(filled);
        }
      }
      pullMore(state);
    };
    // The view that the source has written `count` bytes into.
    /** @param {number} count @param {string} name */
    const answered = (count, name) => {
      if ((state.status === 'closed') !== (count === 0))
        throw new realm.TypeError(`The argument '${name}' is invalid. Received ${count} bytes`);
      const first = peek(wanted);
      if (first.filled + count > first.length)
        throw new realm.RangeError(`The argument '${name}' is invalid. Received ${count} bytes`);
      return first;
    };
    /** @type {ByteQueue['respond']} */
    const respond = (count) => {
      const first = answered(count, 'bytesWritten');
      first.data = bufferTransfer(first.data);
      written(first, count);
    };
    /** @type {ByteQueue['respondWith']} */
    const respondWith = ({ data, offset, length }) => {
      const first = answered(length, 'view');
      if (first.offset + first.filled !== offset || first.whole !== bufferBytes(data))
        throw new realm.RangeError("The argument 'view' is invalid. Received a view of another part");
      first.data = bufferTransfer(data);
      written(first, length);
    };

    /** @type {ByteQueue['readInto']} */
    const readInto = (reader, at, least) => {
      state.disturbed = true;
      if (state.status === 'errored') return failed(state.error).promise;
      const view = want(at, 'byob', least * at.unit);
      view.data = bufferTransfer(at.data);
      const isFirst = sizeOf(wanted) === 0;
      if (isFirst && state.status === 'closed') return settled(reader.newStep(viewOf(view), true)).promise;
      if (isFirst && state.held > 0) {
        if (fill(view)) {
          const value = viewOf(view);
          afterChunk(state);
          return settled(reader.newStep(value, false)).promise;
        }
        if (state.closing) {
          const error = invalid('ReadableStream closed');
          fail(state, error);
          return failed(error).promise;
        }
      }
      const answer = later();
      put(wanted, view);
      put(reader.requests, answer);
      if (isFirst) pullMore(state);
      return answer.promise;
    };

    return {
      __proto__: null,
      enqueue,
      readInto,
      respond,
      respondWith,
      // The data that a read without a view is to fill, if the source wants one.
      allocate: () => {
        if (chunkSize === undefined) return;
        const data = new ArrayBuffer(chunkSize);
        put(wanted, want(place(Uint8Array, 1, data, 0, chunkSize), 'default', 1));
      },
      checkEnd: () => {
        const first = sizeOf(wanted) === 0 ? undefined : peek(wanted);
        if (first === undefined || first.filled % first.unit === 0) return;
        const error = invalid('Partial read');
        fail(state, error);
        throw error;
      },
      // Ends the reads that wait, after the stream has closed.
      finish: () => {
        if (sizeOf(wanted) > 0 && state.status === 'closed') respond(0);
      },
      forget: () => {
        endRequest();
        wanted = newQueue();
      },
      released: () => {
        if (sizeOf(wanted) === 0) return;
        const first = peek(wanted);
        first.by = 'none';
        wanted = newQueue();
        put(wanted, first);
      },
      request: () => {
        if (request !== undefined || sizeOf(wanted) === 0) return request;
        const { data, offset, length, filled } = peek(wanted);
        const view = bytesAt(data, offset + filled, length - filled);
        request = { __proto__: null, state, view, isOver: false, object: undefined };
        return request;
      },
    };
  };

  realm.placeOf = placeOf;
  realm.newByteQueue = newByteQueue;
});
