// Text and bytes: `TextEncoder`, `TextDecoder`, `atob`, `btoa`.
(function encoding(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { Uint8Array, give, tag, typedArrayBuffer, typedArrayBytes, typedArrayName, typedArrayOffset } = realm;
  const { DOMException, bufferBytes, min, typedArraySet, viewBuffer, viewBytes, viewOffset } = realm;

  // The bytes of a buffer or of a view, without copying them; undefined for anything else.
  /** @type {Realm['bytesOf']} */
  const bytesOf = (value) => {
    if (typedArrayName(value) !== undefined) {
      return new Uint8Array(typedArrayBuffer(value), typedArrayOffset(value), typedArrayBytes(value));
    }
    switch (native.classOf(value)) {
      case 'ArrayBuffer':
        return new Uint8Array(value, 0, bufferBytes(value));
      case 'DataView':
        return new Uint8Array(viewBuffer(value), viewOffset(value), viewBytes(value));
      default:
        return undefined;
    }
  };

  /** @type {Realm['encodeText']} */
  const encode = (text) => {
    const bytes = new Uint8Array(native.utf8Length(text));
    native.utf8Write(text, bytes);
    return bytes;
  };

  const ESCAPE = 0x1b;
  /** @param {Guest} value */
  const isBytes = (value) => typedArrayName(value) === 'Uint8Array';

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }
    encode(text = '') {
      return encode(`${text}`);
    }
    /** @param {Guest} text @param {Guest} target */
    encodeInto(text, target) {
      if (!isBytes(target)) throw realm.wrongType('dest', 'an instance of Uint8Array', target);
      // The number of characters read is in the upper half, the number of bytes written in the lower.
      const done = native.utf8Write(`${text}`, target);
      return { read: realm.floor(done / 4294967296), written: done % 4294967296 };
    }
  }

  class TextDecoder {
    #name;
    #fatal;
    #ignoreBOM;
    /** @type {Bytes | undefined} */
    #rest;
    // For encodings with shift sequences: the sequence that selected the current character set.
    /** @type {Bytes | undefined} */
    #shift;
    #begun = false;
    constructor(label = 'utf-8', /** @type {Guest} */ options = undefined) {
      const name = native.encodingName(`${label}`);
      if (name === undefined) throw new realm.RangeError(`The "${realm.textOf(`${label}`)}" encoding is not supported`);
      this.#name = name;
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
    }
    get encoding() {
      return this.#name;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }
    /** @param {Guest} input @param {Guest} options */
    decode(input, options) {
      const stream = options !== undefined && options !== null && !!options.stream;
      let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
      if (bytes === undefined)
        throw new realm.TypeError(
          'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.',
        );
      if (this.#rest !== undefined) bytes = joined(this.#rest, bytes);
      if (this.#shift !== undefined && bytes[0] !== ESCAPE) bytes = joined(this.#shift, bytes);
      this.#rest = undefined;
      this.#shift = undefined;
      if (stream) bytes = this.#holdBack(bytes);
      const text = native.decode(this.#name, bytes, this.#fatal, this.#ignoreBOM || this.#begun);
      this.#begun = stream && (this.#begun || typedArrayBytes(bytes) > 0);
      if (text !== undefined) return text;
      this.#rest = undefined;
      this.#shift = undefined;
      this.#begun = false;
      throw new realm.TypeError(`The encoded data was not valid for encoding ${this.#name}`);
    }
    // Keeps an incomplete character at the end of a chunk for the next chunk.
    /** @param {Bytes} bytes */
    #holdBack(bytes) {
      const whole = native.wholeBytes(this.#name, bytes);
      const length = typedArrayBytes(bytes);
      if (whole < length) this.#rest = copy(bytes, whole, length);
      if (this.#name === 'iso-2022-jp') {
        let last = whole - 1;
        while (last >= 0 && bytes[last] !== ESCAPE) last--;
        if (last >= 0) this.#shift = copy(bytes, last, last + 3);
      }
      return new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes), whole);
    }
  }

  // Not with `slice`: it uses the species of the buffer, which the guest can change.
  /** @type {Realm['copyBytes']} */
  const copy = (bytes, from, to) => {
    const end = min(to, typedArrayBytes(bytes));
    const out = new Uint8Array(end > from ? end - from : 0);
    if (end > from)
      typedArraySet(out, new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + from, end - from), 0);
    return out;
  };

  /** @param {Bytes} left @param {Bytes} right */
  const joined = (left, right) => {
    const start = typedArrayBytes(left);
    const out = new Uint8Array(start + typedArrayBytes(right));
    typedArraySet(out, left, 0);
    typedArraySet(out, right, start);
    return out;
  };

  const { decode } = TextDecoder.prototype;
  realm.TextDecoder = TextDecoder;
  realm.decodeWith = (decoder, bytes, stream) =>
    realm.ReflectApply(decode, decoder, [bytes, { __proto__: null, stream }]);
  realm.bytesOf = bytesOf;
  realm.copyBytes = copy;
  realm.encodeText = encode;
  tag('TextEncoder', TextEncoder);
  give('TextEncoder', TextEncoder);
  tag('TextDecoder', TextDecoder);
  give('TextDecoder', TextDecoder);

  give('atob', function atob(/** @type {string} */ text) {
    const binary = native.atob(`${text}`);
    if (binary === undefined) throw new DOMException('Invalid character', 'InvalidCharacterError');
    return binary;
  });
  give('btoa', function btoa(/** @type {string} */ binary) {
    const text = native.btoa(`${binary}`);
    if (text === undefined) {
      throw new DOMException('Invalid character', 'InvalidCharacterError');
    }
    return text;
  });
});
