// `AbortController` and `AbortSignal`.
(function abort(realm) {
  const { DOMException, Event, EventTarget, addListener, dispatch, give, startTimer, tag } = realm;

  const KEY = {};
  let abortSignal;
  let isSignal;
  let isAborted;
  let reasonOf;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #handler = null;
    constructor(key) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: use AbortController or AbortSignal.timeout');
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
      if (this.#handler !== null) this.removeEventListener('abort', this.#handler);
      this.#handler = typeof handler === 'function' ? handler : null;
      if (this.#handler !== null) addListener(this, 'abort', this.#handler);
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    static abort(reason) {
      const signal = new AbortSignal(KEY);
      abortSignal(signal, reason);
      return signal;
    }
    static timeout(milliseconds) {
      const signal = new AbortSignal(KEY);
      const expire = () => abortSignal(signal, new DOMException('The operation timed out', 'TimeoutError'));
      startTimer('setTimeout', expire, milliseconds, []);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(KEY);
      for (const source of signals) {
        if (!isSignal(source)) throw new realm.TypeError('AbortSignal.any needs signals');
        if (isAborted(source)) {
          abortSignal(signal, reasonOf(source));
          return signal;
        }
        addListener(source, 'abort', () => abortSignal(signal, reasonOf(source)));
      }
      return signal;
    }
    static {
      isSignal = (value) => value !== null && typeof value === 'object' && #aborted in value;
      isAborted = (signal) => signal.#aborted;
      reasonOf = (signal) => signal.#reason;
      abortSignal = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
        dispatch(signal, new Event('abort'));
      };
    }
  }

  class AbortController {
    #signal = new AbortSignal(KEY);
    get signal() {
      return this.#signal;
    }
    abort(reason) {
      abortSignal(this.#signal, reason);
    }
  }

  realm.isSignal = isSignal;
  realm.isAborted = isAborted;
  realm.reasonOf = reasonOf;
  tag('AbortSignal', AbortSignal);
  give('AbortSignal', AbortSignal);
  tag('AbortController', AbortController);
  give('AbortController', AbortController);
});
