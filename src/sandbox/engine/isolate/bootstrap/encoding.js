// Text and bytes: `TextEncoder`, `TextDecoder`, `atob`, `btoa`.
(function encoding(realm, native) {
  const { Uint8Array, give, tag, typedArrayBuffer, typedArrayBytes, typedArrayName, typedArrayOffset } = realm;
  const { DOMException, bufferBytes, viewBuffer, viewBytes, viewOffset } = realm;

  // The bytes of a buffer or of a view, without copying them; undefined for anything else.
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

  const encode = (text) => {
    const bytes = new Uint8Array(native.utf8Length(text));
    native.utf8Write(text, bytes);
    return bytes;
  };

  const isBytes = (value) => typedArrayName(value) === 'Uint8Array';

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }
    encode(text = '') {
      return encode(`${text}`);
    }
    encodeInto(text, target) {
      if (!isBytes(target)) throw new realm.TypeError('TextEncoder.encodeInto needs a Uint8Array');
      // The number of characters read is in the upper half, the number of bytes written in the lower.
      const done = native.utf8Write(`${text}`, target);
      return { read: realm.floor(done / 4294967296), written: done % 4294967296 };
    }
  }

  class TextDecoder {
    #name;
    #fatal;
    #ignoreBOM;
    #rest;
    #begun = false;
    constructor(label = 'utf-8', options = undefined) {
      this.#name = native.encodingName(`${label}`);
      if (this.#name === undefined) throw new realm.RangeError(`The encoding ${realm.textOf(`${label}`)} is not known`);
      this.#fatal = options?.fatal === true;
      this.#ignoreBOM = options?.ignoreBOM === true;
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
    decode(input, options) {
      const stream = options !== undefined && options !== null && options.stream === true;
      let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
      if (bytes === undefined) throw new realm.TypeError('TextDecoder.decode needs an ArrayBuffer or a view of one');
      if (this.#rest !== undefined) bytes = joined(this.#rest, bytes);
      this.#rest = undefined;
      if (stream) bytes = this.#holdBack(bytes);
      const text = native.decode(this.#name, bytes, this.#fatal, this.#ignoreBOM || this.#begun);
      this.#begun = stream && (this.#begun || typedArrayBytes(bytes) > 0);
      if (text === undefined) throw new realm.TypeError(`The bytes are not valid ${this.#name}`);
      return text;
    }
    // A character that is cut at the end of a chunk waits for the next one.
    #holdBack(bytes) {
      const whole = native.wholeBytes(this.#name, bytes);
      if (whole === undefined) throw new realm.TypeError(`${this.#name} cannot be decoded in pieces`);
      const length = typedArrayBytes(bytes);
      if (whole < length) this.#rest = copy(bytes, whole, length);
      return new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes), whole);
    }
  }

  const copy = (bytes, from, to) => {
    const out = new Uint8Array(to - from);
    for (let i = from; i < to; i++) out[i - from] = bytes[i];
    return out;
  };

  const joined = (left, right) => {
    const start = typedArrayBytes(left);
    const end = typedArrayBytes(right);
    const out = new Uint8Array(start + end);
    for (let i = 0; i < start; i++) out[i] = left[i];
    for (let i = 0; i < end; i++) out[start + i] = right[i];
    return out;
  };

  realm.bytesOf = bytesOf;
  realm.encodeText = encode;
  tag('TextEncoder', TextEncoder);
  give('TextEncoder', TextEncoder);
  tag('TextDecoder', TextDecoder);
  give('TextDecoder', TextDecoder);

  give('atob', function atob(text) {
    const binary = native.atob(`${text}`);
    if (binary === undefined) throw new DOMException('The text is not base64', 'InvalidCharacterError');
    return binary;
  });
  give('btoa', function btoa(binary) {
    const text = native.btoa(`${binary}`);
    if (text === undefined) {
      throw new DOMException('The text holds characters beyond one byte; encode it first', 'InvalidCharacterError');
    }
    return text;
  });
});
