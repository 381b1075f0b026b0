// Live iterators over name-value pairs, and functions that read pairs from guest values.
(function pairIterators(/** @type {Realm} */ realm) {
  const { IteratorPrototype, iterator } = realm;

  // A base class with V8's iterator prototype.
  /** @type {Guest} */
  const Iterating = function Iterating() {};
  Iterating.prototype = IteratorPrototype;

  realm.pairsLeft = { __proto__: null };
  // Returns a function that creates iterators: `pairAt` returns the pair at an index, or undefined after the last one; `pick`
  // returns the name, the value or both.
  realm.newPairIterators = (name) => {
    class PairIterator extends Iterating {
      #pairAt;
      #pick;
      #next = 0;
      /** @param {Guest} pairAt @param {Guest} pick */
      constructor(pairAt, pick) {
        super();
        this.#pairAt = pairAt;
        this.#pick = pick;
      }
      next() {
        const pair = this.#pairAt?.(this.#next);
        this.#next += 1;
        if (pair !== undefined) return { value: this.#pick(pair), done: false };
        // A finished iterator stays finished.
        this.#pairAt = undefined;
        return { value: undefined, done: true };
      }
      static {
        // What `console` shows of an iterator: what it would still return.
        realm.pairsLeft[name] = (/** @type {Guest} */ value) => {
          const left = realm.list();
          for (let at = value.#next, pair = value.#pairAt?.(at); pair !== undefined; pair = value.#pairAt(at)) {
            realm.push(left, value.#pick(pair));
            at += 1;
          }
          return left;
        };
      }
    }
    /** @type {Guest} */
    const prototype = PairIterator.prototype;
    delete prototype.constructor;
    realm.put(PairIterator.prototype, 'next', PairIterator.prototype.next);
    realm.tag(`${name} Iterator`, PairIterator);
    return (pairAt, pick) => new PairIterator(pairAt, pick);
  };

  /** @param {Pair<Guest>} pair */
  realm.pairOf = (pair) => [pair.name, pair.value];
  /** @param {Pair<Guest>} pair */
  realm.nameOfPair = (pair) => pair.name;
  /** @param {Pair<Guest>} pair */
  realm.valueOfPair = (pair) => pair.value;

  // Calls `add` with the name and the value of each pair of an iterable.
  realm.eachPair = (input, what, add) => {
    const refuse = () => {
      throw new realm.TypeError(`${what} needs pairs of a name and a value`);
    };
    for (const pair of input) {
      if ((typeof pair !== 'object' && typeof pair !== 'function') || pair === null) refuse();
      if (typeof pair[iterator] !== 'function') refuse();
      let count = 0;
      let name;
      let value;
      for (const item of pair) {
        if (count === 0) name = item;
        else if (count === 1) value = item;
        else refuse();
        count += 1;
      }
      if (count !== 2) refuse();
      add(name, value);
    }
  };

  // The same for the own members of an object.
  realm.eachMember = (input, add) => {
    const names = realm.ReflectOwnKeys(input);
    for (let i = 0; i < names.length; i++) {
      const descriptor = realm.getOwnPropertyDescriptor(input, names[i]);
      if (descriptor === undefined || !descriptor.enumerable) continue;
      if (typeof names[i] === 'symbol') throw new realm.TypeError('A name must be a string, not a symbol');
      add(names[i], input[names[i]]);
    }
  };

  // Sorts by name; V8's sort is stable.
  realm.sortPairs = (pairs) => {
    const sorted = realm.sort(realm.toArray(pairs), (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    for (let i = 0; i < pairs.length; i++) pairs[i] = sorted[i];
    return pairs;
  };

  realm.needArguments = (count, needed, what) => {
    if (count < needed) {
      throw new realm.TypeError(
        `${what}: ${needed} argument${needed > 1 ? 's' : ''} required, but${count > 0 ? ' only' : ''} ${count} found.`,
      );
    }
  };
});
