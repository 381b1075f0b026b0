// `Blob` and `File`: immutable bytes with a type.
(function blobs(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, copyBytes, give, iterator, list, push, repeatable, tag, typedArrayBuffer, typedArrayBytes } =
    realm;
  const { indexOf, slice, toLowerCase, typedArrayOffset, typedArraySet } = realm;

  const PIECE = 65536;

  /** @type {Realm['joinBytes']} */
  const join = (chunks) => {
    let length = 0;
    for (let i = 0; i < chunks.length; i++) length += typedArrayBytes(chunks[i]);
    const out = new Uint8Array(length);
    let at = 0;
    for (let i = 0; i < chunks.length; i++) {
      typedArraySet(out, chunks[i], at);
      at += typedArrayBytes(chunks[i]);
    }
    return out;
  };

  /** @type {Realm['partOfBytes']} */
  const part = (bytes, from, to) => new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + from, to - from);
  /** @type {Realm['wholeCopy']} */
  const wholeCopy = (bytes) => copyBytes(bytes, 0, typedArrayBytes(bytes));

  /** @param {Guest} value */
  const typeOf = (value) => {
    const text = `${value}`;
    for (let i = 0; i < text.length; i++) if (text[i] < ' ' || text[i] > '~') return '';
    return toLowerCase(text);
  };

  // Converts line breaks to "\n", the native line ending.
  /** @param {string} text */
  const withOwnBreaks = (text) => {
    let out = '';
    let from = 0;
    for (let at = indexOf(text, '\r'); at >= 0; at = indexOf(text, '\r', from)) {
      out += `${slice(text, from, at)}\n`;
      from = text[at + 1] === '\n' ? at + 2 : at + 1;
    }
    return out + slice(text, from);
  };

  /** @param {Guest} value @param {number} length @param {number} standard */
  const place = (value, length, standard) => {
    if (value === undefined) return standard;
    const number = realm.trunc(+value);
    if (number < 0) return number + length > 0 ? number + length : 0;
    if (number < length) return number;
    // 0 for NaN.
    return number >= length ? length : 0;
  };

  // A stream that copies the bytes piece by piece.
  /** @type {Realm['streamOf']} */
  const streamOf = (bytes) => {
    realm.need('streams');
    const { close, enqueue, newByteStream, stateOf } = realm.readable;
    const length = typedArrayBytes(bytes);
    let at = 0;
    /** @type {ReadableState} */
    let state;
    const pull = async () => {
      const end = realm.min(at + PIECE, length);
      if (end > at) enqueue(state, copyBytes(bytes, at, end));
      at = end;
      if (at === length) close(state);
    };
    const stream = newByteStream(pull, undefined);
    state = stateOf(stream);
    return stream;
  };

  /** @type {Realm['isBlob']} */
  let isBlob;
  /** @type {Realm['bytesOfBlob']} */
  let bytesOfBlob;
  /** @type {Realm['newBlob']} */
  let newBlob;
  // Content of the next internally created Blob. It is not an argument of `super`, because a guest may replace the class that
  // File extends.
  /** @type {({ bytes: Bytes; type: string } & Internal) | undefined} */
  let content;
  /** @param {Bytes} bytes @param {string} type @param {() => BlobObject} make */
  const madeOf = (bytes, type, make) => {
    content = { __proto__: null, bytes, type };
    try {
      return make();
    } finally {
      content = undefined;
    }
  };

  /** @param {Guest} parts @param {boolean} ownBreaks */
  const collect = (parts, ownBreaks) => {
    if (parts === undefined) return new Uint8Array(0);
    if (parts === null || typeof parts !== 'object' || typeof parts[iterator] !== 'function') {
      throw new realm.TypeError('Value cannot be converted to sequence.');
    }
    const chunks = list();
    for (const item of parts) {
      const bytes = item !== null && typeof item === 'object' ? realm.bytesOf(item) : undefined;
      if (bytes !== undefined) push(chunks, wholeCopy(bytes));
      else if (isBlob(item)) push(chunks, bytesOfBlob(item));
      else push(chunks, realm.encodeText(ownBreaks ? withOwnBreaks(`${item}`) : `${item}`));
    }
    return join(chunks);
  };

  class Blob {
    #bytes;
    #type;
    constructor(/** @type {Guest} */ parts = undefined, /** @type {Guest} */ options = undefined) {
      if (content !== undefined) {
        this.#bytes = content.bytes;
        this.#type = content.type;
        content = undefined;
        return;
      }
      if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
        throw realm.wrongType('options', 'a dictionary', options);
      }
      const endings = options?.endings === undefined ? 'transparent' : `${options.endings}`;
      if (endings !== 'transparent' && endings !== 'native') {
        throw new realm.TypeError(`The property 'options.endings' is invalid. Received '${endings}'`);
      }
      this.#type = options?.type === undefined ? '' : typeOf(options.type);
      this.#bytes = collect(parts, endings === 'native');
    }
    get size() {
      return typedArrayBytes(this.#bytes);
    }
    get type() {
      return this.#type;
    }
    /** @param {Guest} start @param {Guest} end @param {Guest} type */
    slice(start, end, type) {
      const length = typedArrayBytes(this.#bytes);
      const from = place(start, length, 0);
      const to = place(end, length, length);
      const bytes = part(this.#bytes, from, to > from ? to : from);
      return newBlob(bytes, type === undefined ? '' : typeOf(type));
    }
    async text() {
      return native.decode('utf-8', this.#bytes, false, false);
    }
    async arrayBuffer() {
      return typedArrayBuffer(wholeCopy(this.#bytes));
    }
    async bytes() {
      return wholeCopy(this.#bytes);
    }
    stream() {
      return streamOf(this.#bytes);
    }
    static {
      isBlob = (value) => value !== null && typeof value === 'object' && #bytes in value;
      bytesOfBlob = (blob) => blob.#bytes;
      newBlob = (bytes, type) => madeOf(bytes, type, () => new Blob());
      realm.typeOfBlob = (blob) => blob.#type;
    }
  }

  class File extends Blob {
    #name;
    #changed;
    /** @param {Guest} parts @param {Guest} name @param {Guest} [options] */
    constructor(parts, name, options = undefined) {
      realm.needArguments(arguments.length, 2, 'File');
      super(parts, options);
      this.#name = realm.toWellFormed(`${name}`);
      const changed = options?.lastModified;
      this.#changed = changed === undefined ? now() : realm.trunc(+changed) || 0;
    }
    get name() {
      return this.#name;
    }
    get lastModified() {
      return this.#changed;
    }
    get webkitRelativePath() {
      return '';
    }
    static {
      realm.isFile = (value) => value !== null && typeof value === 'object' && #name in value;
      realm.nameOfFile = (file) => file.#name;
      realm.changeOfFile = (file) => file.#changed;
      realm.newFile = (bytes, name, type, lastModified) => {
        const file = madeOf(bytes, type, () => new File(undefined, name));
        if (lastModified !== undefined) file.#changed = lastModified;
        return file;
      };
    }
  }

  const now = () => (repeatable.now === undefined ? realm.dateNow() : realm.readClock());

  realm.isBlob = isBlob;
  realm.bytesOfBlob = bytesOfBlob;
  realm.newBlob = newBlob;
  realm.joinBytes = join;
  realm.partOfBytes = part;
  realm.wholeCopy = wholeCopy;
  realm.streamOf = streamOf;
  tag('Blob', Blob);
  give('Blob', Blob);
  tag('File', File);
  give('File', File);
});
