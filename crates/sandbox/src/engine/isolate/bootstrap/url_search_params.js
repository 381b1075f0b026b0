// `URLSearchParams`; the form encoding itself is native.
(function urlSearchParams(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { give, iterator, list, nameOfPair, needArguments, pairOf, push, tag, toArray, valueOfPair } = realm;

  // Converts to a USVString: lone surrogates become U+FFFD.
  /** @param {Guest} value */
  const scalar = (value) => realm.toWellFormed(`${value}`);

  /** @param {string} text */
  const fromText = (text) => {
    const flat = native.formParse(text);
    const pairs = list();
    for (let i = 0; i < flat.length; i += 2) push(pairs, { __proto__: null, name: flat[i], value: flat[i + 1] });
    return pairs;
  };

  /** @param {Guest} input */
  const fromPairs = (input) => {
    const pairs = list();
    realm.eachPair(input, 'URLSearchParams', (name, value) => {
      push(pairs, { __proto__: null, name: scalar(name), value: scalar(value) });
    });
    return pairs;
  };

  /** @param {Guest} input */
  const fromRecord = (input) => {
    const pairs = list();
    /** @type {Table<any>} */
    const seen = { __proto__: null };
    realm.eachMember(input, (key, item) => {
      const name = scalar(key);
      const value = scalar(item);
      if (seen[name] !== undefined) {
        seen[name].value = value;
        return;
      }
      seen[name] = { __proto__: null, name, value };
      push(pairs, seen[name]);
    });
    return pairs;
  };

  /** @param {Guest} input */
  const toPairs = (input) => {
    if (input === undefined) return list();
    if ((typeof input !== 'object' && typeof input !== 'function') || input === null) return fromText(`${input}`);
    const iterate = input[iterator];
    if (iterate === undefined || iterate === null) return fromRecord(input);
    if (typeof iterate !== 'function') throw new realm.TypeError('URLSearchParams needs text, pairs or an object');
    return fromPairs(input);
  };

  const newIterator = realm.newPairIterators('URLSearchParams');

  /** @type {Realm['attachSearchParams']} */
  let attach;
  /** @type {Realm['replaceSearchParams']} */
  let replace;

  class URLSearchParams {
    #pairs;
    /** @type {((text: string) => void) | undefined} */
    #changed;
    constructor(init = undefined) {
      this.#pairs = toPairs(init);
    }
    get size() {
      return this.#pairs.length;
    }
    /** @param {Guest} name @param {Guest} value */
    append(name, value) {
      needArguments(arguments.length, 2, 'URLSearchParams.append');
      push(this.#pairs, { __proto__: null, name: scalar(name), value: scalar(value) });
      this.#changed?.(this.#text());
    }
    /** @param {Guest} name @param {Guest} value */
    delete(name, value) {
      needArguments(arguments.length, 1, 'URLSearchParams.delete');
      const wanted = scalar(name);
      const only = value === undefined ? undefined : scalar(value);
      this.#keep(
        (/** @type {Pair<Guest>} */ pair) => pair.name !== wanted || (only !== undefined && pair.value !== only),
      );
    }
    /** @param {Guest} name */
    get(name) {
      needArguments(arguments.length, 1, 'URLSearchParams.get');
      const wanted = scalar(name);
      const pairs = this.#pairs;
      for (let i = 0; i < pairs.length; i++) if (pairs[i].name === wanted) return pairs[i].value;
      return null;
    }
    /** @param {Guest} name */
    getAll(name) {
      needArguments(arguments.length, 1, 'URLSearchParams.getAll');
      const wanted = scalar(name);
      const found = list();
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i].name === wanted) push(found, this.#pairs[i].value);
      }
      return toArray(found);
    }
    /** @param {Guest} name @param {Guest} value */
    has(name, value) {
      needArguments(arguments.length, 1, 'URLSearchParams.has');
      const wanted = scalar(name);
      const only = value === undefined ? undefined : scalar(value);
      const pairs = this.#pairs;
      for (let i = 0; i < pairs.length; i++) {
        if (pairs[i].name === wanted && (only === undefined || pairs[i].value === only)) return true;
      }
      return false;
    }
    /** @param {Guest} name @param {Guest} value */
    set(name, value) {
      needArguments(arguments.length, 2, 'URLSearchParams.set');
      const wanted = scalar(name);
      const text = scalar(value);
      /** @type {Pair | undefined} */
      let first;
      for (let i = 0; i < this.#pairs.length && first === undefined; i++) {
        if (this.#pairs[i].name === wanted) first = this.#pairs[i];
      }
      if (first === undefined) {
        push(this.#pairs, { __proto__: null, name: wanted, value: text });
        this.#changed?.(this.#text());
        return;
      }
      first.value = text;
      this.#keep((/** @type {Pair<Guest>} */ pair) => pair === first || pair.name !== wanted);
    }
    sort() {
      realm.sortPairs(this.#pairs);
      this.#changed?.(this.#text());
    }
    /** @param {Guest} callback @param {Guest} self */
    forEach(callback, self) {
      if (typeof callback !== 'function') throw new realm.TypeError('URLSearchParams.forEach needs a function');
      for (let i = 0; i < this.#pairs.length; i++) {
        realm.ReflectApply(callback, self, [this.#pairs[i].value, this.#pairs[i].name, this]);
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
    toString() {
      return this.#text();
    }
    /** @param {PickOfPair} pick */
    #iterate(pick) {
      // Reads `#pairs` now, so that a wrong receiver fails here and not at the first `next`.
      return newIterator((place) => this.#pairs[place], this.#pairs && pick);
    }
    /** @param {(entry: Guest) => boolean} test */
    #keep(test) {
      const kept = list();
      for (let i = 0; i < this.#pairs.length; i++) if (test(this.#pairs[i])) push(kept, this.#pairs[i]);
      this.#pairs = kept;
      this.#changed?.(this.#text());
    }
    #flat() {
      const flat = list();
      for (let i = 0; i < this.#pairs.length; i++) {
        push(flat, this.#pairs[i].name);
        push(flat, this.#pairs[i].value);
      }
      return flat;
    }
    #text() {
      return native.formSerialize(toArray(this.#flat()));
    }
    static {
      attach = (params, changed) => {
        params.#changed = changed;
      };
      replace = (params, search) => {
        params.#pairs = fromText(search);
      };
      realm.isSearchParams = (value) => value !== null && typeof value === 'object' && #pairs in value;
      realm.searchParamsText = (params) => params.#text();
      // Names and values in turn.
      realm.flatParams = (params) => params.#flat();
    }
  }

  realm.URLSearchParams = URLSearchParams;
  realm.attachSearchParams = attach;
  realm.replaceSearchParams = replace;
  realm.define(URLSearchParams.prototype, iterator, URLSearchParams.prototype.entries);
  tag('URLSearchParams', URLSearchParams);
  give('URLSearchParams', URLSearchParams);
});
