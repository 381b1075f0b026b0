// What modules of Node need of the engine: `inspect`, format strings, classes of values, the context of asynchronous calls,
// compression, and ciphers.
(function nodeParts(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { ReflectApply, objectKeys, put } = realm;

  const inspecting = () => {
    realm.need('inspect');
    return {
      __proto__: null,
      inspect: realm.inspectFunction,
      /** @param {Guest} options @param {Guest[]} values */
      format: (options, values) => realm.formatWith(options, values, Infinity),
    };
  };
  const classes = () => ({
    __proto__: null,
    /** @param {Guest} value */
    kindOf: (value) => native.kindOf(value),
  });
  /** @type {AsyncContexts['run']} */
  const runInContext = (context, callback, values) => {
    native.setContext(context);
    try {
      ReflectApply(callback, undefined, values);
    } finally {
      native.setContext(undefined);
    }
  };
  const passOn = () => {
    // From now on, timers keep the context that they were started in.
    realm.contexts.read = () => native.context();
    realm.contexts.run = runInContext;
    return {
      __proto__: null,
      context: () => native.context(),
      /** @param {Guest} value */
      setContext: (value) => native.setContext(value),
    };
  };

  const packing = () => {
    realm.need('nodeCodec');
    return {
      __proto__: null,
      openCodec: realm.openCodec,
      /** @param {Guest} bytes @param {number} start */
      crc32: (bytes, start) => native.crc32(bytes, start),
    };
  };
  const ciphers = () => {
    realm.need('nodeCipher');
    return { __proto__: null, openCipher: realm.openCipher, pbkdf2: realm.nodePbkdf2 };
  };
  /** @type {Table<any>} */
  const KINDS = { __proto__: null, inspect: inspecting, classes, contexts: passOn, zlib: packing, crypto: ciphers };

  realm.newNodeParts = (kind) => {
    const parts = (KINDS[kind] ?? passOn)();
    const out = {};
    const names = objectKeys(parts);
    for (let i = 0; i < names.length; i++) put(out, names[i], parts[names[i]]);
    return out;
  };
});
