// Lines of the log, and thrown values that are not errors. Primitive values need no more than this file.
(function inspectValues(/** @type {Realm} */ realm) {
  const { bigintToString, getOwnPropertyDescriptor, hasOwn, indexOf, put, slice, symbolToString } = realm;

  // Longest string of a log line.
  const MAX_LINE = 64 << 20;
  const UNREADABLE = '[value that throws when it is read]';

  /** @param {string} text */
  const whole = (text) => (text.length > MAX_LINE ? `[text of ${text.length} characters]` : text);

  // An own member that is not an accessor; undefined if there is none.
  /** @type {Realm['ownValue']} */
  const ownValue = (object, name) => {
    const descriptor = getOwnPropertyDescriptor(object, name);
    return descriptor !== undefined && hasOwn(descriptor, 'value') ? descriptor.value : undefined;
  };

  // The text of a primitive value; undefined for others.
  /** @param {Guest} value */
  const simpleText = (value) => {
    switch (typeof value) {
      case 'string':
        return whole(value);
      case 'bigint':
        return `${bigintToString(value)}n`;
      case 'symbol':
        return symbolToString(value);
      case 'number':
        return value === 0 && 1 / value < 0 ? '-0' : `${value}`;
      case 'boolean':
      case 'undefined':
        return `${value}`;
      default:
        return value === null ? 'null' : undefined;
    }
  };

  /** @type {Realm['textOf']} */
  const textOf = (value, options) => {
    const text = options === undefined ? simpleText(value) : undefined;
    if (text !== undefined) return text;
    try {
      realm.need('inspect');
      return realm.inspectWith(value, options);
    } catch {
      return UNREADABLE;
    }
  };

  // As in Node: what an argument, or a property with a dot in its name, must be.
  realm.wrongType = (name, wanted, value) => {
    const type = typeof value;
    const text = type === 'string' ? `'${value.length > 28 ? `${slice(value, 0, 25)}...` : value}'` : simpleText(value);
    const maker = type === 'object' && value !== null ? value.constructor?.name : undefined;
    let received = `type ${type} (${text})`;
    if (value === undefined || value === null) received = `${value}`;
    else if (type === 'function') received = `function ${value.name}`;
    else if (text === undefined) received = maker ? `an instance of ${maker}` : textOf(value);
    const kind = indexOf(name, '.') < 0 ? 'argument' : 'property';
    return new realm.TypeError(`The "${name}" ${kind} must be ${wanted}. Received ${received}`);
  };

  // The values, if all are primitive and the first is not a format string.
  /** @param {Guest[]} values */
  const simpleLine = (values) => {
    if (typeof values[0] === 'string' && indexOf(values[0], '%') >= 0) return undefined;
    let line = '';
    for (let i = 0; i < values.length; i++) {
      const text = simpleText(values[i]);
      if (text === undefined) return undefined;
      line += i === 0 ? text : ` ${text}`;
    }
    return line;
  };

  realm.ownValue = ownValue;
  realm.textOf = textOf;
  realm.formatLine = function formatLine(values) {
    if (values.length === 1) return textOf(values[0]);
    // First, because V8 flattens a string to search it.
    for (let i = 0; i < values.length; i++) if (typeof values[i] === 'string') put(values, i, whole(values[i]));
    const line = simpleLine(values);
    if (line !== undefined) return line;
    try {
      realm.need('inspect');
      return realm.formatWith(undefined, values);
    } catch {
      let rest = '';
      for (let i = 0; i < values.length; i++) rest += `${i === 0 ? '' : ' '}${textOf(values[i])}`;
      return rest;
    }
  };
});
