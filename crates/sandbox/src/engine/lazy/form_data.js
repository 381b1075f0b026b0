// `FormData`.
(function formData(/** @type {Realm} */ realm) {
  const { give, iterator, list, nameOfPair, needArguments, pairOf, push, tag, toArray, toWellFormed, valueOfPair } =
    realm;

  const newIterator = realm.newPairIterators('FormData');

  /** @param {Guest} value @param {Guest} fileName */
  const valueOf = (value, fileName) => {
    if (!realm.isBlob(value)) {
      if (fileName !== undefined) throw new realm.TypeError('Only a Blob has a file name');
      return toWellFormed(`${value}`);
    }
    if (fileName === undefined && realm.isFile(value)) return value;
    const name = fileName === undefined ? 'blob' : toWellFormed(`${fileName}`);
    return realm.newFile(
      realm.bytesOfBlob(value),
      name,
      realm.typeOfBlob(value),
      realm.isFile(value) ? realm.changeOfFile(value) : undefined,
    );
  };

  class FormData {
    #pairs = list();
    /** @param {Guest} [form] */
    constructor(form) {
      if (form !== undefined)
        throw new realm.TypeError('FormData cannot be made from a form element: append the entries');
    }
    /** @param {Guest} name @param {Guest} value @param {Guest} fileName */
    append(name, value, fileName) {
      needArguments(arguments.length, 2, 'FormData.append');
      push(this.#pairs, { __proto__: null, name: toWellFormed(`${name}`), value: valueOf(value, fileName) });
    }
    /** @param {Guest} name @param {Guest} value @param {Guest} fileName */
    set(name, value, fileName) {
      needArguments(arguments.length, 2, 'FormData.set');
      const pair = { __proto__: null, name: toWellFormed(`${name}`), value: valueOf(value, fileName) };
      const kept = list();
      let isThere = false;
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i].name !== pair.name) push(kept, this.#pairs[i]);
        else if (!isThere) {
          isThere = true;
          push(kept, pair);
        }
      }
      if (!isThere) push(kept, pair);
      this.#pairs = kept;
    }
    /** @param {Guest} name */
    delete(name) {
      needArguments(arguments.length, 1, 'FormData.delete');
      const wanted = toWellFormed(`${name}`);
      const kept = list();
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i].name !== wanted) push(kept, this.#pairs[i]);
      this.#pairs = kept;
    }
    /** @param {Guest} name */
    get(name) {
      needArguments(arguments.length, 1, 'FormData.get');
      const wanted = toWellFormed(`${name}`);
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i].name === wanted) return this.#pairs[i].value;
      return null;
    }
    /** @param {Guest} name */
    getAll(name) {
      needArguments(arguments.length, 1, 'FormData.getAll');
      const wanted = toWellFormed(`${name}`);
      const found = list();
      for (let i = 0; i < this.#pairs.length; i++)
        if (this.#pairs[i].name === wanted) push(found, this.#pairs[i].value);
      return toArray(found);
    }
    /** @param {Guest} name */
    has(name) {
      needArguments(arguments.length, 1, 'FormData.has');
      const wanted = toWellFormed(`${name}`);
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i].name === wanted) return true;
      return false;
    }
    /** @param {Guest} callback @param {Guest} self */
    forEach(callback, self) {
      if (typeof callback !== 'function') throw new realm.TypeError('FormData.forEach needs a function');
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
    /** @param {PickOfPair} pick */
    #iterate(pick) {
      return newIterator((at) => this.#pairs[at], pick);
    }
    static {
      realm.isFormData = (value) => value !== null && typeof value === 'object' && #pairs in value;
      realm.pairsOfForm = (form) => form.#pairs;
      // Names and values in turn.
      realm.shownForm = (form) => {
        const flat = list();
        for (let i = 0; i < form.#pairs.length; i++) {
          push(flat, form.#pairs[i].name);
          push(flat, form.#pairs[i].value);
        }
        return flat;
      };
      realm.newForm = (pairs) => {
        const form = new FormData();
        form.#pairs = pairs;
        return form;
      };
    }
  }

  realm.define(FormData.prototype, iterator, FormData.prototype.entries);
  tag('FormData', FormData);
  give('FormData', FormData);
});
