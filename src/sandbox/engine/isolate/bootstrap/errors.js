// What errors say about themselves, and which of them are the host's.
(function errors(realm, native) {
  const { JSONStringify, define, errorToString, getOwnPropertyDescriptor, hasOwn, indexOf, slice, textOf } = realm;
  const { weakMapGet, weakMapSet } = realm;

  const hostFaults = new realm.WeakMap();

  const readText = (value, key) => {
    try {
      const text = value[key];
      return typeof text === 'string' ? text : '';
    } catch {
      return '';
    }
  };

  const headOf = (error) => {
    try {
      return errorToString(error);
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

  // What a thrown value says about itself, as JSON text.
  function describe(error) {
    const out = { __proto__: null, name: '', message: '', stack: '', host_code: null };
    if (!native.isError(error)) {
      const told = typeof error === 'object' && error !== null ? readText(error, 'message') : '';
      if (told !== '') out.name = cut(readText(error, 'name'), MAX_NAME);
      out.message = cut(told === '' ? textOf(error) : told, MAX_TEXT);
      return JSONStringify(out);
    }
    out.name = cut(readText(error, 'name'), MAX_NAME);
    out.message = cut(readText(error, 'message'), MAX_TEXT);
    out.stack = cut(stackOf(error), MAX_TEXT);
    out.host_code = weakMapGet(hostFaults, error) ?? null;
    let inner = error;
    for (let i = 0; i < CAUSES; i++) {
      const descriptor = getOwnPropertyDescriptor(inner, 'cause');
      if (descriptor === undefined || !hasOwn(descriptor, 'value')) break;
      inner = descriptor.value;
      out.stack += `\nCaused by: ${cut(textOf(inner), MAX_TEXT)}`;
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

  realm.readText = readText;
  realm.errorText = errorText;
  realm.describeError = describe;
  realm.hostError = hostError;
});
