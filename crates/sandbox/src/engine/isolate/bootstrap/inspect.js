// Values as text, for logs and for thrown values that are not errors.
(function inspectValues(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { JSONStringify, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, indexOf, isArray, objectKeys, min, slice } =
    realm;
  const { bigintToString, symbolToString, dateGetTime, dateToISOString, mapForEach, setForEach } = realm;

  const INSPECT_DEPTH = 4;
  const INSPECT_ENTRIES = 100;
  // Node's limit for strings inside other values.
  const INSPECT_CHARS = 10000;
  // Longest string of a log line.
  const MAX_LINE = 64 << 20;

  /** @param {string} text */
  const quoted = (text) => {
    if (text.length <= INSPECT_CHARS) return JSONStringify(text);
    const head = native.head(text, INSPECT_CHARS);
    // A string that is too long to be read is described instead.
    if (head.length < INSPECT_CHARS) return head;
    return `${JSONStringify(head)}... ${text.length - INSPECT_CHARS} more characters`;
  };
  /** @param {string} text */
  const whole = (text) => (text.length > MAX_LINE ? `[text of ${text.length} characters]` : text);

  // An own member that is not an accessor; undefined if there is none.
  /** @type {Realm['ownValue']} */
  const ownValue = (object, name) => {
    const descriptor = getOwnPropertyDescriptor(object, name);
    return descriptor !== undefined && hasOwn(descriptor, 'value') ? descriptor.value : undefined;
  };

  // The name of an object's class; undefined for an object without a prototype.
  /** @param {Guest} value */
  function classNameOf(value) {
    let prototype = getPrototypeOf(value);
    if (prototype === null) return undefined;
    for (let i = 0; i < INSPECT_DEPTH && prototype !== null && native.classOf(prototype) !== 'Proxy'; i++) {
      const maker = ownValue(prototype, 'constructor');
      if (typeof maker === 'function') return nameOf(maker);
      prototype = getPrototypeOf(prototype);
    }
    return '';
  }

  /** @param {Bytes | undefined} named */
  const nameOf = (named) => {
    const name = native.classOf(named) === 'Proxy' ? undefined : ownValue(named, 'name');
    return typeof name === 'string' ? realm.brief(name) : '';
  };

  // Shown as in Node, although they are not enumerable.
  const HIDDEN = ['cause', 'errors'];

  /** @param {Guest} error @param {number} depth @param {Table<Guest>} seen */
  function inspectError(error, depth, seen) {
    const text = realm.errorText(error);
    for (let i = 0; i < depth; i++) if (seen[i] === error) return '[Circular]';
    if (depth >= INSPECT_DEPTH) return text;
    seen[depth] = error;
    let more = inspectEntries('', error, depth, seen);
    for (let i = 0; i < HIDDEN.length; i++) {
      const descriptor = getOwnPropertyDescriptor(error, HIDDEN[i]);
      if (descriptor === undefined || descriptor.enumerable || !hasOwn(descriptor, 'value')) continue;
      more += `${more === '' ? '' : ', '}[${HIDDEN[i]}]: ${inspect(descriptor.value, depth + 1, seen)}`;
    }
    return more === '' ? text : `${text} { ${more} }`;
  }

  /** @param {string} parts @param {Guest} value @param {number} depth @param {Table<Guest>} seen */
  function inspectEntries(parts, value, depth, seen) {
    const names = objectKeys(value);
    const shown = min(names.length, INSPECT_ENTRIES);
    let text = parts;
    for (let i = 0; i < shown; i++) {
      const name = names[i];
      const descriptor = getOwnPropertyDescriptor(value, name);
      if (descriptor === undefined) continue;
      const plain = hasOwn(descriptor, 'value') ? inspect(descriptor.value, depth + 1, seen) : '[Getter]';
      text += `${text === '' ? '' : ', '}${name}: ${plain}`;
    }
    return names.length > shown ? `${text}, … ${names.length - shown} more` : text;
  }

  /** @param {Guest} value @param {number} depth @param {Table<Guest>} seen */
  function inspectArray(value, depth, seen) {
    const shown = min(value.length, INSPECT_ENTRIES);
    let text = '';
    for (let i = 0; i < shown; i++) text += `${i === 0 ? '' : ', '}${inspect(value[i], depth + 1, seen)}`;
    return value.length > shown ? `[${text}, … ${value.length - shown} more]` : `[${text}]`;
  }

  /** @param {Guest} value */
  function inspectTypedArray(value) {
    const length = realm.typedArrayLength(value);
    const seen = { __proto__: null };
    const shown = min(length, INSPECT_ENTRIES);
    let text = '';
    for (let i = 0; i < shown; i++) text += `${i === 0 ? '' : ', '}${inspect(value[i], 1, seen)}`;
    return `${realm.typedArrayName(value)}(${length}) [${text}${length > shown ? `, … ${length - shown} more` : ''}]`;
  }

  /** @param {string} name @param {Guest} forEach @param {Guest} value @param {number} depth @param {Table<Guest>} seen */
  function inspectCollection(name, forEach, value, depth, seen) {
    let text = '';
    let count = 0;
    forEach(value, (/** @type {Guest} */ item, /** @type {string} */ key) => {
      count += 1;
      if (count > INSPECT_ENTRIES) return;
      const left = name === 'Map' ? `${inspect(key, depth + 1, seen)} => ` : '';
      text += `${text === '' ? '' : ', '}${left}${inspect(item, depth + 1, seen)}`;
    });
    return `${name}(${count}) {${text}${count > INSPECT_ENTRIES ? ', …' : ''}}`;
  }

  /** @param {Guest} value @param {number} depth @param {Table<Guest>} seen */
  function inspectObject(value, depth, seen) {
    if (native.isError(value)) return inspectError(value, depth, seen);
    for (let i = 0; i < depth; i++) if (seen[i] === value) return '[Circular]';
    if (depth >= INSPECT_DEPTH) return isArray(value) ? '[Array]' : '[Object]';
    seen[depth] = value;
    if (isArray(value)) return inspectArray(value, depth, seen);
    const href = realm.hrefOf(value);
    if (href !== undefined) return `URL(${href})`;
    switch (native.classOf(value)) {
      case 'Map':
        return inspectCollection('Map', mapForEach, value, depth, seen);
      case 'Set':
        return inspectCollection('Set', setForEach, value, depth, seen);
      case 'Date': {
        const time = dateGetTime(value);
        // NaN for an invalid date.
        return time - time === 0 ? dateToISOString(value) : 'Invalid Date';
      }
      case 'Proxy':
        return '[Proxy]';
      case 'RegExp':
        return `/${realm.regexpSource(value)}/${realm.regexpFlags(value)}`;
      case 'ArrayBuffer':
        return `ArrayBuffer(${realm.bufferBytes(value)})`;
      case 'TypedArray':
        return inspectTypedArray(value);
      case 'Promise':
        return '[Promise]';
      default:
        return inspectMembers(value, depth, seen);
    }
  }

  /** @param {Guest} value @param {number} depth @param {Table<Guest>} seen */
  function inspectMembers(value, depth, seen) {
    const name = classNameOf(value);
    const prefix =
      name === undefined ? '[Object: null prototype] ' : name === '' || name === 'Object' ? '' : `${name} `;
    const members = inspectEntries('', value, depth, seen);
    return members === '' ? `${prefix}{}` : `${prefix}{ ${members} }`;
  }

  /** @param {Guest} value @param {number} depth @param {Table<Guest>} seen */
  function inspect(value, depth, seen) {
    switch (typeof value) {
      case 'string':
        return depth === 0 ? whole(value) : quoted(value);
      case 'bigint':
        return `${bigintToString(value)}n`;
      case 'symbol':
        return symbolToString(value);
      case 'function':
        return nameOf(value) === '' ? '[Function (anonymous)]' : `[Function: ${nameOf(value)}]`;
      case 'object':
        return value === null ? 'null' : inspectObject(value, depth, seen);
      case 'undefined':
        return 'undefined';
      default:
        return `${value}`;
    }
  }

  /** @type {Realm['textOf']} */
  const textOf = (value) => {
    try {
      return inspect(value, 0, { __proto__: null });
    } catch {
      return '[value that throws when it is read]';
    }
  };

  /** @param {Guest} value */
  const jsonText = (value) => {
    try {
      return `${JSONStringify(value)}`;
    } catch {
      return '[value that is not JSON]';
    }
  };

  /** @param {Guest} value @param {(value: Guest) => number} read */
  const numberText = (value, read) => {
    if (typeof value === 'bigint') return `${bigintToString(value)}n`;
    if (typeof value === 'symbol') return 'NaN';
    try {
      const number = read(value);
      return number === 0 && 1 / number < 0 ? '-0' : `${number}`;
    } catch {
      return 'NaN';
    }
  };

  // The text for a placeholder in the format string; undefined for an unknown placeholder.
  /** @param {string} kind @param {Guest} value */
  const placed = (kind, value) => {
    switch (kind) {
      case 's':
        return textOf(value);
      case 'd':
        return numberText(value, (/** @type {Guest} */ it) => (typeof it === 'object' && it !== null ? 0 / 0 : +it));
      case 'i':
        return numberText(value, realm.parseInt);
      case 'f':
        return typeof value === 'symbol' ? 'NaN' : `${numberText(value, realm.parseFloat)}`;
      case 'j':
        return jsonText(value);
      case 'o':
      case 'O':
        return typeof value === 'string' ? `'${whole(value)}'` : textOf(value);
      case 'c':
        return '';
      default:
        return undefined;
    }
  };

  realm.ownValue = ownValue;
  realm.textOf = textOf;
  realm.formatLine = function formatLine(values) {
    let line = '';
    let next = 0;
    if (values.length > 1 && typeof values[0] === 'string') {
      const pattern = whole(values[0]);
      next = 1;
      let from = 0;
      for (let at = indexOf(pattern, '%'); at >= 0; at = indexOf(pattern, '%', at)) {
        const kind = pattern[at + 1];
        const text = kind === '%' ? '%' : next < values.length ? placed(kind, values[next]) : undefined;
        if (text === undefined) {
          at += 1;
          continue;
        }
        if (kind !== '%') next += 1;
        line += slice(pattern, from, at) + text;
        at += 2;
        from = at;
      }
      line += slice(pattern, from);
    }
    for (let i = next; i < values.length; i++) line += `${i === 0 ? '' : ' '}${textOf(values[i])}`;
    return line;
  };
});
