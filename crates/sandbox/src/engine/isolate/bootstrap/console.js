// `console`: its lines are returned with the outcome of the run.
(function consoleFunctions(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { formatLine, give, put, repeatable, slice, textOf } = realm;
  const { debug: DEBUG, error: ERROR, info: INFO, log: LOG, warn: WARN } = native.logLevels;

  const MAX_INDENT = 40;
  let indent = '';
  /** @type {Table<any>} */
  const counts = { __proto__: null };
  /** @type {Table<any>} */
  const timers = { __proto__: null };

  // The text with every line indented by the open groups.
  /** @param {string} text */
  const indented = (text) => {
    if (indent === '') return text;
    let out = indent;
    let from = 0;
    for (let at = realm.indexOf(text, '\n'); at >= 0; at = realm.indexOf(text, '\n', from)) {
      out += `${slice(text, from, at)}\n${indent}`;
      from = at + 1;
    }
    return out + slice(text, from);
  };
  /** @param {number} level @param {string} text */
  const write = (level, text) => native.log(level, indented(text));
  /** @param {number} level @param {Guest[]} values */
  const writeLine = (level, values) => write(level, formatLine(values));

  /** @param {string} label */
  const labelOf = (label) => (label === undefined ? 'default' : `${label}`);
  // Whole milliseconds of the run's clock.
  const now = () => (repeatable.now === undefined ? native.elapsed() : realm.readClock());
  /** @param {string} label @param {string} what */
  const duration = (label, what) => {
    if (timers[label] !== undefined) return `${label}: ${now() - timers[label]}ms`;
    write(WARN, `No such label '${label}' for console.${what}()`);
    return undefined;
  };

  /** @type {Table<any>} */
  const methods = {
    __proto__: null,
    /** @param {...Guest} values */
    log: (...values) => writeLine(LOG, values),
    /** @param {...Guest} values */
    info: (...values) => writeLine(INFO, values),
    /** @param {...Guest} values */
    debug: (...values) => writeLine(DEBUG, values),
    /** @param {...Guest} values */
    warn: (...values) => writeLine(WARN, values),
    /** @param {...Guest} values */
    error: (...values) => writeLine(ERROR, values),
    /** @param {Guest} value @param {Guest} options */
    dir: (value, options) => write(LOG, textOf(value, { __proto__: null, customInspect: false, ...options })),
    /** @param {...Guest} values */
    dirxml: (...values) => writeLine(LOG, values),
    /** @param {...Guest} values */
    trace: (...values) => {
      const message = formatLine(values);
      const stack = realm.readText(new realm.Error(), 'stack');
      const from = realm.indexOf(stack, '\n');
      write(DEBUG, `Trace${message === '' ? '' : `: ${message}`}${from < 0 ? '' : slice(stack, from)}`);
    },
    /** @param {Guest} condition @param {...Guest} values */
    assert: (condition, ...values) => {
      if (condition) return;
      if (typeof values[0] === 'string') {
        put(values, 0, `Assertion failed: ${values[0]}`);
        writeLine(ERROR, values);
      } else {
        write(ERROR, values.length === 0 ? 'Assertion failed' : `Assertion failed ${formatLine(values)}`);
      }
    },
    /** @param {string} label */
    count: (label) => {
      const name = labelOf(label);
      counts[name] = (counts[name] ?? 0) + 1;
      write(LOG, `${name}: ${counts[name]}`);
    },
    /** @param {string} label */
    countReset: (label) => {
      const name = labelOf(label);
      if (counts[name] === undefined) write(WARN, `Count for '${name}' does not exist`);
      else counts[name] = 0;
    },
    /** @param {...Guest} values */
    group: (...values) => {
      if (values.length > 0) writeLine(LOG, values);
      if (indent.length < MAX_INDENT) indent += '  ';
    },
    /** @param {...Guest} values */
    groupCollapsed: (...values) => realm.ReflectApply(methods.group, undefined, values),
    groupEnd: () => {
      indent = slice(indent, 2);
    },
    /** @param {Guest} value @param {Guest} columns */
    table: (value, columns) => {
      realm.need('console');
      write(LOG, realm.tableText(value, columns) ?? textOf(value));
    },
    /** @param {string} label */
    time: (label) => {
      const name = labelOf(label);
      if (timers[name] !== undefined) write(WARN, `Label '${name}' already exists for console.time()`);
      else timers[name] = now();
    },
    /** @param {string} label @param {...Guest} values */
    timeLog: (label, ...values) => {
      const text = duration(labelOf(label), 'timeLog');
      if (text !== undefined) write(LOG, values.length === 0 ? text : `${text} ${formatLine(values)}`);
    },
    /** @param {string} label */
    timeEnd: (label) => {
      const name = labelOf(label);
      const text = duration(name, 'timeEnd');
      if (text !== undefined) write(LOG, text);
      timers[name] = undefined;
    },
    // Functions of terminals and profilers, without effect here.
    clear: () => {},
    profile: () => {},
    profileEnd: () => {},
    timeStamp: () => {},
  };

  const console = {};
  const names = realm.objectKeys(methods);
  for (let i = 0; i < names.length; i++) put(console, names[i], methods[names[i]]);
  realm.tag('console', { __proto__: null, prototype: console });
  // The modules of Node in packages take what they need of the engine from here.
  realm.define(console, realm.symbolFor(undefined, 'tgp.node'), (/** @type {string} */ kind) => {
    realm.need('node');
    return realm.newNodeParts(kind);
  });
  give('console', console);
});
