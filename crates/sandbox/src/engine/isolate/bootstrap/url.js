// `URL`; parsing and setters are native, by the WHATWG URL standard.
(function url(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { give, indexOf, put, slice, tag } = realm;

  const PARTS = [
    'href',
    'origin',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
  ];

  // The native side writes one part per line: no part of a parsed URL holds a line break.
  /** @param {string} text */
  const readRecord = (text) => {
    /** @type {Table<any>} */
    const record = { __proto__: null };
    let from = 0;
    for (let i = 0; i < PARTS.length; i++) {
      const end = indexOf(text, '\n', from);
      record[PARTS[i]] = slice(text, from, end);
      from = end + 1;
    }
    return record;
  };

  /** @param {Guest} input @param {Guest} [base] */
  const parse = (input, base) => {
    const text = native.urlParse(`${input}`, base === undefined ? undefined : `${base}`);
    return text === undefined ? undefined : readRecord(text);
  };

  /** @param {string} input @param {Guest} [base] */
  const invalidUrl = (input, base) => {
    const error = new realm.TypeError('Invalid URL');
    put(error, 'code', 'ERR_INVALID_URL');
    put(error, 'input', realm.brief(input));
    if (base !== undefined) put(error, 'base', realm.brief(`${base}`));
    return error;
  };

  class URL {
    /** @type {Table<any>} */
    #record;
    /** @type {ParamsObject | undefined} */
    #params;
    /** @param {Guest} input @param {Guest} [base] */
    constructor(input, base) {
      if (arguments.length === 0) throw new realm.TypeError('The "url" argument must be specified');
      const record = parse(input, base);
      if (record === undefined) throw invalidUrl(`${input}`, base);
      this.#record = record;
    }
    /** @param {Guest} input @param {Guest} base */
    static canParse(input, base) {
      return parse(input, base) !== undefined;
    }
    /** @param {Guest} input @param {Guest} base */
    static parse(input, base) {
      const record = parse(input, base);
      if (record === undefined) return null;
      return new URL(record.href);
    }
    get href() {
      return this.#record.href;
    }
    set href(value) {
      const record = parse(value);
      if (record === undefined) throw invalidUrl(`${value}`);
      this.#record = record;
      this.#refresh();
    }
    get origin() {
      return this.#record.origin;
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new realm.URLSearchParams(this.#record.search);
        realm.attachSearchParams(this.#params, (text) => this.#change('search', text));
      }
      return this.#params;
    }
    get search() {
      return this.#record.search;
    }
    set search(value) {
      this.#change('search', value);
      this.#refresh();
    }
    toString() {
      return this.#record.href;
    }
    toJSON() {
      return this.#record.href;
    }
    /** @param {string} part @param {Guest} value */
    #change(part, value) {
      this.#record = readRecord(native.urlSet(this.#record.href, part, `${value}`));
    }
    #refresh() {
      if (this.#params !== undefined) realm.replaceSearchParams(this.#params, this.#record.search);
    }
    static {
      realm.hrefOf = (value) =>
        value !== null && typeof value === 'object' && #record in value ? value.#record.href : undefined;
      const writable = ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'hash'];
      for (let i = 0; i < writable.length; i++) {
        const part = writable[i];
        realm.defineProperty(URL.prototype, part, {
          __proto__: null,
          configurable: true,
          enumerable: false,
          get() {
            return this.#record[part];
          },
          set(value) {
            this.#change(part, value);
          },
        });
      }
    }
  }

  tag('URL', URL);
  give('URL', URL);
});
