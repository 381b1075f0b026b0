// `pipeTo`, `pipeThrough` and `tee`.
(function streamPipes(/** @type {Realm} */ realm) {
  const { own, promises, readable, writable } = realm;
  const { failed, later, nothing, quiet, settled, when } = promises;

  const { invalid } = realm.readableStates;

  const STOPPED = { __proto__: null };

  // Waits until an internal promise is settled, fulfilled or rejected.
  /** @type {Realm['untilSettled']} */
  const untilSettled = (promise) => {
    const done = later();
    const resolve = () => done.resolve(undefined);
    when(promise, resolve, resolve);
    return own(done.promise);
  };

  // Why a pipe ends; undefined if it goes on.
  /** @param {ReadableState} from @param {WritableState} to @param {SignalObject | undefined} signal @returns {PipeEnd | undefined} */
  const findEnd = (from, to, signal) => {
    if (signal !== undefined && realm.isAborted(signal)) {
      return { __proto__: null, how: 'aborted', error: realm.reasonOf(signal) };
    }
    if (from.status === 'errored') return { __proto__: null, how: 'source', error: from.error };
    if (to.status === 'errored' || to.status === 'erroring') return { __proto__: null, how: 'target', error: to.error };
    if (from.status === 'closed') return { __proto__: null, how: 'done', error: undefined };
    if (writable.isClosing(to) || to.status === 'closed') {
      return { __proto__: null, how: 'target', error: invalid('Destination WritableStream is closed') };
    }
    return undefined;
  };

  // Whether a chunk that is being read is dropped.
  /** @param {PipeEnd | undefined} end */
  const isForced = (end) => end?.how === 'aborted' || end?.how === 'target';

  /** @param {WritableState} to */
  const closeTarget = (to) => {
    if (writable.isClosing(to) || to.status === 'closed') return settled(undefined).promise;
    return to.status === 'errored' ? failed(to.error).promise : writable.close(to);
  };

  // Aborts the target and cancels the source, both at once. Rejects as soon as one of them fails.
  /** @param {Guest} error @param {ReadableState} from @param {WritableState} to @param {PipeOptions} options */
  const stopBoth = (error, from, to, options) => {
    const stopped = later();
    let pending = 1;
    const done = () => {
      pending -= 1;
      if (pending === 0) stopped.resolve(undefined);
    };
    if (!options.preventAbort && to.status === 'writable') {
      pending += 1;
      when(writable.abort(to, error), done, stopped.reject);
    }
    if (!options.preventCancel && from.status === 'readable') {
      pending += 1;
      when(readable.cancel(from, error), done, stopped.reject);
    }
    done();
    return stopped.promise;
  };

  // Closes, aborts or cancels the other end. If that fails, its error takes the place of the pipe's.
  /** @param {PipeEnd} end @param {ReadableState} from @param {WritableState} to @param {PipeOptions} options */
  const finish = async ({ how, error }, from, to, options) => {
    if (how === 'done') {
      if (!options.preventClose) await own(closeTarget(to));
      return;
    }
    if (how === 'aborted') await own(stopBoth(error, from, to, options));
    else if (how === 'source' && !options.preventAbort) await own(writable.abort(to, error));
    else if (how === 'target' && !options.preventCancel) await own(readable.cancel(from, error));
    throw error;
  };

  // Moves the chunks. A target that is closing or failing is aborted in the same step, before it has ended.
  /** @param {ReadableState} from @param {WritableState} to @param {StreamReader} reader @param {StreamWriter} writer @param {PipeOptions} options */
  const pump = async (from, to, reader, writer, options) => {
    const { signal } = options;
    /** @type {PipeEnd | undefined} */
    let end;
    let wake = nothing;
    // While the target is full, the end of the source ends the pipe. A chunk that is being read is not dropped for it.
    let wakeWaiting = nothing;
    // The first reason to end counts, also if others follow before it is acted upon.
    const note = () => {
      end ??= findEnd(from, to, signal);
      wakeWaiting();
      if (isForced(end)) wake();
    };
    if (signal !== undefined) realm.onAbort(signal, note);
    when(writer.closed.promise, note, note);
    when(reader.closed.promise, note, note);
    // The promise's value, or STOPPED if the pipe is aborted or its target ends before.
    /** @param {Promise<unknown>} promise */
    const unlessStopped = (promise) => {
      const first = later();
      if (isForced(end)) first.resolve(STOPPED);
      wake = () => first.resolve(STOPPED);
      when(promise, first.resolve, () => first.resolve(STOPPED));
      return own(first.promise);
    };
    /** @type {Promise<unknown>} */
    let last = settled(undefined).promise;
    for (;;) {
      end ??= findEnd(from, to, signal);
      if (end !== undefined) {
        if (to.status === 'writable' && !writable.isClosing(to)) await untilSettled(last);
        await own(finish(end, from, to, options));
        return;
      }
      if (to.isFull) {
        const changed = later();
        wakeWaiting = () => changed.resolve(undefined);
        when(writer.ready.promise, wakeWaiting, wakeWaiting);
        await own(changed.promise);
        wakeWaiting = nothing;
        continue;
      }
      const step = await unlessStopped(readable.read(reader));
      if (step === STOPPED || step.done) continue;
      last = writable.write(writer, step.value);
      quiet(last);
    }
  };

  /** @param {Guest} init */
  const readOptions = (init) => {
    const { preventAbort, preventCancel, preventClose, signal } = init ?? { __proto__: null };
    if (signal !== undefined && !realm.isSignal(signal))
      throw realm.wrongType('options.signal', 'an instance of AbortSignal', signal);
    return {
      __proto__: null,
      preventAbort: !!preventAbort,
      preventCancel: !!preventCancel,
      preventClose: !!preventClose,
      signal,
    };
  };

  /** @param {ReadableState} from @param {WritableState} to @param {PipeOptions} options */
  const run = async (from, to, options) => {
    const reader = readable.acquire(from);
    const writer = writable.acquire(to);
    try {
      await own(pump(from, to, reader, writer, options));
    } finally {
      writable.release(writer);
      readable.release(reader);
    }
  };

  /** @param {ReadableState} from @param {WritableState} to */
  const needUnlocked = (from, to) => {
    if (from.reader !== undefined) throw invalid('The ReadableStream is locked');
    if (to.writer !== undefined) throw invalid('The WritableStream is locked');
  };

  realm.pipeStream = async (stream, target, init) => {
    if (!writable.isStream(target))
      throw realm.wrongType('transform.writable', 'an instance of WritableStream', target);
    const options = readOptions(init);
    const from = readable.stateOf(stream);
    const to = writable.stateOf(target);
    needUnlocked(from, to);
    await own(run(from, to, options));
  };

  realm.pipeThroughPair = (stream, pair, init) => {
    const out = pair?.readable;
    if (!readable.isStream(out)) throw realm.wrongType('transform.readable', 'an instance of ReadableStream', out);
    const into = pair.writable;
    if (!writable.isStream(into)) throw realm.wrongType('transform.writable', 'an instance of WritableStream', into);
    const options = readOptions(init);
    const from = readable.stateOf(stream);
    const to = writable.stateOf(into);
    needUnlocked(from, to);
    // Both ends get a failure; this promise is not awaited.
    quiet(run(from, to, options));
    return out;
  };

  realm.teeStream = (stream) => {
    const from = readable.stateOf(stream);
    const isBytes = from.bytes !== undefined;
    let reader = readable.acquire(from);
    const cancelled = later();
    /** @type {Internal & { [index: number]: ReadableState }} */
    const branches = { __proto__: null };
    /** @type {Internal & { [index: number]: boolean }} */
    const cancelledBranches = { __proto__: null, 0: false, 1: false };
    /** @type {Internal & { [index: number]: Guest }} */
    const reasons = { __proto__: null, 0: undefined, 1: undefined };
    let isReading = false;
    /** @type {Internal & { [index: number]: boolean }} */
    const again = { __proto__: null, 0: false, 1: false };
    /** @param {number} index */
    const isOpen = (index) => !cancelledBranches[index] && branches[index].status === 'readable';
    /** @param {(branch: ReadableState) => void} act */
    const each = (act) => {
      for (let i = 0; i < 2; i++) if (isOpen(i)) act(branches[i]);
    };
    const settle = () => {
      if (!cancelledBranches[0] || !cancelledBranches[1]) cancelled.resolve(undefined);
    };
    // A byte stream fills the view of a branch, if one waits.
    /** @param {boolean} isByob */
    const useReader = (isByob) => {
      if (reader.isByob === isByob) return;
      readable.release(reader);
      reader = readable.acquire(from, undefined, isByob);
      watch();
    };
    const watch = () => {
      const watched = reader;
      when(watched.closed.promise, nothing, (error) => {
        if (watched !== reader) return;
        each((/** @type {ReadableState} */ branch) => readable.fail(branch, error));
        settle();
      });
    };
    // A branch whose view holds part of an element fails instead, and its reader gets the error.
    /** @param {ReadableState} branch */
    const closeBranch = (branch) => {
      try {
        readable.closeOnly(branch);
      } catch {}
    };
    /** @param {number} owner @param {boolean} isByob @param {StreamStep} step */
    const deliver = (owner, isByob, { done, value }) => {
      const other = 1 - owner;
      const filled = isByob && value !== undefined && isOpen(owner) ? realm.placeOf(value) : undefined;
      if (done) {
        each(closeBranch);
        if (filled !== undefined && branches[owner].status === 'closed') branches[owner].bytes?.respondWith(filled);
        for (let i = 0; i < 2; i++) branches[i].bytes?.finish();
        settle();
        return;
      }
      const bytes = isBytes && isOpen(other) ? realm.bytesOf(value) : undefined;
      const copy = bytes === undefined ? value : realm.copyBytes(bytes, 0, realm.typedArrayBytes(bytes));
      if (filled !== undefined) branches[owner].bytes?.respondWith(filled);
      else if (isOpen(owner)) readable.enqueue(branches[owner], value);
      if (isOpen(other)) readable.enqueue(branches[other], copy);
    };
    /** @param {number} index */
    const pull = async (index) => {
      if (isReading) {
        again[index] = true;
        return;
      }
      isReading = true;
      const request = branches[index].bytes?.request();
      const isByob = request !== undefined;
      if (isBytes) useReader(isByob);
      const view = isByob ? realm.placeOf(request.view) : undefined;
      const { bytes } = from;
      const step = bytes && view ? bytes.readInto(reader, view, 1) : readable.read(reader);
      const good = (/** @type {StreamStep} */ result) => {
        again[0] = again[1] = false;
        deliver(isByob ? index : 0, isByob, result);
        isReading = false;
        if (again[0]) pull(0);
        else if (again[1]) pull(1);
      };
      when(step, good, nothing);
    };
    /** @param {number} index */
    const newBranch = (index) => {
      /** @param {Guest} reason */
      const cancel = async (reason) => {
        cancelledBranches[index] = true;
        reasons[index] = reason;
        if (cancelledBranches[1 - index]) {
          when(readable.cancel(from, [reasons[0], reasons[1]]), cancelled.resolve, cancelled.reject);
        }
        await own(cancelled.promise);
      };
      const more = () => pull(index);
      const branch = isBytes ? readable.newByteStream(more, cancel) : readable.newStream(more, cancel, 1);
      branches[index] = readable.stateOf(branch);
      return branch;
    };
    const streams = [newBranch(0), newBranch(1)];
    watch();
    quiet(cancelled.promise);
    return streams;
  };

  realm.untilSettled = untilSettled;
});
