// Serialisation of results and arguments as JSON text, with reasons for values that cannot be serialised.
(function results(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { JSONStringify, bigintToString, defineProperty, freeze, indexOf, mapForEach, setForEach } = realm;
  const { ObjectPrototype, getPrototypeOf, isArray, objectKeys, slice, toStringTag } = realm;

  /** @param {Guest} key */
  function keyOf(key) {
    switch (typeof key) {
      case 'string':
        return key;
      case 'number':
      case 'boolean':
        return `${key}`;
      case 'bigint':
        return bigintToString(key);
      default:
        return undefined;
    }
  }

  const NAME_CHARS = 100;
  /** @param {string} name */
  const shortened = (name) => (name.length > NAME_CHARS ? `${slice(name, 0, NAME_CHARS)}…` : name);

  // NaN and the infinities become null, as in JSON.stringify; `warn` gets the first one and the number of the others, so that
  // the caller knows why a result holds null.
  /** @param {string} first @param {number} others */
  const nonFiniteWarning = (first, others) =>
    `${first}, which JSON cannot hold: it was replaced by null.${others === 0 ? '' : ` The same applies to ${others} more.`}`;

  const REFUSED = freeze({ __proto__: null });
  const PLAIN = 'plain data: numbers, strings, booleans, null, arrays, objects';

  // The JSON text; empty after a call of `refuse` with the reason. `as` holds parts of messages: `root` and `owner` name the
  // value, `advice` and `less` say what to do. Sizes are counted before values are copied, so that a text longer than
  // `as.most` is never built.
  /** @type {Realm['toJson']} */
  function toJson(value, as, refuse, warn) {
    const { root, owner, advice } = as;
    /** @type {Internal & { [depth: number]: object }} */
    const holders = { __proto__: null };
    /** @type {Internal & { [depth: number]: object }} */
    const originals = { __proto__: null };
    /** @type {Internal & { [depth: number]: string }} */
    const names = { __proto__: null };
    let depth = 0;
    let nonFinite = 0;
    let firstNonFinite = '';
    let left = as.most;
    /** @param {string} [name] */
    const pathTo = (name) => {
      let path = root;
      for (let i = 1; i < depth; i++) path += `.${shortened(names[i])}`;
      return depth === 0 || name === undefined ? `${path}${owner}` : `${path}.${shortened(name)}${owner}`;
    };
    /** @type {(message: string, isTooLong: boolean) => never} */
    const end = (message, isTooLong) => {
      refuse(message, isTooLong);
      throw REFUSED;
    };
    /** @param {string} what @param {string} [name] @returns {never} */
    const stop = (what, name) => end(`${pathTo(name)} is ${what}. ${advice} ${PLAIN}.`, false);
    /** @param {string} culprit */
    const tooLong = (culprit) =>
      end(
        `The ${root}${owner} ${as.verb} more than ${as.most} bytes of JSON (${as.limit})${culprit}. ${as.less}`,
        true,
      );
    /** @param {number} count */
    const spend = (count) => {
      left -= count;
      if (left < 0) tooLong('');
    };
    // Fails before a value is copied that is too large, naming the value.
    /** @param {number} count @param {string | undefined} name @param {string} what */
    const reserve = (count, name, what) => {
      if (count > left) tooLong(count > as.most ? `: ${pathTo(name)} is ${what}` : '');
    };
    /** @param {Map<Guest, Guest>} map @param {string} name */
    const plainMap = (map, name) => {
      /** @type {Table<any>} */
      const out = { __proto__: null };
      mapForEach(map, (item, key) => {
        const text = keyOf(key);
        if (text === undefined) return stop('a Map with a key that is not a string or number', name);
        if (realm.hasOwn(out, text)) stop(`a Map with two keys that are written "${shortened(text)}"`, name);
        out[text] = item;
      });
      return out;
    };
    /** @param {Set<Guest>} set */
    const plainSet = (set) => {
      /** @type {Guest[]} */
      const out = [];
      setForEach(set, (item) => {
        defineProperty(out, out.length, {
          __proto__: null,
          value: item,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      });
      return out;
    };
    // Whether JSON would drop all content of an object: it has no members and is not a plain object.
    /** @param {Guest} item */
    const isBare = (item) => {
      const prototype = getPrototypeOf(item);
      return prototype !== ObjectPrototype && prototype !== null && objectKeys(item).length === 0;
    };
    /** @param {Guest} item @param {string} name @param {string | undefined} type */
    const plain = (item, name, type) => {
      switch (type) {
        case undefined: {
          if (isArray(item)) {
            const { length } = item;
            if (length * 2 > left) reserve(length * 2, name, `an array of ${length} items`);
          } else if (isBare(item)) {
            const tag = item[toStringTag];
            if (typeof tag === 'string') stop(realm.unwritable(tag), name);
          }
          return item;
        }
        case 'Map':
          return plainMap(item, name);
        case 'Set':
          return plainSet(item);
        case 'Date':
        case 'Proxy':
          return item;
        default:
          return realm.asPlain(item, type, {
            __proto__: null,
            stop: (what) => stop(what, name),
            reserve: (count, what) => reserve(count, name, what),
          });
      }
    };
    /** @this {Guest} @param {string} name @param {Guest} item @returns {unknown} */
    function replace(name, item) {
      while (depth > 0 && holders[depth - 1] !== this) depth -= 1;
      if (item === undefined) {
        if (depth > 0 && isArray(this)) spend(5);
        return undefined;
      }
      if (depth > 0) spend(isArray(this) ? 1 : name.length + 4);
      switch (typeof item) {
        case 'number':
          spend(1);
          // 0 for finite numbers, NaN for others.
          if (item - item !== 0) {
            if (nonFinite === 0) firstNonFinite = `${pathTo(name)} is ${item}`;
            nonFinite += 1;
          }
          return item;
        case 'string':
          if (item.length >= left) reserve(item.length + 2, name, `a text of ${item.length} characters`);
          spend(item.length + 2);
          return item;
        case 'bigint': {
          const digits = bigintToString(item);
          spend(digits.length + 2);
          return digits;
        }
        case 'function':
          return stop('a function', name);
        case 'symbol':
          return stop('a symbol', name);
        case 'object': {
          if (item === null) return null;
          spend(1);
          const made = plain(item, name, native.classOf(item));
          if (typeof made !== 'object') {
            spend(typeof made === 'string' ? made.length : 1);
            return made;
          }
          // JSON.stringify detects cycles only among the objects that the replacer returns.
          if (made !== item) {
            for (let i = 0; i < depth; i++) {
              if (originals[i] === item) end(`${pathTo()} contains itself. ${advice} a tree of plain data.`, false);
            }
          }
          holders[depth] = made;
          originals[depth] = item;
          names[depth] = name;
          depth += 1;
          return made;
        }
        default:
          spend(1);
          return item;
      }
    }
    try {
      const text = JSONStringify(value, replace) ?? 'null';
      if (nonFinite > 0) warn(nonFiniteWarning(firstNonFinite, nonFinite - 1));
      return text;
    } catch (error) {
      if (error === REFUSED) return '';
      const message = native.isError(error) ? realm.readText(error, 'message') : '';
      if (indexOf(message, 'circular structure') >= 0) {
        refuse(`${pathTo()} contains itself. ${advice} a tree of plain data without cycles.`, false);
        return '';
      }
      if (indexOf(message, 'call stack size') >= 0 || indexOf(message, 'Invalid string length') >= 0) {
        refuse(`The ${root}${owner} cannot be written: nested too deeply, or too long. ${advice} less data.`, false);
        return '';
      }
      throw error;
    }
  }

  realm.toJson = toJson;
  realm.warn = (message) => native.log(native.logLevels.warn, message);
  // Size limits of the run, set at its start.
  realm.most = { __proto__: null, result: 0, call: 0 };
  realm.serialise = (value) => {
    if (value === undefined) return 'null';
    const as = {
      __proto__: null,
      root: 'result',
      owner: '',
      advice: 'Return',
      most: realm.most.result,
      verb: 'is',
      limit: 'sandbox.resultBytes',
      less: 'Return less data, or a page of it.',
    };
    return toJson(value, as, native.refuseResult, realm.warn);
  };
});
