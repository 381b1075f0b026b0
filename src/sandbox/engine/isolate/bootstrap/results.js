// What leaves the realm as JSON text, or why it cannot.
(function results(realm, native) {
  const { JSONStringify, bigintToString, defineProperty, freeze, indexOf, mapForEach, setForEach } = realm;

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

  const REFUSED = freeze({ __proto__: null });

  // NaN and the infinities become null, as JSON.stringify writes them; `tell` hears of the first one, and how many more
  // there are. A tool that divides by nothing has a result all the same, and its caller need not wonder about the null.
  const toldOf = (first, others) =>
    `${first}, which JSON cannot hold: null stands in its place.${others === 0 ? '' : ` So it is with ${others} more.`}`;

  // The text; empty after `refuse` was told why there is none. `root` and `owner` name the value in messages.
  function toJson(value, root, owner, advice, refuse, tell) {
    const holders = { __proto__: null };
    const names = { __proto__: null };
    let depth = 0;
    let unheld = 0;
    let firstUnheld = '';
    const pathTo = (name) => {
      let path = root;
      for (let i = 1; i < depth; i++) path += `.${names[i]}`;
      return depth === 0 || name === undefined ? `${path}${owner}` : `${path}.${name}${owner}`;
    };
    const stop = (what, name) => {
      refuse(`${pathTo(name)} is ${what}. ${advice} plain data: numbers, strings, booleans, null, arrays, objects.`);
      throw REFUSED;
    };
    const plainMap = (map, name) => {
      const out = { __proto__: null };
      mapForEach(map, (item, key) => {
        const text = keyOf(key);
        if (text === undefined) stop('a Map with a key that is no string', name);
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
    function replace(name, item) {
      while (depth > 0 && holders[depth - 1] !== this) depth -= 1;
      switch (typeof item) {
        case 'number':
          // Of numbers that end, this is 0.
          if (item - item !== 0) {
            if (unheld === 0) firstUnheld = `${pathTo(name)} is ${item}`;
            unheld += 1;
          }
          return item;
        case 'bigint':
          return bigintToString(item);
        case 'function':
          return stop('a function', name);
        case 'symbol':
          return stop('a symbol', name);
        case 'object': {
          if (item === null) return null;
          const type = native.classOf(item);
          const plain = type === 'Map' ? plainMap(item, name) : type === 'Set' ? plainSet(item) : item;
          holders[depth] = plain;
          names[depth] = name;
          depth += 1;
          return plain;
        }
        default:
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
        refuse(`${pathTo()} contains itself. ${advice} a tree of plain data without cycles.`);
        return '';
      }
      if (indexOf(message, 'call stack size') >= 0 || indexOf(message, 'Invalid string length') >= 0) {
        refuse(`The ${root}${owner} cannot be written: nested too deeply, or too long. ${advice} less data.`);
        return '';
      }
      throw error;
    }
  }

  realm.toJson = toJson;
  realm.warn = (message) => native.log(native.logLevels.warn, message);
  realm.serialise = (value) =>
    value === undefined ? 'null' : toJson(value, 'result', '', 'Return', native.refuseResult, realm.warn);
});
