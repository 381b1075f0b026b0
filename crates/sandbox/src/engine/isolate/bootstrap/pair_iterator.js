// Iterators over names and values that follow what happens to them meanwhile, and how pairs are read from a guest.
(function pairIterators(realm) {
  const { IteratorPrototype, iterator } = realm;

  // Something to inherit from that has V8's prototype of iterators.
  const Iterating = function () {};
  Iterating.prototype = IteratorPrototype;

  // A function that makes iterators: `pairAt` gives the pair at a place, or undefined behind the last one, and `pick` what is
  // wanted of it.
  realm.newPairIterators = (name) => {
    class PairIterator extends Iterating {
      #pairAt;
      #pick;
      #next = 0;
      constructor(pairAt, pick) {
        super();
        this.#pairAt = pairAt;
        this.#pick = pick;
      }
      next() {
        const pair = this.#pairAt?.(this.#next);
        this.#next += 1;
        if (pair !== undefined) return { value: this.#pick(pair), done: false };
        // What has come to its end stays there.
        this.#pairAt = undefined;
        return { value: undefined, done: true };
      }
    }
    delete PairIterator.prototype.constructor;
    realm.put(PairIterator.prototype, 'next', PairIterator.prototype.next);
    realm.tag(`${name} Iterator`, PairIterator);
    return (pairAt, pick) => new PairIterator(pairAt, pick);
  };

  realm.pairOf = (pair) => [pair.name, pair.value];
  realm.nameOfPair = (pair) => pair.name;
  realm.valueOfPair = (pair) => pair.value;

  // Calls `add` with the name and the value of each pair in what a guest gave.
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
      if (typeof names[i] === 'symbol') throw new realm.TypeError('A name is text, and no symbol');
      add(names[i], input[names[i]]);
    }
  };

  // By a stable sort of V8's own.
  realm.sortPairs = (pairs) => {
    const sorted = realm.sort(realm.toArray(pairs), (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    for (let i = 0; i < pairs.length; i++) pairs[i] = sorted[i];
    return pairs;
  };

  realm.needArguments = (given, needed, what) => {
    if (given < needed) {
      throw new realm.TypeError(`${what} needs ${needed === 1 ? 'an argument' : `${needed} arguments`}, but has ${given}`);
    }
  };
});
