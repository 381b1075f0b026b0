// Messages and stacks of thrown values, and the mark of errors that come from the host.
(function errors(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { JSONStringify, define, errorToString, hasOwn, indexOf, isArray, ownValue, slice, textOf } = realm;
  const { weakMapGet, weakMapSet } = realm;

  const hostFaults = new realm.WeakMap();

  // Longer strings are not read in full only to be cut: V8 flattens a string to read any part of it.
  const MAX_READ = 1 << 20;
  /** @param {string} text */
  const readable = (text) => (text.length > MAX_READ ? native.head(text, MAX_READ) : text);

  /** @type {Realm['readText']} */
  const readText = (value, key) => {
    try {
      const text = value[key];
      return typeof text === 'string' ? readable(text) : '';
    } catch {
      return '';
    }
  };

  /** @param {Guest} error */
  const headOf = (error) => {
    try {
      return readable(errorToString(error));
    } catch {
      return '[error that throws when it is read]';
    }
  };

  const FRAME = '\n    at ';

  // The stack. V8 writes it when it is first read; a message that the tool changed later still comes first.
  // A message may quote the stack of another error; those frames do not belong to this one.
  /** @param {Guest} error */
  function stackOf(error) {
    const stack = readText(error, 'stack');
    const message = readText(error, 'message');
    const end = indexOf(stack, FRAME);
    const messageAt = indexOf(stack, message);
    if (end < 0 || (messageAt >= 0 && messageAt <= end)) return stack;
    const frames = slice(stack, end);
    const quote = indexOf(message, FRAME);
    const quoted = quote < 0 ? '' : slice(message, quote);
    return `${headOf(error)}${indexOf(frames, quoted) === 0 ? slice(frames, quoted.length) : frames}`;
  }

  /** @type {Realm['errorText']} */
  function errorText(error) {
    const stack = stackOf(error);
    return stack === '' ? headOf(error) : stack;
  }

  const CAUSES = 5;
  // A little more than the engine's limits, so that it sees that something was cut.
  const MAX_NAME = 300;
  const MAX_TEXT = 17000;

  /** @param {string} text @param {number} most */
  const cut = (text, most) => (text.length > most ? slice(text, 0, most) : text);

  // The message of an error; of an AggregateError with the first of its errors' messages.
  /** @param {Guest} error */
  const messageOf = (error) => {
    const message = readText(error, 'message');
    const errors = ownValue(error, 'errors');
    if (!isArray(errors)) return message;
    let causes = '';
    for (let i = 0; i < errors.length && i < CAUSES; i++) {
      const one = ownValue(errors, i);
      causes += `${i === 0 ? '' : '; '}${native.isError(one) ? headOf(one) : readable(textOf(one))}`;
    }
    return causes === '' ? message : `${message}: ${causes}`;
  };

  // Name, message, stack and host code of a thrown value, as JSON text.
  /** @type {Realm['describeError']} */
  function describe(error) {
    const out = { __proto__: null, name: '', message: '', stack: '', host_code: null };
    if (!native.isError(error)) {
      const message = typeof error === 'object' && error !== null ? readText(error, 'message') : '';
      if (message !== '') out.name = cut(readText(error, 'name'), MAX_NAME);
      out.message = cut(message === '' ? readable(textOf(error)) : message, MAX_TEXT);
      return JSONStringify(out);
    }
    out.name = cut(readText(error, 'name'), MAX_NAME);
    out.message = cut(messageOf(error), MAX_TEXT);
    out.stack = cut(stackOf(error), MAX_TEXT);
    out.host_code = weakMapGet(hostFaults, error) ?? null;
    let inner = error;
    for (let i = 0; i < CAUSES; i++) {
      if (!hasOwn(inner, 'cause')) break;
      inner = ownValue(inner, 'cause');
      out.stack += `\nCaused by: ${cut(readable(textOf(inner)), MAX_TEXT)}`;
      if (!native.isError(inner)) break;
    }
    return JSONStringify(out);
  }

  // An error of the host: its code reaches the caller if the guest does not catch it. `fault` is an error without a message,
  // created earlier so that its frames are those of the call.
  /** @type {Realm['hostError']} */
  const hostError = (code, message, fault) => {
    const error = fault ?? new realm.Error();
    define(error, 'message', message);
    define(error, 'code', code);
    weakMapSet(hostFaults, error, code);
    return error;
  };

  // A name chosen by the guest, shortened for messages.
  realm.brief = (text) => cut(readable(text), MAX_NAME);
  realm.readText = readText;
  realm.errorText = errorText;
  realm.errorTitle = headOf;
  realm.describeError = describe;
  realm.hostError = hostError;
});
