// A result as JSON text, or why it cannot leave.
(function results(realm, native) {
  const { JSONStringify, bigintToString, defineProperty, freeze, indexOf, mapForEach, readText, setForEach } = realm;

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

  function serialise(value) {
    const holders = { __proto__: null };
    const names = { __proto__: null };
    let depth = 0;
    const pathTo = (name) => {
      let path = 'result';
      for (let i = 1; i < depth; i++) path += `.${names[i]}`;
      return depth === 0 ? path : `${path}.${name}`;
    };
    const refuse = (what, name) => {
      native.refuseResult(
        `${pathTo(name)} is ${what}. Return plain data: numbers, strings, booleans, null, arrays, objects.`,
      );
      throw REFUSED;
    };
    const plainMap = (map, name) => {
      const out = { __proto__: null };
      mapForEach(map, (item, key) => {
        const text = keyOf(key);
        if (text === undefined) refuse('a Map with a key that is no string', name);
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
        case 'bigint':
          return bigintToString(item);
        case 'function':
          return refuse('a function', name);
        case 'symbol':
          return refuse('a symbol', name);
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
    if (value === undefined) return 'null';
    try {
      return JSONStringify(value, replace) ?? 'null';
    } catch (error) {
      if (error === REFUSED) return '';
      const message = native.isError(error) ? readText(error, 'message') : '';
      if (indexOf(message, 'circular structure') >= 0) {
        native.refuseResult(`${pathTo('')} contains itself. Return a tree of plain data without cycles.`);
        return '';
      }
      if (indexOf(message, 'call stack size') >= 0 || indexOf(message, 'Invalid string length') >= 0) {
        native.refuseResult('The result is nested too deeply or is too long. Return less data.');
        return '';
      }
      throw error;
    }
  }

  realm.serialise = serialise;
});
