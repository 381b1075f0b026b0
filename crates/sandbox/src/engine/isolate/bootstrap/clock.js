// Deterministic random numbers and time, from a seed and a start time. Built before the guest starts, or not at all.
(function clockAndChance(/** @type {Realm} */ realm) {
  const { ReflectApply, ReflectConstruct, define, defineProperty, floor, getOwnPropertyDescriptor, imul, repeatable } =
    realm;
  const NativeDate = realm.Date;
  const dateToString = realm.unbind(NativeDate.prototype.toString);
  const { prototype: formats } = Intl.DateTimeFormat;
  const formatOf = getOwnPropertyDescriptor(formats, 'format')?.get;
  const formatToParts = formats.formatToParts;

  // A 32-bit mixing counter: small, and sufficient for values that are not secret.
  realm.seedChance = (seed) => {
    let state = seed >>> 0;
    const next = () => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = state ^ (state >>> 16);
      mixed = imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = imul(mixed, 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    repeatable.nextWord = next;
    define(Math, 'random', function random() {
      return (floor(next() / 32) * 67108864 + floor(next() / 64)) / 9007199254740992;
    });
  };

  // Only called if the run has a fixed clock. Every reading advances the clock by one millisecond, so that a loop that waits for a time ends.
  const read = () => {
    const now = repeatable.now ?? 0;
    repeatable.now = now + 1;
    return now;
  };

  realm.readClock = read;
  realm.startClock = (moment) => {
    repeatable.now = moment;
    repeatable.start = moment;
    /** @param {...Guest} values */
    const ClockDate = function Date(...values) {
      if (new.target === undefined) return dateToString(new NativeDate(read()));
      return ReflectConstruct(NativeDate, values.length === 0 ? [read()] : values, new.target);
    };
    defineProperty(ClockDate, 'prototype', { __proto__: null, value: NativeDate.prototype, writable: false });
    defineProperty(ClockDate, 'length', { __proto__: null, value: 7, configurable: true });
    define(ClockDate, 'parse', NativeDate.parse);
    define(ClockDate, 'UTC', NativeDate.UTC);
    define(ClockDate, 'now', function now() {
      return read();
    });
    define(NativeDate.prototype, 'constructor', ClockDate);
    define(globalThis, 'Date', ClockDate);
    defineProperty(formats, 'format', {
      __proto__: null,
      configurable: true,
      enumerable: false,
      get: function format() {
        const bound = ReflectApply(formatOf, this, []);
        return (/** @type {Guest} */ date) => bound(date === undefined ? read() : date);
      },
    });
    define(
      formats,
      'formatToParts',
      /** @this {Guest} @param {Guest} date */ function (date) {
        return ReflectApply(formatToParts, this, [date === undefined ? read() : date]);
      },
    );
  };
});
