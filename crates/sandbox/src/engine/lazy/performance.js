// `performance`: the clock of the run in whole milliseconds, with marks and measures.
(function performanceClock(realm, native) {
  const { DOMException, EventTarget, floor, give, list, needArguments, push, repeatable, tag, toArray } = realm;

  const KEY = { __proto__: null };
  // The same clock as that of `Date`: with a fixed clock each reading advances it.
  const elapsed = () => (repeatable.now === undefined ? native.elapsed() : realm.readClock() - repeatable.start);
  const began = repeatable.start ?? floor(realm.dateNow() - native.elapsed());
  // Beyond this number the older half is dropped.
  const MAX_ENTRIES = 10000;

  class PerformanceEntry {
    #name;
    #type;
    #start;
    #duration;
    constructor(key, name, type, start, duration) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: use performance.mark or performance.measure');
      this.#name = name;
      this.#type = type;
      this.#start = start;
      this.#duration = duration;
    }
    get name() {
      return this.#name;
    }
    get entryType() {
      return this.#type;
    }
    get startTime() {
      return this.#start;
    }
    get duration() {
      return this.#duration;
    }
    toJSON() {
      return { name: this.#name, entryType: this.#type, startTime: this.#start, duration: this.#duration };
    }
  }

  const detailOf = (options) => {
    const detail = options === undefined || options === null ? undefined : options.detail;
    return detail === undefined || detail === null ? null : realm.cloneValue(detail);
  };

  class PerformanceMark extends PerformanceEntry {
    #detail;
    constructor(name, options) {
      needArguments(arguments.length, 1, 'PerformanceMark');
      const start = options?.startTime;
      if (start !== undefined && !(+start >= 0))
        throw new realm.TypeError('The startTime of a mark must not be negative');
      super(KEY, `${name}`, 'mark', start === undefined ? elapsed() : +start, 0);
      this.#detail = detailOf(options);
    }
    get detail() {
      return this.#detail;
    }
    toJSON() {
      return { name: this.name, entryType: 'mark', startTime: this.startTime, duration: 0, detail: this.#detail };
    }
  }

  class PerformanceMeasure extends PerformanceEntry {
    #detail;
    constructor(key, name, start, duration, detail) {
      super(key, name, 'measure', start, duration);
      this.#detail = detail;
    }
    get detail() {
      return this.#detail;
    }
    toJSON() {
      const { name, startTime, duration } = this;
      return { name, entryType: 'measure', startTime, duration, detail: this.#detail };
    }
  }

  let entries = list();

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

  const found = (test) => {
    const out = list();
    for (let i = 0; i < entries.length; i++) if (test(entries[i])) push(out, entries[i].entry);
    return toArray(out);
  };

  const clear = (type, name) => {
    const kept = list();
    for (let i = 0; i < entries.length; i++) {
      if (entries[i].type !== type || (name !== undefined && entries[i].name !== `${name}`)) push(kept, entries[i]);
    }
    entries = kept;
  };

  const timeOf = (moment) => {
    if (typeof moment === 'number') return moment;
    const name = `${moment}`;
    for (let i = entries.length - 1; i >= 0; i--) {
      if (entries[i].type === 'mark' && entries[i].name === name) return entries[i].start;
    }
    throw new DOMException(`The mark '${name}' does not exist`, 'SyntaxError');
  };

  const spanOf = (startOrOptions, endMark) => {
    const span = { __proto__: null, start: 0, end: undefined, detail: null };
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
    mark(name, options) {
      needArguments(arguments.length, 1, 'performance.mark');
      const mark = new PerformanceMark(name, options);
      return addEntry(mark, `${name}`, 'mark', startOf(mark));
    }
    measure(name, startOrOptions, endMark) {
      needArguments(arguments.length, 1, 'performance.measure');
      const { start, end, detail } = spanOf(startOrOptions, endMark);
      const measure = new PerformanceMeasure(KEY, `${name}`, start, end - start, detail);
      return addEntry(measure, `${name}`, 'measure', start);
    }
    getEntries() {
      return found(() => true);
    }
    getEntriesByName(name, type) {
      return found((it) => it.name === `${name}` && (type === undefined || it.type === `${type}`));
    }
    getEntriesByType(type) {
      return found((it) => it.type === `${type}`);
    }
    clearMarks(name) {
      clear('mark', name);
    }
    clearMeasures(name) {
      clear('measure', name);
    }
    toJSON() {
      return { timeOrigin: began };
    }
  }

  const startOf = realm.unbind(realm.getOwnPropertyDescriptor(PerformanceEntry.prototype, 'startTime').get);
  const classes = { __proto__: null, PerformanceEntry, PerformanceMark, PerformanceMeasure, Performance };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
  give('performance', new Performance(KEY));
});
