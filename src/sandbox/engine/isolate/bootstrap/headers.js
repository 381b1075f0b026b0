// `Headers`: names without case, values joined as HTTP joins them. The host checks again what is sent.
(function headers(realm) {
  const { arrayValues, give, iterator, list, push, tag, toArray, toLowerCase } = realm;

  const NAME = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";

  // More than any server takes. Looked at first: to look into a text V8 has to put it together.
  const MAX_CHARS = 1 << 20;
  const textOf = (value) => {
    const text = `${value}`;
    if (text.length > MAX_CHARS) throw new realm.TypeError(`A header of ${text.length} characters is too long`);
    return text;
  };

  const nameOf = (value) => {
    const name = toLowerCase(textOf(value));
    let valid = name !== '';
    for (let i = 0; i < name.length; i++) if (realm.indexOf(NAME, name[i]) < 0) valid = false;
    if (!valid) throw new realm.TypeError(`${realm.textOf(name)} is no header name`);
    return name;
  };

  const isBlank = (character) => character === ' ' || character === '\t' || character === '\r' || character === '\n';

  const valueOf = (value) => {
    const text = textOf(value);
    let from = 0;
    let to = text.length;
    while (from < to && isBlank(text[from])) from++;
    while (to > from && isBlank(text[to - 1])) to--;
    const trimmed = realm.slice(text, from, to);
    for (let i = 0; i < trimmed.length; i++) {
      if (trimmed[i] === '\n' || trimmed[i] === '\r' || trimmed[i] === '\0') {
        throw new realm.TypeError('A header value must not hold line breaks');
      }
    }
    return trimmed;
  };

  class Headers {
    #pairs = list();
    // Whether the values are members too, as those of a response are.
    #open = false;
    constructor(init) {
      if (init === undefined || init === null) return;
      if (typeof init !== 'object') throw new realm.TypeError('Headers needs an object, pairs or Headers');
      if (#pairs in init) {
        for (let i = 0; i < init.#pairs.length; i++) this.#add(init.#pairs[i].name, init.#pairs[i].value);
      } else if (typeof init[iterator] === 'function') {
        for (const [name, value] of init) this.#add(nameOf(name), valueOf(value));
      } else {
        const names = realm.objectKeys(init);
        for (let i = 0; i < names.length; i++) this.#add(nameOf(names[i]), valueOf(init[names[i]]));
      }
    }
    append(name, value) {
      this.#add(nameOf(name), valueOf(value));
    }
    set(name, value) {
      const wanted = nameOf(name);
      this.#drop(wanted);
      this.#add(wanted, valueOf(value));
    }
    get(name) {
      return this.#find(nameOf(name))?.value ?? null;
    }
    has(name) {
      return this.#find(nameOf(name)) !== undefined;
    }
    delete(name) {
      this.#drop(nameOf(name));
    }
    forEach(callback, self) {
      const pairs = this.#sorted();
      for (let i = 0; i < pairs.length; i++) {
        realm.ReflectApply(callback, self, [pairs[i].value, pairs[i].name, this]);
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
    #find(name) {
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i].name === name) return this.#pairs[i];
      return undefined;
    }
    #add(name, value) {
      const known = this.#find(name);
      if (known === undefined) push(this.#pairs, { __proto__: null, name, value });
      else known.value = `${known.value}, ${value}`;
      this.#show(name);
    }
    // A name that a method has stays the method's.
    #show(name) {
      if (this.#open && !(name in prototype)) realm.put(this, name, this.#find(name).value);
    }
    #drop(name) {
      const kept = list();
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i].name !== name) push(kept, this.#pairs[i]);
      this.#pairs = kept;
      if (this.#open && realm.hasOwn(this, name)) delete this[name];
    }
    #sorted() {
      const sorted = list();
      for (let i = 0; i < this.#pairs.length; i++) {
        let place = sorted.length;
        for (; place > 0 && sorted[place - 1].name > this.#pairs[i].name; place--) sorted[place] = sorted[place - 1];
        sorted[place] = this.#pairs[i];
        sorted.length = i + 1;
      }
      return sorted;
    }
    #iterate(pick) {
      const pairs = this.#sorted();
      const items = list();
      for (let i = 0; i < pairs.length; i++) push(items, pick(pairs[i]));
      return arrayValues(toArray(items));
    }
    static {
      // Names and values one after the other, for the host.
      realm.flatHeaders = (value) => {
        const all = value !== null && typeof value === 'object' && #pairs in value ? value : new Headers(value);
        const flat = list();
        for (let i = 0; i < all.#pairs.length; i++) {
          push(flat, all.#pairs[i].name);
          push(flat, all.#pairs[i].value);
        }
        return toArray(flat);
      };
      realm.headersFrom = (flat) => {
        const out = new Headers();
        out.#open = true;
        for (let i = 0; i + 1 < flat.length; i += 2) out.#add(flat[i], flat[i + 1]);
        return out;
      };
    }
  }

  const { prototype } = Headers;
  tag('Headers', Headers);
  give('Headers', Headers);
});
