// `pipeTo`, `pipeThrough` and `tee`.
(function streamPipes(/** @type {Realm} */ realm) {
  const { own, promises, readable, writable } = realm;
  const { later, nothing, quiet, settled, when } = promises;

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
      return { __proto__: null, how: 'target', error: new realm.TypeError('The target of the pipe is closed') };
    }
    return undefined;
  };

  /** @param {ReadableState} from @param {WritableState} to @param {StreamReader} reader @param {StreamWriter} writer @param {SignalObject | undefined} signal */
  const pump = async (from, to, reader, writer, signal) => {
    let isStopped = false;
    let wake = nothing;
    const stop = () => {
      isStopped = true;
      wake();
    };
    if (signal !== undefined) realm.onAbort(signal, stop);
    when(writer.closed.promise, stop, stop);
    // The promise's value, or STOPPED if the pipe is stopped before.
    /** @param {Promise<unknown>} promise */
    const unlessStopped = (promise) => {
      const first = later();
      if (isStopped) first.resolve(STOPPED);
      wake = () => first.resolve(STOPPED);
      when(promise, first.resolve, () => first.resolve(STOPPED));
      return own(first.promise);
    };
    /** @type {Promise<unknown>} */
    let last = settled(undefined).promise;
    for (;;) {
      const end = findEnd(from, to, signal);
      if (end !== undefined) {
        if (end.how !== 'target') await untilSettled(last);
        return end;
      }
      if (to.isFull) {
        await unlessStopped(writer.ready.promise);
        continue;
      }
      const step = await unlessStopped(readable.read(reader));
      if (step === STOPPED || step.done) continue;
      last = writable.write(writer, step.value);
      quiet(last);
    }
  };

  /** @param {PipeEnd} end @param {ReadableState} from @param {WritableState} to @param {PipeOptions} options */
  const finish = async (end, from, to, options) => {
    const { how, error } = end;
    if (how === 'done') {
      const isOver = writable.isClosing(to) || to.status === 'closed';
      if (!options.preventClose && !isOver) await own(writable.close(to));
      return;
    }
    if (how !== 'target' && !options.preventAbort) await untilSettled(writable.abort(to, error));
    if (how !== 'source' && !options.preventCancel) await untilSettled(readable.cancel(from, error));
    throw error;
  };

  /** @param {Guest} init */
  const readOptions = (init) => {
    const { preventAbort, preventCancel, preventClose, signal } = init ?? { __proto__: null };
    if (signal !== undefined && !realm.isSignal(signal))
      throw new realm.TypeError('The signal of a pipe must be an AbortSignal');
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
      const end = await own(pump(from, to, reader, writer, options.signal));
      await own(finish(end, from, to, options));
    } finally {
      writable.release(writer);
      readable.release(reader);
    }
  };

  realm.pipeStream = async (stream, target, init) => {
    if (!writable.isStream(target)) throw new realm.TypeError('ReadableStream.pipeTo needs a WritableStream');
    const options = readOptions(init);
    const from = readable.stateOf(stream);
    const to = writable.stateOf(target);
    if (from.reader !== undefined || to.writer !== undefined)
      throw new realm.TypeError('A stream of the pipe is locked');
    await own(run(from, to, options));
  };

  realm.pipeThroughPair = (stream, pair, init) => {
    if (pair === undefined || pair === null)
      throw new realm.TypeError('ReadableStream.pipeThrough needs a pair of streams');
    const { readable: out, writable: into } = pair;
    if (!readable.isStream(out) || !writable.isStream(into)) {
      throw new realm.TypeError('ReadableStream.pipeThrough needs { readable, writable }');
    }
    const options = readOptions(init);
    const from = readable.stateOf(stream);
    const to = writable.stateOf(into);
    if (from.reader !== undefined || to.writer !== undefined)
      throw new realm.TypeError('A stream of the pipe is locked');
    // Both ends get a failure; this promise is not awaited.
    quiet(run(from, to, options));
    return out;
  };

  realm.teeStream = (stream) => {
    const from = readable.stateOf(stream);
    const reader = readable.acquire(from);
    const cancelled = later();
    /** @type {Internal & { [index: number]: ReadableState }} */
    const branches = { __proto__: null };
    /** @type {Internal & { [index: number]: boolean }} */
    const cancelledBranches = { __proto__: null, 0: false, 1: false };
    /** @type {Internal & { [index: number]: Guest }} */
    const reasons = { __proto__: null, 0: undefined, 1: undefined };
    let isReading = false;
    let again = false;
    /** @param {(branch: ReadableState) => void} act */
    const each = (act) => {
      for (let i = 0; i < 2; i++) if (!cancelledBranches[i] && branches[i].status === 'readable') act(branches[i]);
    };
    const pull = async () => {
      if (isReading) {
        again = true;
        return;
      }
      isReading = true;
      const good = (/** @type {StreamStep} */ { done, value }) => {
        isReading = false;
        if (done) {
          each(readable.close);
          if (!cancelledBranches[0] || !cancelledBranches[1]) cancelled.resolve(undefined);
          return;
        }
        each((/** @type {ReadableState} */ branch) => readable.enqueue(branch, value));
        if (!again) return;
        again = false;
        pull();
      };
      when(readable.read(reader), good, nothing);
    };
    /** @param {0 | 1} index */
    const cancel = (index) => async (/** @type {Guest} */ reason) => {
      cancelledBranches[index] = true;
      reasons[index] = reason;
      if (cancelledBranches[1 - index]) {
        when(readable.cancel(from, [reasons[0], reasons[1]]), cancelled.resolve, cancelled.reject);
      }
      await own(cancelled.promise);
    };
    const streams = [readable.newStream(pull, cancel(0), 0), readable.newStream(pull, cancel(1), 0)];
    branches[0] = readable.stateOf(streams[0]);
    branches[1] = readable.stateOf(streams[1]);
    when(reader.closed.promise, nothing, (error) => {
      each((/** @type {ReadableState} */ branch) => readable.fail(branch, error));
      if (!cancelledBranches[0] || !cancelledBranches[1]) cancelled.resolve(undefined);
    });
    quiet(cancelled.promise);
    return streams;
  };

  realm.untilSettled = untilSettled;
});
