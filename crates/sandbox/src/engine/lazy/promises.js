// Internal promises, independent of changes that a guest makes to `Promise.prototype`.
(function promises(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Promise, ReflectApply, own } = realm;

  // A promise with the functions that settle it.
  /** @type {RealmPromises['later']} */
  const later = () => {
    /** @type {Guest} */
    const out = { __proto__: null, promise: undefined, resolve: undefined, reject: undefined };
    out.promise = new Promise((resolve, reject) => {
      out.resolve = resolve;
      out.reject = reject;
    });
    return out;
  };
  /** @type {RealmPromises['settled']} */
  const settled = (value) => {
    const out = later();
    out.resolve(value);
    return out;
  };
  /** @type {RealmPromises['failed']} */
  const failed = (error) => {
    const out = later();
    native.markHandled(out.promise);
    out.reject(error);
    return out;
  };

  /** @param {Guest} value @param {object | undefined} last */
  const argumentsOf = (value, last) => {
    if (last === undefined) return value === NONE ? [] : [value];
    return value === NONE ? [last] : [value, last];
  };
  // A guest's function as an async function: its result or error is in a promise.
  /** @type {RealmPromises['wrap']} */
  const wrap = (callback, self, last) => {
    if (callback === undefined) return undefined;
    /** @type {AsyncCallback} */
    const wrapped = async (value) => ReflectApply(callback, self, argumentsOf(value, last));
    return wrapped;
  };
  const NONE = { __proto__: null };
  // Calls an internal function, if there is one.
  /** @type {RealmPromises['invoke']} */
  const invoke = (callback, value) => (callback === undefined ? settled(undefined).promise : callback(value));
  /** @type {RealmPromises['valueOf']} */
  const valueOf = async (value) => value;

  // For internal promises; neither callback may throw.
  /** @type {RealmPromises['when']} */
  const when = async (promise, good, bad) => {
    let value;
    try {
      value = await own(promise);
    } catch (error) {
      bad(error);
      return;
    }
    good(value);
  };

  // First in, first out.
  const newQueue = () => ({ __proto__: null, first: 0, end: 0, items: { __proto__: null } });
  /** @type {RealmPromises['put']} */
  const put = (queue, item) => {
    queue.items[queue.end] = item;
    queue.end += 1;
  };
  /** @type {RealmPromises['take']} */
  const take = (queue) => {
    const item = queue.items[queue.first];
    delete queue.items[queue.first];
    queue.first += 1;
    return item;
  };

  realm.promises = {
    __proto__: null,
    later,
    settled,
    failed,
    NONE,
    wrap,
    invoke,
    valueOf,
    when,
    quiet: native.markHandled,
    newQueue,
    put,
    take,
    /** @param {Queue<Guest>} queue */
    sizeOf: (queue) => queue.end - queue.first,
    /** @param {Queue<Guest>} queue */
    peek: (queue) => queue.items[queue.first],
    nothing: () => {},
  };

  // A function of a guest's object, or undefined.
  realm.optionalFunction = (object, name, owner) => {
    const value = object[name];
    if (value === undefined || typeof value === 'function') return value;
    throw realm.wrongType(`${owner}.${name}`, 'of type function', value);
  };

  // Reads a queuing strategy: the high-water mark and the size function.
  realm.readStrategy = (strategy, standard) => {
    const { highWaterMark, size } = strategy ?? { __proto__: null };
    const most = highWaterMark === undefined ? standard : +highWaterMark;
    if (size !== undefined && typeof size !== 'function')
      throw realm.wrongType('strategy.size', 'of type function', size);
    if (!(most >= 0)) throw new realm.RangeError(`The property 'strategy.highWaterMark' is invalid. Received ${most}`);
    return { __proto__: null, most, size };
  };
  realm.sizeOfChunk = (size, chunk) => {
    const measured = size === undefined ? 1 : +size(chunk);
    if (measured >= 0 && measured !== 1 / 0) return measured;
    throw new realm.RangeError(`The argument 'size' is invalid. Received ${measured}`);
  };
});
