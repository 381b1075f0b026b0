// `Headers`: case-insensitive names, values joined as in HTTP. The host checks the headers again before it sends them.
(function headers(/** @type {Realm} */ realm) {
  const { give, iterator, list, nameOfPair, needArguments, pairOf, push, tag, toArray, toLowerCase, valueOfPair } =
    realm;

  const NAME = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";

  // More than any server accepts. Checked first, because V8 flattens a string to read it.
  const MAX_CHARS = 1 << 20;
  /** @param {Guest} value */
  const textOf = (value) => {
    const text = `${value}`;
    if (text.length > MAX_CHARS) throw new realm.TypeError(`A header of ${text.length} characters is too long`);
    return text;
  };

  /** @param {Guest} value */
  const nameOf = (value) => {
    const name = toLowerCase(textOf(value));
    let valid = name !== '';
    for (let i = 0; i < name.length; i++) if (realm.indexOf(NAME, name[i]) < 0) valid = false;
    if (!valid) throw new realm.TypeError(`Headers.append: "${realm.textOf(name)}" is an invalid header name.`);
    return name;
  };

  /** @param {string} character */
  const isBlank = (character) => character === ' ' || character === '\t' || character === '\r' || character === '\n';

  /** @param {Guest} value */
  const valueOf = (value) => {
    const text = textOf(value);
    let from = 0;
    let to = text.length;
    while (from < to && isBlank(text[from])) from++;
    while (to > from && isBlank(text[to - 1])) to--;
    const trimmed = realm.slice(text, from, to);
    for (let i = 0; i < trimmed.length; i++) {
      if (trimmed[i] === '\n' || trimmed[i] === '\r' || trimmed[i] === '\0') {
        throw new realm.TypeError(`Headers.append: "${trimmed}" is an invalid header value.`);
      }
      if (trimmed[i] > '\xff') {
        throw new realm.TypeError(
          `Cannot convert argument to a ByteString because the character at index ${i} has a value of ${realm.charCodeAt(trimmed, i)} which is greater than 255.`,
        );
      }
    }
    return trimmed;
  };

  const newIterator = realm.newPairIterators('Headers');
  // The one header whose values are never joined.
  const COOKIE = 'set-cookie';

  class Headers {
    // One pair per value, in insertion order.
    #pairs = list();
    // Pairs in iteration order: sorted by name, values of a name joined. Built on demand.
    /** @type {List<Pair> | undefined} */
    #sorted;
    // Whether the values are also properties, as for the headers of a response.
    #open = false;
    #fixed = false;
    constructor(init = undefined) {
      if (init !== undefined) this.#fill(init);
    }
    /** @param {Guest} name @param {Guest} value */
    append(name, value) {
      needArguments(arguments.length, 2, 'Headers.append');
      const shown = textOf(name);
      const wanted = nameOf(shown);
      const text = valueOf(value);
      this.#refuseFixed();
      this.#add(wanted, text, shown);
    }
    /** @param {Guest} name @param {Guest} value */
    set(name, value) {
      needArguments(arguments.length, 2, 'Headers.set');
      const shown = textOf(name);
      const wanted = nameOf(shown);
      const text = valueOf(value);
      this.#refuseFixed();
      this.#replace(wanted, text, shown);
    }
    /** @param {Guest} name */
    get(name) {
      needArguments(arguments.length, 1, 'Headers.get');
      return this.#find(nameOf(name)) ?? null;
    }
    /** @param {Guest} name */
    has(name) {
      needArguments(arguments.length, 1, 'Headers.has');
      return this.#find(nameOf(name)) !== undefined;
    }
    /** @param {Guest} name */
    delete(name) {
      needArguments(arguments.length, 1, 'Headers.delete');
      const wanted = nameOf(name);
      this.#refuseFixed();
      this.#drop(wanted);
    }
    getSetCookie() {
      const values = list();
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i].name === COOKIE) push(values, this.#pairs[i].value);
      }
      return toArray(values);
    }
    /** @param {Guest} callback @param {Guest} self */
    forEach(callback, self) {
      if (typeof callback !== 'function') throw new realm.TypeError('Headers.forEach needs a function');
      for (let i = 0; ; i++) {
        const pair = this.#pairAt(i);
        if (pair === undefined) return;
        realm.ReflectApply(callback, self, [pair.value, pair.name, this]);
      }
    }
    entries() {
      return this.#iterate(pairOf);
    }
    keys() {
      return this.#iterate(nameOfPair);
    }
    values() {
      return this.#iterate(valueOfPair);
    }
    /** @param {Guest} init */
    #fill(init) {
      /** @param {Guest} name @param {Guest} value */
      const add = (name, value) => {
        const shown = textOf(name);
        this.#add(nameOf(shown), valueOf(value), shown);
      };
      if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
        throw new realm.TypeError(
          'Headers constructor: Argument 1 could not be converted to one of: sequence<sequence<ByteString>>, record<ByteString, ByteString>.',
        );
      }
      if (#pairs in init) {
        for (let i = 0; i < init.#pairs.length; i++) this.#copy(init.#pairs[i]);
        return;
      }
      const iterate = init[iterator];
      if (iterate === undefined || iterate === null) realm.eachMember(init, add);
      else if (typeof iterate === 'function') realm.eachPair(init, 'Headers', add);
      else
        throw new realm.TypeError(
          'Headers constructor: Argument 1 could not be converted to one of: sequence<sequence<ByteString>>, record<ByteString, ByteString>.',
        );
    }
    /** @param {string} name */
    #find(name) {
      let found;
      for (let i = 0; i < this.#pairs.length; i++) {
        const pair = this.#pairs[i];
        if (pair.name === name) found = found === undefined ? pair.value : `${found}, ${pair.value}`;
      }
      return found;
    }
    #refuseFixed() {
      if (this.#fixed) throw new realm.TypeError('immutable');
    }
    // `shown` is the name as it was written, for `console`.
    /** @param {string} name @param {Guest} value @param {string} shown */
    #add(name, value, shown) {
      push(this.#pairs, { __proto__: null, name, value, shown });
      this.#sorted = undefined;
      this.#show(name);
    }
    /** @param {{ name: string; value: Guest; shown: string }} pair */
    #copy({ name, value, shown }) {
      this.#add(name, value, shown);
    }
    // Puts the value in the place of the first one.
    /** @param {string} name @param {Guest} value @param {string} shown */
    #replace(name, value, shown) {
      const kept = list();
      let isThere = false;
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i].name !== name) push(kept, this.#pairs[i]);
        else if (!isThere) {
          isThere = true;
          push(kept, { __proto__: null, name, value, shown });
        }
      }
      this.#pairs = kept;
      if (!isThere) this.#add(name, value, shown);
      this.#sorted = undefined;
      this.#show(name);
    }
    // Names of methods are not overwritten.
    /** @param {string} name */
    #show(name) {
      if (this.#open && !(name in prototype)) realm.put(this, name, this.#find(name));
    }
    /** @param {string} name */
    #drop(name) {
      const kept = list();
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i].name !== name) push(kept, this.#pairs[i]);
      this.#pairs = kept;
      this.#sorted = undefined;
      if (this.#open && realm.hasOwn(this, name))
        delete (/** @type {Table<any>} */ (/** @type {unknown} */ (this))[name]);
    }
    /** @param {number} place */
    #pairAt(place) {
      if (this.#sorted === undefined) this.#sorted = this.#joined();
      return this.#sorted[place];
    }
    #joined() {
      const all = list();
      for (let i = 0; i < this.#pairs.length; i++) push(all, this.#pairs[i]);
      realm.sortPairs(all);
      const joined = list();
      for (let i = 0; i < all.length; i++) {
        const { name, value } = all[i];
        const last = joined[joined.length - 1];
        if (last !== undefined && last.name === name && name !== COOKIE) last.value = `${last.value}, ${value}`;
        else push(joined, { __proto__: null, name, value });
      }
      return joined;
    }
    /** @param {PickOfPair} pick */
    #iterate(pick) {
      return newIterator((place) => this.#pairAt(place), pick);
    }
    static {
      realm.isHeaders = (value) => value !== null && typeof value === 'object' && #pairs in value;
      // Names and values in turn, for the host.
      realm.flatHeaders = (value) => {
        const all = realm.isHeaders(value) ? value : new Headers(value ?? undefined);
        const flat = list();
        for (let i = 0; ; i++) {
          const pair = all.#pairAt(i);
          // Ignores a `toJSON` that the guest has put on the prototypes.
          if (pair === undefined) return realm.define(toArray(flat), 'toJSON', undefined);
          push(flat, pair.name);
          push(flat, pair.value);
        }
      };
      realm.headersFrom = (flat) => {
        const out = new Headers();
        out.#open = true;
        for (let i = 0; i + 1 < flat.length; i += 2) out.#add(flat[i], flat[i + 1], flat[i]);
        return out;
      };
      realm.copyHeaders = (headers) => {
        const out = new Headers();
        out.#open = headers.#open;
        for (let i = 0; i < headers.#pairs.length; i++) out.#copy(headers.#pairs[i]);
        return out;
      };
      // Names and values in turn, in the order in which the names were added.
      realm.shownHeaders = (headers) => {
        const flat = list();
        /** @type {Table<any>} */
        const seen = { __proto__: null };
        for (let i = 0; i < headers.#pairs.length; i++) {
          const { name } = headers.#pairs[i];
          if (seen[name] === true) continue;
          seen[name] = true;
          push(flat, headers.#pairs[i].shown);
          push(flat, headers.#find(name));
        }
        return flat;
      };
      realm.headerOf = (headers, name) => headers.#find(name);
      realm.setHeader = (headers, name, value) => headers.#add(name, value, name);
      realm.fixHeaders = (headers) => {
        headers.#fixed = true;
        return headers;
      };
    }
  }

  const { prototype } = Headers;
  realm.Headers = Headers;
  realm.define(Headers.prototype, iterator, Headers.prototype.entries);
  tag('Headers', Headers);
  give('Headers', Headers);
});
