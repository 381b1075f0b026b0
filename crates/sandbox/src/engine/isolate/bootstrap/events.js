// `Event`, `CustomEvent` and `EventTarget`. Targets have no parents here, so events do not propagate.
(function events(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { DOMException, ReflectApply, defineProperty, give, list, needArguments, push, repeatable, tag } = realm;

  const PHASES = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
  /** @param {Guest} value */
  const isTrue = (value) => !!value;
  const TRUSTED = { __proto__: null };
  /** @type {(event: Guest, target: object) => void} */
  let prepare;
  /** @type {(event: Event) => boolean} */
  let finish;
  /** @type {(event: Event) => boolean} */
  let isStopped;
  /** @type {(event: Event) => string} */
  let typeOf;
  /** @type {(event: Event, passive: boolean) => void} */
  let setPassive;

  class Event {
    #type;
    #target = null;
    #bubbles;
    #cancelable;
    #composed;
    #trusted = false;
    #time;
    #prevented = false;
    #stopped = false;
    #halted = false;
    #busy = false;
    #passive = false;
    /** @param {Guest} type @param {Guest} [init] @param {Guest} [trust] */
    constructor(type, init = undefined, trust = undefined) {
      needArguments(arguments.length, 1, 'Event');
      this.#type = `${type}`;
      this.#bubbles = isTrue(init?.bubbles);
      this.#cancelable = isTrue(init?.cancelable);
      this.#composed = isTrue(init?.composed);
      this.#trusted = trust === TRUSTED;
      // Reads the clock without advancing it.
      this.#time = repeatable.now === undefined ? native.elapsed() : repeatable.now - (repeatable.start ?? 0);
    }
    get type() {
      return this.#type;
    }
    get target() {
      return this.#target;
    }
    get srcElement() {
      return this.#target;
    }
    get currentTarget() {
      return this.#busy ? this.#target : null;
    }
    composedPath() {
      return this.#busy ? [this.#target] : [];
    }
    get eventPhase() {
      return this.#busy ? 2 : 0;
    }
    get bubbles() {
      return this.#bubbles;
    }
    get cancelable() {
      return this.#cancelable;
    }
    get composed() {
      return this.#composed;
    }
    get isTrusted() {
      return this.#trusted;
    }
    get timeStamp() {
      return this.#time;
    }
    get defaultPrevented() {
      return this.#prevented;
    }
    get returnValue() {
      return !this.#prevented;
    }
    set returnValue(value) {
      if (!value) this.#prevent();
    }
    get cancelBubble() {
      return this.#halted;
    }
    set cancelBubble(value) {
      if (value) this.#halted = true;
    }
    preventDefault() {
      this.#prevent();
    }
    #prevent() {
      if (this.#cancelable && !this.#passive) this.#prevented = true;
    }
    stopPropagation() {
      this.#halted = true;
    }
    stopImmediatePropagation() {
      this.#halted = true;
      this.#stopped = true;
    }
    /** @param {Guest} type @param {Guest} bubbles @param {Guest} cancelable */
    initEvent(type, bubbles, cancelable) {
      needArguments(arguments.length, 1, 'Event.initEvent');
      if (this.#busy) return;
      this.#type = `${type}`;
      this.#bubbles = isTrue(bubbles);
      this.#cancelable = isTrue(cancelable);
      this.#prevented = this.#stopped = this.#halted = this.#trusted = false;
      this.#target = null;
    }
    static {
      /** @param {Event} event @param {Guest} target */
      prepare = (event, target) => {
        if (event === null || typeof event !== 'object' || !(#type in event)) {
          throw realm.wrongType('event', 'an instance of Event', event);
        }
        if (event.#busy) throw new DOMException('The event is already being dispatched', 'InvalidStateError');
        event.#target = target;
        event.#busy = true;
      };
      /** @param {Event} event */
      isStopped = (event) => event.#stopped;
      /** @param {Event} event */
      typeOf = (event) => event.#type;
      /** @param {Event} event @param {boolean} passive */
      setPassive = (event, passive) => {
        event.#passive = passive;
      };
      /** @param {Event} event */
      finish = (event) => {
        event.#busy = event.#stopped = event.#halted = event.#passive = false;
        return !event.#prevented;
      };
      for (let i = 0; i < PHASES.length; i++) {
        const phase = { __proto__: null, value: i, writable: false, enumerable: true, configurable: false };
        defineProperty(Event, PHASES[i], phase);
        defineProperty(Event.prototype, PHASES[i], phase);
      }
    }
  }

  class CustomEvent extends Event {
    #detail;
    /** @param {Guest} type @param {Guest} [init] */
    constructor(type, init = undefined) {
      needArguments(arguments.length, 1, 'CustomEvent');
      super(type, init);
      this.#detail = init?.detail ?? null;
    }
    get detail() {
      return this.#detail;
    }
  }

  /** @param {Guest} value */
  const isCallable = (value) => typeof value === 'function' || (value !== null && typeof value === 'object');

  /** @param {Guest} target @param {Guest} callback @param {Event} event */
  const callListener = (target, callback, event) => {
    if (typeof callback === 'function') {
      ReflectApply(callback, target, [event]);
      return;
    }
    const { handleEvent } = callback;
    if (typeof handleEvent !== 'function') throw new realm.TypeError('The event listener has no handleEvent function');
    ReflectApply(handleEvent, callback, [event]);
  };

  /** @param {Guest} options */
  const isCapturing = (options) =>
    isTrue(
      options !== null && (typeof options === 'object' || typeof options === 'function') ? options.capture : options,
    );

  /** @param {Guest} options */
  const readOptions = (options) => {
    const read = { __proto__: null, capture: isCapturing(options), once: false, passive: false, signal: undefined };
    if (options === null || (typeof options !== 'object' && typeof options !== 'function')) return read;
    read.once = isTrue(options.once);
    read.passive = isTrue(options.passive);
    read.signal = options.signal;
    if (read.signal !== undefined && !realm.isSignal(read.signal)) {
      throw realm.wrongType('options.signal', 'an instance of AbortSignal', read.signal);
    }
    return read;
  };

  class EventTarget {
    #listeners = list();
    /** @param {Guest} type @param {Guest} callback @param {Guest} [options] */
    addEventListener(type, callback, options = undefined) {
      needArguments(arguments.length, 2, 'EventTarget.addEventListener');
      const { capture, once, passive, signal } = readOptions(options);
      if (callback === null || callback === undefined) return;
      if (!isCallable(callback)) throw realm.wrongType('listener', 'an instance of EventListener', callback);
      if (signal !== undefined && realm.isAborted(signal)) return;
      const wanted = `${type}`;
      const listeners = this.#listeners;
      for (let i = 0; i < listeners.length; i++) {
        const existing = listeners[i];
        if (
          !existing.removed &&
          existing.type === wanted &&
          existing.callback === callback &&
          existing.capture === capture
        )
          return;
      }
      const listener = { __proto__: null, type: wanted, callback, capture, once, passive, removed: false };
      push(listeners, listener);
      if (signal !== undefined) {
        realm.onAbort(signal, () => {
          listener.removed = true;
          this.#sweep();
        });
      }
    }
    /** @param {Guest} type @param {Guest} callback @param {Guest} [options] */
    removeEventListener(type, callback, options = undefined) {
      needArguments(arguments.length, 2, 'EventTarget.removeEventListener');
      const wanted = `${type}`;
      const capture = isCapturing(options);
      const listeners = this.#listeners;
      for (let i = 0; i < listeners.length; i++) {
        const existing = listeners[i];
        if (existing.type === wanted && existing.callback === callback && existing.capture === capture)
          existing.removed = true;
      }
      this.#sweep();
    }
    /** @param {Guest} event */
    dispatchEvent(event) {
      needArguments(arguments.length, 1, 'EventTarget.dispatchEvent');
      const listeners = this.#listeners;
      prepare(event, this);
      const type = typeOf(event);
      // Listeners added during the dispatch get the next event only.
      const count = listeners.length;
      let failed = false;
      let failure;
      for (let i = 0; i < count && !isStopped(event); i++) {
        const listener = listeners[i];
        if (listener.removed || listener.type !== type) continue;
        if (listener.once) listener.removed = true;
        setPassive(event, listener.passive);
        try {
          callListener(this, listener.callback, event);
        } catch (error) {
          failure = failed ? failure : error;
          failed = true;
        }
      }
      this.#sweep();
      const allowed = finish(event);
      // The first error of a listener is thrown after all listeners have run.
      if (failed) throw failure;
      return allowed;
    }
    #sweep() {
      const kept = list();
      for (let i = 0; i < this.#listeners.length; i++) if (!this.#listeners[i].removed) push(kept, this.#listeners[i]);
      this.#listeners = kept;
    }
  }

  realm.Event = Event;
  realm.newTrustedEvent = (type) => new Event(type, undefined, TRUSTED);
  realm.EventTarget = EventTarget;
  realm.addListener = (target, type, callback) => ReflectApply(addEventListener, target, [type, callback]);
  realm.removeListener = (target, type, callback) => ReflectApply(removeEventListener, target, [type, callback]);
  const { addEventListener, dispatchEvent, removeEventListener } = EventTarget.prototype;
  realm.dispatch = (target, event) => ReflectApply(dispatchEvent, target, [event]);
  tag('Event', Event);
  give('Event', Event);
  tag('CustomEvent', CustomEvent);
  give('CustomEvent', CustomEvent);
  tag('EventTarget', EventTarget);
  give('EventTarget', EventTarget);
});
