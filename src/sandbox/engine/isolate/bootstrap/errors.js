// What errors say about themselves, and which of them are the host's.
(function errors(realm, native) {
  const { JSONStringify, define, errorToString, getOwnPropertyDescriptor, hasOwn, slice, textOf } = realm;
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

  function errorText(error) {
    const stack = readText(error, 'stack');
    if (stack !== '') return stack;
    try {
      return errorToString(error);
    } catch {
      return '[error that throws when it is read]';
    }
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
      out.message = cut(textOf(error), MAX_TEXT);
      return JSONStringify(out);
    }
    out.name = cut(readText(error, 'name'), MAX_NAME);
    out.message = cut(readText(error, 'message'), MAX_TEXT);
    out.stack = cut(readText(error, 'stack'), MAX_TEXT);
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

  // An error that the host means: its code reaches the caller when the guest lets it through.
  const hostError = (code, message) => {
    const error = new realm.Error(message);
    define(error, 'code', code);
    weakMapSet(hostFaults, error, code);
    return error;
  };

  realm.readText = readText;
  realm.errorText = errorText;
  realm.describeError = describe;
  realm.hostError = hostError;
});
