// `performance`: the clock of the run in whole milliseconds, with marks and measures.
(function performanceClock(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { DOMException, EventTarget, floor, give, list, needArguments, push, repeatable, tag, toArray } = realm;

  const KEY = { __proto__: null };
  // The same clock as that of `Date`: with a fixed clock each reading advances it.
  const elapsed = () => (repeatable.now === undefined ? native.elapsed() : realm.readClock() - (repeatable.start ?? 0));
  const began = repeatable.start ?? floor(realm.dateNow() - native.elapsed());
  // Beyond this number the older half is dropped.
  const MAX_ENTRIES = 10000;

  const illegal = () => new realm.TypeError('Illegal constructor: use performance.mark or performance.measure');

  // Facts of the entry that is being created. They are not an argument of `super`, because a guest may replace the class that
  // marks and measures extend.
  /** @type {EntryFacts | undefined} */
  let facts;
  /** @type {(entry: Guest) => EntryFacts} */
  let factsOf;
  /** @param {string} name @param {string} type @param {Guest} start @param {Guest} duration */
  const newFacts = (name, type, start, duration) => ({ __proto__: null, name, type, start, duration });

  class PerformanceEntry {
    #facts;
    constructor() {
      if (facts === undefined) throw illegal();
      this.#facts = facts;
      facts = undefined;
    }
    get name() {
      return this.#facts.name;
    }
    get entryType() {
      return this.#facts.type;
    }
    get startTime() {
      return this.#facts.start;
    }
    get duration() {
      return this.#facts.duration;
    }
    toJSON() {
      const { name, type, start, duration } = this.#facts;
      return { name, entryType: type, startTime: start, duration };
    }
    static {
      factsOf = (entry) => entry.#facts;
    }
  }

  /** @param {Guest} options */
  const detailOf = (options) => {
    const detail = options === undefined || options === null ? undefined : options.detail;
    return detail === undefined || detail === null ? null : realm.cloneValue(detail);
  };

  class PerformanceMark extends PerformanceEntry {
    #detail;
    /** @param {Guest} name @param {Guest} options */
    constructor(name, options) {
      needArguments(arguments.length, 1, 'PerformanceMark');
      const start = options?.startTime;
      if (start !== undefined && !(+start >= 0))
        throw new realm.TypeError('The startTime of a mark must not be negative');
      const mark = newFacts(`${name}`, 'mark', start === undefined ? elapsed() : +start, 0);
      const detail = detailOf(options);
      facts = mark;
      try {
        super();
      } finally {
        facts = undefined;
      }
      this.#detail = detail;
    }
    get detail() {
      return this.#detail;
    }
    toJSON() {
      const { name, start } = factsOf(this);
      return { name, entryType: 'mark', startTime: start, duration: 0, detail: this.#detail };
    }
  }

  class PerformanceMeasure extends PerformanceEntry {
    #detail;
    /** @param {Guest} key @param {Guest} name @param {Guest} start @param {Guest} duration @param {Guest} detail */
    constructor(key, name, start, duration, detail) {
      if (key !== KEY) throw illegal();
      facts = newFacts(name, 'measure', start, duration);
      try {
        super();
      } finally {
        facts = undefined;
      }
      this.#detail = detail;
    }
    get detail() {
      return this.#detail;
    }
    toJSON() {
      const { name, start, duration } = factsOf(this);
      return { name, entryType: 'measure', startTime: start, duration, detail: this.#detail };
    }
  }

  let entries = list();

  /** @param {object} entry @param {string} name @param {string} type @param {Guest} start */
  const addEntry = (entry, name, type, start) => {
    if (entries.length >= MAX_ENTRIES) {
      const kept = list();
      for (let i = entries.length / 2; i < entries.length; i++) push(kept, entries[i]);
      entries = kept;
    }
    // Sorted by start time.
    let place = entries.length;
    push(entries, undefined);
    for (; place > 0 && entries[place - 1].start > start; place--) entries[place] = entries[place - 1];
    entries[place] = { __proto__: null, entry, name, type, start };
    return entry;
  };

  /** @param {(entry: Guest) => boolean} test */
  const found = (test) => {
    const out = list();
    for (let i = 0; i < entries.length; i++) if (test(entries[i])) push(out, entries[i].entry);
    return toArray(out);
  };

  /** @param {string} type @param {Guest} name */
  const clear = (type, name) => {
    // Converting the name may clear entries.
    const wanted = name === undefined ? undefined : `${name}`;
    const kept = list();
    for (let i = 0; i < entries.length; i++) {
      if (entries[i].type !== type || (wanted !== undefined && entries[i].name !== wanted)) push(kept, entries[i]);
    }
    entries = kept;
  };

  /** @param {Guest} moment */
  const timeOf = (moment) => {
    if (typeof moment === 'number') return moment;
    const name = `${moment}`;
    for (let i = entries.length - 1; i >= 0; i--) {
      if (entries[i].type === 'mark' && entries[i].name === name) return entries[i].start;
    }
    throw new DOMException(`The mark '${name}' does not exist`, 'SyntaxError');
  };

  /** @param {Guest} startOrOptions @param {Guest} endMark */
  const spanOf = (startOrOptions, endMark) => {
    const span = { __proto__: null, start: 0, end: 0, detail: null };
    if (startOrOptions !== null && typeof startOrOptions === 'object') {
      const { start, end, duration } = startOrOptions;
      span.detail = detailOf(startOrOptions);
      if (end !== undefined) span.end = timeOf(end);
      else if (start !== undefined && duration !== undefined) span.end = timeOf(start) + +duration;
      else span.end = elapsed();
      if (start !== undefined) span.start = timeOf(start);
      else if (duration !== undefined && end !== undefined) span.start = span.end - +duration;
      return span;
    }
    span.end = endMark === undefined ? elapsed() : timeOf(endMark);
    if (startOrOptions !== undefined) span.start = timeOf(startOrOptions);
    return span;
  };

  class Performance extends EventTarget {
    /** @param {Guest} key */
    constructor(key) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: use the global performance');
      super();
    }
    get timeOrigin() {
      return began;
    }
    now() {
      return elapsed();
    }
    /** @param {Guest} name @param {Guest} options */
    mark(name, options) {
      needArguments(arguments.length, 1, 'performance.mark');
      const mark = new PerformanceMark(name, options);
      const { name: called, start } = factsOf(mark);
      return addEntry(mark, called, 'mark', start);
    }
    /** @param {Guest} name @param {Guest} startOrOptions @param {Guest} endMark */
    measure(name, startOrOptions, endMark) {
      needArguments(arguments.length, 1, 'performance.measure');
      const { start, end, detail } = spanOf(startOrOptions, endMark);
      const called = `${name}`;
      return addEntry(new PerformanceMeasure(KEY, called, start, end - start, detail), called, 'measure', start);
    }
    getEntries() {
      return found(() => true);
    }
    /** @param {Guest} name @param {Guest} type */
    getEntriesByName(name, type) {
      const wanted = `${name}`;
      const kind = type === undefined ? undefined : `${type}`;
      return found((/** @type {Guest} */ it) => it.name === wanted && (kind === undefined || it.type === kind));
    }
    /** @param {Guest} type */
    getEntriesByType(type) {
      const kind = `${type}`;
      return found((/** @type {Guest} */ it) => it.type === kind);
    }
    /** @param {Guest} name */
    clearMarks(name) {
      clear('mark', name);
    }
    /** @param {Guest} name */
    clearMeasures(name) {
      clear('measure', name);
    }
    toJSON() {
      return { timeOrigin: began };
    }
  }

  /** @type {Table<any>} */
  const classes = { __proto__: null, PerformanceEntry, PerformanceMark, PerformanceMeasure, Performance };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
  give('performance', new Performance(KEY));
});
