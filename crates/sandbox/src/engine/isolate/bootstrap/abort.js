// `AbortController` and `AbortSignal`.
(function abort(/** @type {Realm} */ realm) {
  const { DOMException, EventTarget, addListener, dispatch, give, list, newTrustedEvent, push, startTimer, tag } =
    realm;

  const KEY = { __proto__: null };
  /** @type {Realm['abortSignal']} */
  let abortSignal;
  /** @type {Realm['isSignal']} */
  let isSignal;
  /** @type {Realm['isAborted']} */
  let isAborted;
  /** @type {Realm['reasonOf']} */
  let reasonOf;
  /** @type {(signal: SignalObject, sources: List<SignalObject>) => void} */
  let follow;

  class AbortSignal extends EventTarget {
    #aborted = false;
    /** @type {Guest} */
    #reason;
    #handler = null;
    // Internal callbacks, called before the listeners of the guest.
    #tasks = list();
    // Signals that follow this one.
    #followers = list();
    /** @param {Guest} key */
    constructor(key) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor');
      super();
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    get onabort() {
      return this.#handler;
    }
    set onabort(handler) {
      if (this.#handler !== null) realm.removeListener(this, 'abort', this.#handler);
      this.#handler = typeof handler === 'function' ? handler : null;
      if (this.#handler !== null) addListener(this, 'abort', this.#handler);
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    /** @param {Guest} reason */
    static abort(reason) {
      const signal = new AbortSignal(KEY);
      abortSignal(signal, reason);
      return signal;
    }
    /** @param {Guest} milliseconds */
    static timeout(milliseconds) {
      const signal = new AbortSignal(KEY);
      const expire = () =>
        abortSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
      startTimer('setTimeout', expire, milliseconds, []);
      return signal;
    }
    /** @param {Guest} signals */
    static any(signals) {
      const signal = new AbortSignal(KEY);
      const sources = list();
      for (const source of signals) {
        if (!isSignal(source)) throw new realm.TypeError('signals[0] is not of type AbortSignal.');
        if (isAborted(source)) {
          abortSignal(signal, reasonOf(source));
          return signal;
        }
        push(sources, source);
      }
      follow(signal, sources);
      return signal;
    }
    static {
      isSignal = (value) => value !== null && typeof value === 'object' && #aborted in value;
      isAborted = (signal) => signal.#aborted;
      reasonOf = (signal) => signal.#reason;
      realm.onAbort = (signal, task) => push(signal.#tasks, task);
      follow = (signal, sources) => {
        for (let i = 0; i < sources.length; i++) push(sources[i].#followers, signal);
      };
      /** @param {SignalObject} signal */
      const notify = (signal) => {
        const tasks = signal.#tasks;
        signal.#tasks = list();
        for (let i = 0; i < tasks.length; i++) tasks[i]();
        dispatch(signal, newTrustedEvent('abort'));
      };
      abortSignal = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
        // All dependent signals are marked as aborted before any listener is called.
        const aborted = list();
        push(aborted, signal);
        for (let i = 0; i < aborted.length; i++) {
          const followers = aborted[i].#followers;
          aborted[i].#followers = list();
          for (let j = 0; j < followers.length; j++) {
            if (followers[j].#aborted) continue;
            followers[j].#aborted = true;
            followers[j].#reason = signal.#reason;
            push(aborted, followers[j]);
          }
        }
        for (let i = 0; i < aborted.length; i++) notify(aborted[i]);
      };
    }
  }

  class AbortController {
    #signal = new AbortSignal(KEY);
    get signal() {
      return this.#signal;
    }
    /** @param {Guest} reason */
    abort(reason) {
      abortSignal(this.#signal, reason);
    }
  }

  // Makes an internal signal follow another one.
  realm.followSignal = (signal, source) => {
    if (isAborted(source)) abortSignal(signal, reasonOf(source));
    else follow(signal, { __proto__: null, length: 1, 0: source });
  };
  realm.abortSignal = abortSignal;
  realm.newSignal = () => new AbortSignal(KEY);
  realm.isSignal = isSignal;
  realm.isAborted = isAborted;
  realm.reasonOf = reasonOf;
  tag('AbortSignal', AbortSignal);
  give('AbortSignal', AbortSignal);
  tag('AbortController', AbortController);
  give('AbortController', AbortController);
});
