// `inspect` with its options, and format strings.
(function inspectFormat(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { JSONStringify, getPrototypeOf, hasOwn, indexOf, list, objectKeys, ownValue, put, slice } = realm;
  const { bigintText, isOfLanguage, numberText } = realm.inspecting;

  /** @type {Table<any>} */
  const DEFAULTS = {
    __proto__: null,
    showHidden: false,
    depth: 2,
    colors: false,
    customInspect: true,
    showProxy: false,
    maxArrayLength: 100,
    maxStringLength: 10000,
    breakLength: 80,
    compact: 3,
    sorted: false,
    getters: false,
    numericSeparator: false,
  };
  const OPTIONS = objectKeys(DEFAULTS);
  // The codes of terminals for each kind of text.
  /** @type {Table<string>} */
  const COLORS = {
    __proto__: /** @type {any} */ (null),
    special: '36 39',
    number: '33 39',
    bigint: '33 39',
    boolean: '33 39',
    undefined: '90 39',
    null: '1 22',
    string: '32 39',
    symbol: '32 39',
    date: '35 39',
    regexp: '31 39',
    module: '4 24',
  };

  /** @param {string} text */
  const plain = (text) => text;
  /** @param {string} text @param {string} kind */
  const coloured = (text, kind) => {
    const codes = COLORS[kind];
    if (codes === undefined) return text;
    const at = indexOf(codes, ' ');
    return `\u001b[${slice(codes, 0, at)}m${text}\u001b[${slice(codes, at + 1)}m`;
  };

  // A longer text of an object is cut in logs, so that a large object does not take the time of the run.
  const LOGGED = 1 << 18;

  /** @param {Guest} options @param {number} most @returns {Inspection} */
  const contextOf = (options, most) => {
    /** @type {any} */
    const ctx = {
      __proto__: null,
      ...DEFAULTS,
      stylize: plain,
      most,
      user: undefined,
      seen: list(),
      circular: list(),
      budget: { __proto__: null },
      indent: 0,
      deepest: 0,
    };
    if (typeof options === 'boolean') ctx.showHidden = options;
    else if (options !== undefined && options !== null) {
      const keys = objectKeys(options);
      for (let i = 0; i < keys.length; i++) {
        if (hasOwn(DEFAULTS, keys[i]) || keys[i] === 'stylize') ctx[keys[i]] = options[keys[i]];
        else ctx.user = options;
      }
    }
    if (ctx.colors && ctx.stylize === plain) ctx.stylize = coloured;
    if (typeof ctx.stylize !== 'function') ctx.stylize = plain;
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    return ctx;
  };

  // What functions of the guest get: its options, and how to style a text.
  /** @param {Inspection} ctx */
  const optionsOf = (ctx) => {
    const options = {};
    put(options, 'stylize', ctx.stylize);
    for (let i = 0; i < OPTIONS.length; i++) put(options, OPTIONS[i], /** @type {any} */ (ctx)[OPTIONS[i]]);
    if (ctx.user === undefined) return options;
    const keys = objectKeys(ctx.user);
    for (let i = 0; i < keys.length; i++) put(options, keys[i], ctx.user[keys[i]]);
    return options;
  };

  /** @type {Realm['inspectWith']} */
  const inspectWith = (value, options, most = LOGGED) => realm.inspecting.valueText(contextOf(options, most), value, 0);

  // For guests: also the arguments of old versions of Node.
  const { inspect } = {
    /** @param {Guest} value @param {Guest} options */
    inspect(value, options) {
      const ctx = contextOf(options, Infinity);
      if (arguments[2] !== undefined) ctx.depth = arguments[2];
      if (arguments[3]) ctx.stylize = coloured;
      return realm.inspecting.valueText(ctx, value, 0);
    },
  };

  // Whether a value has no `toString` or `Symbol.toPrimitive` but those of the language.
  /** @param {Guest} value */
  const hasOrdinaryText = (value) => {
    let target = value;
    while (native.kindOf(target) === 'Proxy') {
      target = native.reveal(target)?.[0] ?? null;
      if (target === null) return true;
    }
    const hasText = typeof target.toString === 'function';
    const hasPrimitive = typeof target[realm.toPrimitive] === 'function';
    if (!hasText && !hasPrimitive) return true;
    for (let one = target; one !== null; one = getPrototypeOf(one)) {
      if (!((hasText && hasOwn(one, 'toString')) || (hasPrimitive && hasOwn(one, realm.toPrimitive)))) continue;
      if (one === target) return false;
      const maker = ownValue(one, 'constructor');
      return typeof maker === 'function' && isOfLanguage(ownValue(maker, 'name'));
    }
    return true;
  };

  /** @param {Guest} options @param {Table<unknown>} more */
  const withMore = (options, more) => ({ __proto__: null, ...options, ...more });

  /** @param {Guest} value @param {Guest} options @param {number | undefined} most */
  const shortText = (value, options, most) => {
    const isGrouped = options?.numericSeparator === true;
    if (typeof value === 'number') return numberText(value, isGrouped);
    if (typeof value === 'bigint') return bigintText(value, isGrouped);
    if (typeof value === 'symbol') return realm.symbolToString(value);
    if (typeof value !== 'object' || value === null || !hasOrdinaryText(value)) return `${value}`;
    return inspectWith(
      value,
      withMore(options, { __proto__: null, compact: 3, colors: false, depth: 0, stylize: plain }),
      most,
    );
  };

  const CIRCULAR = 'Converting circular structure';

  /** @param {Guest} value */
  const jsonText = (value) => {
    try {
      return `${JSONStringify(value)}`;
    } catch (error) {
      if (native.isError(error) && indexOf(`${ownValue(error, 'message')}`, CIRCULAR) === 0) return '[Circular]';
      throw error;
    }
  };

  /** @param {Guest} value @param {(value: Guest) => number} read @param {Guest} options */
  const readNumber = (value, read, options) => {
    const isGrouped = options?.numericSeparator === true;
    if (typeof value === 'bigint') return bigintText(value, isGrouped);
    return typeof value === 'symbol' ? 'NaN' : numberText(read(value), isGrouped);
  };
  /** @param {Guest} value */
  const toNumber = (value) => +value;

  // The text for a placeholder; undefined if it is not one.
  /** @param {string} kind @param {Guest} value @param {Guest} options @param {number | undefined} most */
  const placed = (kind, value, options, most) => {
    switch (kind) {
      case 's':
        return shortText(value, options, most);
      case 'j':
        return jsonText(value);
      case 'd':
        return readNumber(value, toNumber, options);
      case 'i':
        return readNumber(value, realm.parseInt, options);
      case 'f':
        return typeof value === 'symbol'
          ? 'NaN'
          : numberText(realm.parseFloat(value), options?.numericSeparator === true);
      case 'O':
        return inspectWith(value, options, most);
      case 'o':
        return inspectWith(
          value,
          withMore(options, { __proto__: null, showHidden: true, showProxy: true, depth: 4 }),
          most,
        );
      case 'c':
        return '';
      default:
        return undefined;
    }
  };

  /** @type {Realm['formatWith']} */
  const formatWith = (options, values, most) => {
    let line = '';
    let next = 0;
    if (values.length > 1 && typeof values[0] === 'string') {
      const pattern = values[0];
      next = 1;
      let from = 0;
      for (let at = indexOf(pattern, '%'); at >= 0 && at + 1 < pattern.length; at = indexOf(pattern, '%', at)) {
        const kind = pattern[at + 1];
        const text = kind === '%' ? '%' : next < values.length ? placed(kind, values[next], options, most) : undefined;
        if (text === undefined) {
          at += kind === '%' ? 2 : 1;
          continue;
        }
        if (kind !== '%') next += 1;
        line += slice(pattern, from, at) + text;
        at += 2;
        from = at;
      }
      line += slice(pattern, from);
    }
    for (let i = next; i < values.length; i++) {
      const text = typeof values[i] === 'string' ? values[i] : inspectWith(values[i], options, most);
      line += `${i === 0 ? '' : ' '}${text}`;
    }
    return line;
  };

  realm.inspecting = { __proto__: null, ...realm.inspecting, optionsOf };
  realm.inspectWith = inspectWith;
  realm.formatWith = formatWith;
  realm.inspectFunction = inspect;
});
