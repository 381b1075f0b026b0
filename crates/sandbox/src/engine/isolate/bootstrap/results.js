// What leaves the realm as JSON text, or why it cannot.
(function results(realm, native) {
  const { JSONStringify, bigintToString, defineProperty, freeze, indexOf, mapForEach, setForEach } = realm;
  const { ObjectPrototype, getPrototypeOf, isArray, objectKeys, slice, toStringTag } = realm;

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
  const shortened = (name) => (name.length > NAME_CHARS ? `${slice(name, 0, NAME_CHARS)}…` : name);

  // NaN and the infinities become null, as JSON.stringify writes them; `tell` hears of the first one, and how many more
  // there are. A tool that divides by nothing has a result all the same, and its caller need not wonder about the null.
  const toldOf = (first, others) =>
    `${first}, which JSON cannot hold: null stands in its place.${others === 0 ? '' : ` So it is with ${others} more.`}`;

  const REFUSED = freeze({ __proto__: null });
  const PLAIN = 'plain data: numbers, strings, booleans, null, arrays, objects';

  // The text; empty after `refuse` was told why there is none. The words of `as` are for messages: `root` and `owner` name
  // the value, `advice` and `less` say what to do. A text that would be longer than `as.most` is not even begun: what takes
  // part in it is counted before it is copied.
  function toJson(value, as, refuse, tell) {
    const { root, owner, advice } = as;
    const holders = { __proto__: null };
    const originals = { __proto__: null };
    const names = { __proto__: null };
    let depth = 0;
    let unheld = 0;
    let firstUnheld = '';
    let left = as.most;
    const pathTo = (name) => {
      let path = root;
      for (let i = 1; i < depth; i++) path += `.${shortened(names[i])}`;
      return depth === 0 || name === undefined ? `${path}${owner}` : `${path}.${shortened(name)}${owner}`;
    };
    const end = (message, isTooLong) => {
      refuse(message, isTooLong);
      throw REFUSED;
    };
    const stop = (what, name) => end(`${pathTo(name)} is ${what}. ${advice} ${PLAIN}.`, false);
    const tooLong = (culprit) =>
      end(`The ${root}${owner} ${as.verb} more than ${as.most} bytes of JSON (${as.limit})${culprit}. ${as.less}`, true);
    const spend = (count) => {
      left -= count;
      if (left < 0) tooLong('');
    };
    // Says what it is that takes so much.
    const reserve = (count, name, what) => {
      if (count > left) tooLong(count > as.most ? `: ${pathTo(name)} is ${what}` : '');
    };
    const plainMap = (map, name) => {
      const out = { __proto__: null };
      mapForEach(map, (item, key) => {
        const text = keyOf(key);
        if (text === undefined) stop('a Map with a key that is no text or number', name);
        if (realm.hasOwn(out, text)) stop(`a Map with two keys that are written "${shortened(text)}"`, name);
        out[text] = item;
      });
      return out;
    };
    const plainSet = (set) => {
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
    // Whether nothing would be left of an object: all that it is stands elsewhere than in its members.
    const isBare = (item) => {
      const prototype = getPrototypeOf(item);
      return prototype !== ObjectPrototype && prototype !== null && objectKeys(item).length === 0;
    };
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
          // Of numbers that end, this is 0.
          if (item - item !== 0) {
            if (unheld === 0) firstUnheld = `${pathTo(name)} is ${item}`;
            unheld += 1;
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
          // JSON.stringify knows only the objects that it is given.
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
      if (unheld > 0) tell(toldOf(firstUnheld, unheld - 1));
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
  // What the texts of a run may be at most; told when it starts.
  realm.most = { __proto__: null, result: 0, call: 0 };
  realm.serialise = (value) => {
    if (value === undefined) return 'null';
    const as = { __proto__: null, root: 'result', owner: '', advice: 'Return', most: realm.most.result };
    as.verb = 'is';
    as.limit = 'sandbox.resultBytes';
    as.less = 'Return less data, or a page of it.';
    return toJson(value, as, native.refuseResult, realm.warn);
  };
});
