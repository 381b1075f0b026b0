// `structuredClone` with `transfer`.
//
// A transfer cannot be undone, so the value is copied first, with marks in place of what is transferred. Only then are the
// objects moved, and a second copy, of data that no guest can reach, gets them in place of the marks.
(function transfers(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { DOMException, MOVES, ReflectConstruct, bufferDetached, bufferTransfer, copyWith, iterator } = realm;
  const { list, mapGet, mapSet, own, push } = realm;

  /** @param {string} what */
  const refuse = (what) => {
    throw new DOMException(what, 'DataCloneError');
  };

  // A copy of what crosses a transferred stream; for an error that cannot be copied, the error of copying it.
  /** @param {Guest} error */
  const copyOfError = (error) => {
    try {
      return realm.cloneValue(error);
    } catch (refused) {
      return refused;
    }
  };

  /** @param {ReadableState} from */
  const moveReadable = (from) => {
    const { acquire, cancel, close, enqueue, fail, newStream, read, stateOf } = realm.readable;
    const { nothing, when } = realm.promises;
    const reader = acquire(from);
    /** @type {ReadableState} */
    let to;
    const pull = async () => {
      const { done, value } = await own(read(reader));
      if (done) {
        close(to);
        return;
      }
      try {
        enqueue(to, realm.cloneValue(value));
      } catch (error) {
        await realm.untilSettled(cancel(from, error));
        throw error;
      }
    };
    const stream = newStream(pull, (reason) => cancel(from, copyOfError(reason)), 0);
    to = stateOf(stream);
    when(reader.closed.promise, nothing, (error) => fail(to, copyOfError(error)));
    return stream;
  };

  /** @param {WritableState} into */
  const moveWritable = (into) => {
    const { abort, acquire, close, fail, newStream, stateOf, write } = realm.writable;
    const { nothing, when } = realm.promises;
    const writer = acquire(into);
    const stream = newStream(
      {
        __proto__: null,
        write: async (chunk) => {
          await own(writer.ready.promise);
          await own(write(writer, realm.cloneValue(chunk)));
        },
        close: () => close(into),
        abort: (reason) => abort(into, copyOfError(reason)),
      },
      { __proto__: null, most: 1, size: undefined },
    );
    when(writer.closed.promise, nothing, (error) => fail(stateOf(stream), copyOfError(error)));
    return stream;
  };

  /** @param {ReadableState} state */
  const moverOfReadable = (state) => (state.reader === undefined ? () => moveReadable(state) : undefined);
  /** @param {WritableState} state */
  const moverOfWritable = (state) => (state.writer === undefined ? () => moveWritable(state) : undefined);

  // The function that moves a stream; undefined for other objects. Before the streams are built, no object is one.
  /** @param {Guest} object */
  const moverOfStream = (object) => {
    const { readable, writable } = realm;
    if (readable?.isStream(object))
      return moverOfReadable(readable.stateOf(object)) ?? refuse('Cannot transfer a locked ReadableStream');
    if (writable?.isStream(object))
      return moverOfWritable(writable.stateOf(object)) ?? refuse('Cannot transfer a locked WritableStream');
    const ends = realm.endsOfTransform?.(object);
    if (ends === undefined) return undefined;
    const moveOut = moverOfReadable(readable.stateOf(ends.readable));
    const moveInto = moverOfWritable(writable.stateOf(ends.writable));
    if (moveOut === undefined || moveInto === undefined) return refuse('Cannot transfer a locked TransformStream');
    return () => realm.transformOf({ __proto__: null, readable: moveOut(), writable: moveInto() });
  };

  /** @param {Guest} object */
  const moverOf = (object) => {
    if (native.classOf(object) !== 'ArrayBuffer')
      return moverOfStream(object) ?? refuse('Found invalid value in transferList.');
    if (bufferDetached(object)) return refuse('Cannot transfer object of unsupported type.');
    return () => bufferTransfer(object);
  };

  /** @param {Guest} transfer */
  const objectsOf = (transfer) => {
    if (transfer === null || typeof transfer !== 'object' || typeof transfer[iterator] !== 'function')
      throw new realm.TypeError(
        "Failed to execute 'structuredClone': transfer in Options cannot be converted to sequence.",
      );
    const objects = list();
    for (const object of transfer) {
      if ((typeof object !== 'object' && typeof object !== 'function') || object === null)
        throw new realm.TypeError(
          `Failed to execute 'structuredClone': transfer in Options[${objects.length}] is not an object.`,
        );
      push(objects, object);
    }
    return objects;
  };

  realm.cloneAndTransfer = (value, transfer) => {
    const objects = objectsOf(transfer);
    /** @type {Map<Guest, Guest>} */
    const seen = ReflectConstruct(realm.Map, []);
    /** @type {Map<Guest, Guest>} */
    const marks = ReflectConstruct(realm.Map, []);
    for (let i = 0; i < objects.length; i++) {
      if (mapGet(seen, objects[i]) !== undefined) refuse('Transfer list contains duplicate ArrayBuffer');
      moverOf(objects[i]);
      const mark = { __proto__: null };
      mapSet(seen, objects[i], mark);
      mapSet(marks, mark, mark);
    }
    const views = list();
    const kept = list();
    /** @type {Moves} */
    const moves = {
      __proto__: null,
      isMark: (copy) => mapGet(marks, copy) !== undefined,
      viewMark: (buffer, Type, offset, length) => {
        const view = { __proto__: null, mark: { __proto__: null }, from: buffer, Type, offset, length };
        push(views, view);
        return view.mark;
      },
      keep: (copy) => push(kept, copy),
    };
    mapSet(seen, MOVES, moves);
    const copy = copyWith(value, seen);
    // Getters of the value may have detached or locked an object.
    const movers = list();
    for (let i = 0; i < objects.length; i++) push(movers, moverOf(objects[i]));
    /** @type {Map<Guest, Guest>} */
    const moved = ReflectConstruct(realm.Map, []);
    for (let i = 0; i < objects.length; i++) mapSet(moved, mapGet(seen, objects[i]), movers[i]());
    for (let i = 0; i < views.length; i++) {
      const { mark, from, Type, offset, length } = views[i];
      mapSet(moved, mark, new Type(mapGet(moved, from), offset, length));
    }
    for (let i = 0; i < kept.length; i++) mapSet(moved, kept[i], kept[i]);
    return copyWith(copy, moved);
  };
});
