// Events as far as `AbortSignal` needs them, and `DOMException`.
(function events(realm) {
  const { ReflectApply, define, give, list, push, tag, textOf } = realm;

  const CODES = {
    __proto__: null,
    SyntaxError: 12,
    InvalidCharacterError: 5,
    InvalidStateError: 11,
    AbortError: 20,
    QuotaExceededError: 22,
    TimeoutError: 23,
    DataCloneError: 25,
  };

  class DOMException extends realm.Error {
    constructor(message = '', options = 'Error') {
      const named = options !== null && typeof options === 'object';
      super(`${message}`);
      if (named && options.cause !== undefined) define(this, 'cause', options.cause);
      define(this, 'name', `${(named ? options.name : options) ?? 'Error'}`);
    }
    get code() {
      return CODES[this.name] ?? 0;
    }
  }

  let prepare;
  let finish;
  let isStopped;

  class Event {
    #type;
    #target = null;
    #cancelable;
    #prevented = false;
    #stopped = false;
    #busy = false;
    constructor(type, init) {
      if (arguments.length === 0) throw new realm.TypeError('Event needs a type');
      this.#type = `${type}`;
      this.#cancelable = init?.cancelable === true;
    }
    get type() {
      return this.#type;
    }
    get target() {
      return this.#target;
    }
    get currentTarget() {
      return this.#busy ? this.#target : null;
    }
    get cancelable() {
      return this.#cancelable;
    }
    get defaultPrevented() {
      return this.#prevented;
    }
    preventDefault() {
      if (this.#cancelable) this.#prevented = true;
    }
    stopPropagation() {}
    stopImmediatePropagation() {
      this.#stopped = true;
    }
    static {
      prepare = (event, target) => {
        if (event.#busy) throw new DOMException('The event is already being dispatched', 'InvalidStateError');
        event.#target = target;
        event.#busy = true;
        event.#stopped = false;
      };
      isStopped = (event) => event.#stopped;
      finish = (event) => {
        event.#busy = false;
        return !event.#prevented;
      };
    }
  }

  const isCallable = (value) => typeof value === 'function' || (value !== null && typeof value === 'object');

  const callListener = (target, callback, event) => {
    if (typeof callback === 'function') ReflectApply(callback, target, [event]);
    else callback.handleEvent(event);
  };

  class EventTarget {
    #listeners = list();
    addEventListener(type, callback, options) {
      if (callback === null || callback === undefined) return;
      if (!isCallable(callback)) throw new realm.TypeError(`${textOf(callback)} is no event listener`);
      const wanted = `${type}`;
      const listeners = this.#listeners;
      for (let i = 0; i < listeners.length; i++) {
        const known = listeners[i];
        if (!known.gone && known.type === wanted && known.callback === callback) return;
      }
      const once = options !== null && typeof options === 'object' && options.once === true;
      push(listeners, { __proto__: null, type: wanted, callback, once, gone: false });
    }
    removeEventListener(type, callback) {
      const wanted = `${type}`;
      const listeners = this.#listeners;
      for (let i = 0; i < listeners.length; i++) {
        if (listeners[i].type === wanted && listeners[i].callback === callback) listeners[i].gone = true;
      }
      this.#sweep();
    }
    dispatchEvent(event) {
      prepare(event, this);
      const type = event.type;
      const listeners = this.#listeners;
      // Listeners that are added meanwhile wait for the next event.
      const count = listeners.length;
      let failed = false;
      let failure;
      for (let i = 0; i < count && !isStopped(event); i++) {
        const listener = listeners[i];
        if (listener.gone || listener.type !== type) continue;
        if (listener.once) listener.gone = true;
        try {
          callListener(this, listener.callback, event);
        } catch (error) {
          failure = failed ? failure : error;
          failed = true;
        }
      }
      this.#sweep();
      const allowed = finish(event);
      // An uncaught error of a listener is the tool's to hear of, and must not keep the other listeners from running.
      if (failed) throw failure;
      return allowed;
    }
    #sweep() {
      const kept = list();
      for (let i = 0; i < this.#listeners.length; i++) if (!this.#listeners[i].gone) push(kept, this.#listeners[i]);
      this.#listeners = kept;
    }
  }

  realm.DOMException = DOMException;
  realm.Event = Event;
  realm.EventTarget = EventTarget;
  realm.addListener = realm.unbind(EventTarget.prototype.addEventListener);
  realm.dispatch = realm.unbind(EventTarget.prototype.dispatchEvent);
  tag('DOMException', DOMException);
  give('DOMException', DOMException);
  tag('Event', Event);
  give('Event', Event);
  tag('EventTarget', EventTarget);
  give('EventTarget', EventTarget);
});
