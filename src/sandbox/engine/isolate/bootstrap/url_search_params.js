// `URLSearchParams`; the form encoding itself is native.
(function urlSearchParams(realm, native) {
  const { arrayValues, give, iterator, list, push, tag, toArray } = realm;

  const fromText = (text) => {
    const flat = native.formParse(text);
    const pairs = list();
    for (let i = 0; i < flat.length; i += 2) push(pairs, { __proto__: null, name: flat[i], value: flat[i + 1] });
    return pairs;
  };

  const fromPairs = (input) => {
    const pairs = list();
    for (const pair of input) {
      const [name, value, ...rest] = pair;
      if (value === undefined || rest.length > 0) {
        throw new realm.TypeError('URLSearchParams needs pairs of a name and a value');
      }
      push(pairs, { __proto__: null, name: `${name}`, value: `${value}` });
    }
    return pairs;
  };

  const fromRecord = (input) => {
    const pairs = list();
    const names = realm.objectKeys(input);
    for (let i = 0; i < names.length; i++) {
      push(pairs, { __proto__: null, name: names[i], value: `${input[names[i]]}` });
    }
    return pairs;
  };

  const toPairs = (input) => {
    if (input === undefined || input === null) return list();
    if (typeof input !== 'object' && typeof input !== 'function') return fromText(`${input}`);
    return typeof input[iterator] === 'function' ? fromPairs(input) : fromRecord(input);
  };

  let attach;
  let replace;

  class URLSearchParams {
    #pairs;
    #changed;
    constructor(init) {
      this.#pairs = toPairs(init);
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      push(this.#pairs, { __proto__: null, name: `${name}`, value: `${value}` });
      this.#changed?.(this.#text());
    }
    delete(name, value) {
      const wanted = `${name}`;
      const only = value === undefined ? undefined : `${value}`;
      this.#keep((pair) => pair.name !== wanted || (only !== undefined && pair.value !== only));
    }
    get(name) {
      const wanted = `${name}`;
      const pairs = this.#pairs;
      for (let i = 0; i < pairs.length; i++) if (pairs[i].name === wanted) return pairs[i].value;
      return null;
    }
    getAll(name) {
      const wanted = `${name}`;
      const found = list();
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i].name === wanted) push(found, this.#pairs[i].value);
      }
      return toArray(found);
    }
    has(name, value) {
      const wanted = `${name}`;
      const only = value === undefined ? undefined : `${value}`;
      const pairs = this.#pairs;
      for (let i = 0; i < pairs.length; i++) {
        if (pairs[i].name === wanted && (only === undefined || pairs[i].value === only)) return true;
      }
      return false;
    }
    set(name, value) {
      const wanted = `${name}`;
      const text = `${value}`;
      let first;
      for (let i = 0; i < this.#pairs.length && first === undefined; i++) {
        if (this.#pairs[i].name === wanted) first = this.#pairs[i];
      }
      if (first === undefined) {
        this.append(wanted, text);
        return;
      }
      first.value = text;
      this.#keep((pair) => pair === first || pair.name !== wanted);
    }
    sort() {
      // Insertion keeps equal names in their order, and the list is short.
      const pairs = this.#pairs;
      for (let i = 1; i < pairs.length; i++) {
        const pair = pairs[i];
        let place = i;
        for (; place > 0 && pairs[place - 1].name > pair.name; place--) pairs[place] = pairs[place - 1];
        pairs[place] = pair;
      }
      this.#changed?.(this.#text());
    }
    forEach(callback, self) {
      for (let i = 0; i < this.#pairs.length; i++) {
        realm.ReflectApply(callback, self, [this.#pairs[i].value, this.#pairs[i].name, this]);
      }
    }
    entries() {
      return this.#iterate((pair) => [pair.name, pair.value]);
    }
    keys() {
      return this.#iterate((pair) => pair.name);
    }
    values() {
      return this.#iterate((pair) => pair.value);
    }
    [iterator]() {
      return this.#iterate((pair) => [pair.name, pair.value]);
    }
    toString() {
      return this.#text();
    }
    #iterate(pick) {
      const items = list();
      for (let i = 0; i < this.#pairs.length; i++) push(items, pick(this.#pairs[i]));
      return arrayValues(toArray(items));
    }
    #keep(test) {
      const kept = list();
      for (let i = 0; i < this.#pairs.length; i++) if (test(this.#pairs[i])) push(kept, this.#pairs[i]);
      this.#pairs = kept;
      this.#changed?.(this.#text());
    }
    #text() {
      const flat = list();
      for (let i = 0; i < this.#pairs.length; i++) {
        push(flat, this.#pairs[i].name);
        push(flat, this.#pairs[i].value);
      }
      return native.formSerialize(toArray(flat));
    }
    static {
      attach = (params, changed) => {
        params.#changed = changed;
      };
      replace = (params, search) => {
        params.#pairs = toPairs(search);
      };
      realm.isSearchParams = (value) => value !== null && typeof value === 'object' && #pairs in value;
      realm.searchParamsText = (params) => params.#text();
    }
  }

  realm.URLSearchParams = URLSearchParams;
  realm.attachSearchParams = attach;
  realm.replaceSearchParams = replace;
  tag('URLSearchParams', URLSearchParams);
  give('URLSearchParams', URLSearchParams);
});
