// What errors say about themselves, and which of them are the host's.
(function errors(realm, native) {
  const { JSONStringify, define, errorToString, getOwnPropertyDescriptor, hasOwn, indexOf, slice, textOf } = realm;
  const { isArray, weakMapGet, weakMapSet } = realm;

  const hostFaults = new realm.WeakMap();

  // Longer texts are not put together only to be cut: V8 has to, to look at any part of one.
  const MAX_READ = 1 << 20;
  const readable = (text) => (text.length > MAX_READ ? native.head(text, MAX_READ) : text);

  const readText = (value, key) => {
    try {
      const text = value[key];
      return typeof text === 'string' ? readable(text) : '';
    } catch {
      return '';
    }
  };

  const headOf = (error) => {
    try {
      return readable(errorToString(error));
    } catch {
      return '[error that throws when it is read]';
    }
  };

  const FRAME = '\n    at ';

  // The stack. It was written when it was first read; a message that the tool has changed since comes first all the same.
  // A message may quote the stack of another error: its frames are none of this one.
  function stackOf(error) {
    const stack = readText(error, 'stack');
    const message = readText(error, 'message');
    const end = indexOf(stack, FRAME);
    const told = indexOf(stack, message);
    if (end < 0 || (told >= 0 && told <= end)) return stack;
    const frames = slice(stack, end);
    const quote = indexOf(message, FRAME);
    const quoted = quote < 0 ? '' : slice(message, quote);
    return `${headOf(error)}${indexOf(frames, quoted) === 0 ? slice(frames, quoted.length) : frames}`;
  }

  function errorText(error) {
    const stack = stackOf(error);
    return stack === '' ? headOf(error) : stack;
  }

  const CAUSES = 5;
  // As much as the engine lets through, and a little more, so that it sees that something is missing.
  const MAX_NAME = 300;
  const MAX_TEXT = 17000;

  const cut = (text, most) => (text.length > most ? slice(text, 0, most) : text);

  // An own member that is no code; undefined for none.
  const memberOf = (error, name) => {
    const descriptor = getOwnPropertyDescriptor(error, name);
    return descriptor !== undefined && hasOwn(descriptor, 'value') ? descriptor.value : undefined;
  };

  // What an error that stands for several says, with what the first of them say.
  const messageOf = (error) => {
    const message = readText(error, 'message');
    const errors = memberOf(error, 'errors');
    if (!isArray(errors)) return message;
    let told = '';
    for (let i = 0; i < errors.length && i < CAUSES; i++) {
      const one = memberOf(errors, i);
      told += `${i === 0 ? '' : '; '}${native.isError(one) ? headOf(one) : readable(textOf(one))}`;
    }
    return told === '' ? message : `${message}: ${told}`;
  };

  // What a thrown value says about itself, as JSON text.
  function describe(error) {
    const out = { __proto__: null, name: '', message: '', stack: '', host_code: null };
    if (!native.isError(error)) {
      const told = typeof error === 'object' && error !== null ? readText(error, 'message') : '';
      if (told !== '') out.name = cut(readText(error, 'name'), MAX_NAME);
      out.message = cut(told === '' ? readable(textOf(error)) : told, MAX_TEXT);
      return JSONStringify(out);
    }
    out.name = cut(readText(error, 'name'), MAX_NAME);
    out.message = cut(messageOf(error), MAX_TEXT);
    out.stack = cut(stackOf(error), MAX_TEXT);
    out.host_code = weakMapGet(hostFaults, error) ?? null;
    let inner = error;
    for (let i = 0; i < CAUSES; i++) {
      if (!hasOwn(inner, 'cause')) break;
      inner = memberOf(inner, 'cause');
      out.stack += `\nCaused by: ${cut(readable(textOf(inner)), MAX_TEXT)}`;
      if (!native.isError(inner)) break;
    }
    return JSONStringify(out);
  }

  // An error that the host means: its code reaches the caller when the guest lets it through. `fault` is one without a
  // message, made where its frames are to be from.
  const hostError = (code, message, fault) => {
    const error = fault ?? new realm.Error();
    define(error, 'message', message);
    define(error, 'code', code);
    weakMapSet(hostFaults, error, code);
    return error;
  };

  // A name that somebody made up, for messages.
  realm.brief = (text) => cut(readable(text), MAX_NAME);
  realm.readText = readText;
  realm.errorText = errorText;
  realm.describeError = describe;
  realm.hostError = hostError;
});
