// Bodies of requests and responses, each readable once.
(function bodies(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, encodeText, indexOf, list, own, push, slice, toLowerCase, typedArrayBuffer } = realm;
  const BOM = '\ufeff';

  /** @param {Guest} value */
  const isStream = (value) => realm.readable?.isStream(value) === true;

  // Text, bytes, or a stream; text is encoded on demand.
  /** @param {Partial<Body>} parts */
  const newBody = (parts) => ({
    __proto__: null,
    text: undefined,
    bytes: undefined,
    stream: undefined,
    type: undefined,
    // Whether the bytes have another owner, too.
    isShared: false,
    isUsed: false,
    ...parts,
  });
  /** @type {Realm['textBody']} */
  const textBody = (text, type) => newBody({ __proto__: null, text, type });
  /** @type {Realm['bytesBody']} */
  const bytesBody = (bytes, type) => newBody({ __proto__: null, bytes, type });

  // The body for a guest's value.
  /** @type {Realm['toBody']} */
  const toBody = (value) => {
    const bytes = typeof value === 'object' ? realm.bytesOf(value) : undefined;
    if (bytes !== undefined) return bytesBody(realm.wholeCopy(bytes));
    if (realm.isBlob(value)) {
      const type = realm.typeOfBlob(value) || undefined;
      return newBody({ __proto__: null, bytes: realm.bytesOfBlob(value), type, isShared: true });
    }
    if (realm.isFormData(value)) {
      const written = realm.writeForm(value);
      return bytesBody(written.bytes, written.type);
    }
    if (realm.isSearchParams(value)) {
      return textBody(realm.searchParamsText(value), 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    if (isStream(value)) {
      const state = realm.readable.stateOf(value);
      if (state.disturbed || state.reader !== undefined)
        throw new realm.TypeError('Response body object should not be disturbed or locked');
      return newBody({ __proto__: null, stream: value });
    }
    return textBody(realm.toWellFormed(`${value}`), 'text/plain;charset=UTF-8');
  };

  /** @param {Body} body */
  const isUsed = (body) => body.isUsed || (body.stream !== undefined && realm.readable.stateOf(body.stream).disturbed);
  /** @type {Realm['isUsableBody']} */
  const isUsable = (body) =>
    !isUsed(body) && !(body.stream !== undefined && realm.readable.stateOf(body.stream).reader !== undefined);

  /** @type {Realm['bytesInBody']} */
  const bytesIn = (body) => {
    if (body.bytes === undefined) body.bytes = body.text === undefined ? new Uint8Array(0) : encodeText(body.text);
    return body.bytes;
  };

  /** @param {Bytes} bytes @returns {BoxedBytes} */
  const boxed = (bytes) => ({ __proto__: null, bytes });

  /** @param {ReadableStreamObject} stream @returns {Promise<BoxedBytes>} */
  const readStream = async (stream) => {
    const { acquire, read, stateOf } = realm.readable;
    const reader = acquire(stateOf(stream));
    /** @type {List<Bytes>} */
    const chunks = list();
    for (;;) {
      const { done, value } = await own(read(reader));
      if (done) return boxed(realm.joinBytes(chunks));
      if (realm.typedArrayName(value) !== 'Uint8Array') throw new realm.TypeError('Received non-Uint8Array chunk');
      push(chunks, realm.wholeCopy(value));
    }
  };

  /** @param {Body} body */
  const use = (body) => {
    if (!isUsable(body)) throw new realm.TypeError('Body is unusable: Body has already been read');
    body.isUsed = true;
  };

  // Takes the bytes out of the body; the caller is their only owner.
  /** @type {Realm['takeBytes']} */
  const takeBytes = async (body) => {
    use(body);
    if (body.stream !== undefined && body.bytes === undefined && body.text === undefined) {
      return await own(readStream(body.stream));
    }
    const bytes = bytesIn(body);
    body.bytes = body.text = undefined;
    return boxed(body.isShared || body.stream !== undefined ? realm.wholeCopy(bytes) : bytes);
  };

  /** @param {Body} body */
  const takeText = async (body) => {
    if (body.text !== undefined && body.bytes === undefined && isUsable(body)) {
      use(body);
      const { text } = body;
      body.text = undefined;
      return text[0] === BOM ? slice(text, 1) : text;
    }
    const { bytes } = await own(takeBytes(body));
    return native.decode('utf-8', bytes, false, false);
  };

  /** @param {Body} body */
  const streamOf = (body) => {
    if (body.stream === undefined) {
      body.stream = realm.streamOf(bytesIn(body));
      if (body.isUsed) {
        // The body was read: its stream is closed and locked.
        const state = realm.readable.stateOf(body.stream);
        realm.promises.quiet(realm.readable.cancel(state, undefined));
        realm.readable.acquire(state);
      }
    }
    return body.stream;
  };

  /** @type {Realm['copyBody']} */
  const copyBody = (body) => {
    if (!isUsable(body)) throw new realm.TypeError('Response.clone: Body has already been consumed.');
    if (body.stream === undefined) {
      body.isShared = true;
      return newBody({ __proto__: null, ...body });
    }
    const branches = realm.teeStream(body.stream);
    body.stream = branches[0];
    body.bytes = body.text = undefined;
    return newBody({ __proto__: null, stream: branches[1], type: body.type });
  };

  // Adds the body methods to a class. `bodyOf` returns undefined if there is no body, and throws for other objects.
  realm.addBody = (Class, bodyOf, typeOf) => {
    /** @param {Guest} self */
    const bytesFor = async (self) => {
      const body = bodyOf(self);
      return body === undefined ? boxed(new Uint8Array(0)) : await own(takeBytes(body));
    };
    /** @param {Guest} self */
    const textFor = async (self) => {
      const body = bodyOf(self);
      return body === undefined ? '' : await own(takeText(body));
    };
    /** @type {Table<any>} */
    const methods = {
      __proto__: null,
      async text() {
        return await own(textFor(this));
      },
      async json() {
        return realm.JSONParse(await own(textFor(this)));
      },
      async arrayBuffer() {
        return typedArrayBuffer((await own(bytesFor(this))).bytes);
      },
      async bytes() {
        return (await own(bytesFor(this))).bytes;
      },
      async blob() {
        const type = typeOf(this) ?? '';
        return realm.newBlob((await own(bytesFor(this))).bytes, toLowerCase(type));
      },
      async formData() {
        const type = typeOf(this) ?? '';
        const kind = toLowerCase(type);
        const { bytes } = await own(bytesFor(this));
        if (indexOf(kind, 'multipart/form-data') === 0) return realm.readForm(bytes, type);
        if (indexOf(kind, 'application/x-www-form-urlencoded') !== 0) {
          throw new realm.TypeError(
            'Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".',
          );
        }
        const flat = native.formParse(native.decode('utf-8', bytes, false, false));
        const pairs = list();
        for (let i = 0; i + 1 < flat.length; i += 2)
          push(pairs, { __proto__: null, name: flat[i], value: flat[i + 1] });
        return realm.newForm(pairs);
      },
    };
    const names = realm.objectKeys(methods);
    for (let i = 0; i < names.length; i++) realm.put(Class.prototype, names[i], methods[names[i]]);
    /** @type {Table<any>} */
    const getters = {
      __proto__: null,
      /** @param {Guest} self */
      body: (self) => {
        const body = bodyOf(self);
        return body === undefined ? null : streamOf(body);
      },
      /** @param {Guest} self */
      bodyUsed: (self) => {
        const body = bodyOf(self);
        return body !== undefined && isUsed(body);
      },
    };
    const kinds = realm.objectKeys(getters);
    for (let i = 0; i < kinds.length; i++) {
      const read = getters[kinds[i]];
      realm.defineProperty(Class.prototype, kinds[i], {
        __proto__: null,
        configurable: true,
        enumerable: true,
        get() {
          return read(this);
        },
      });
    }
  };

  realm.toBody = toBody;
  realm.textBody = textBody;
  realm.bytesBody = bytesBody;
  realm.copyBody = copyBody;
  realm.takeBytes = takeBytes;
  realm.isUsableBody = isUsable;
  realm.bytesInBody = bytesIn;
});
