// Compression, decompression, text encoding and text decoding streams.
(function codecStreams(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, copyBytes, give, newTransform, own, tag } = realm;
  const { typedArrayBuffer, typedArrayBytes, typedArrayOffset } = realm;

  const PIECE = 65536;
  /** The number of zlib for the end of the data. */
  const FINISH = 4;
  const EMPTY = new Uint8Array(0);

  /** @param {Guest} chunk */
  const bytesFrom = (chunk) => {
    const bytes = chunk !== null && typeof chunk === 'object' ? realm.bytesOf(chunk) : undefined;
    if (bytes === undefined) throw realm.wrongType('input', 'an instance of ArrayBuffer or ArrayBufferView', chunk);
    return bytes;
  };

  /** @param {Bytes} bytes @param {number} from */
  const upToDate = (bytes, from) =>
    new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + from, typedArrayBytes(bytes) - from);

  // Output of a codec is passed on piece by piece, so that the run's limits apply to each piece.
  /** @param {string} format @param {boolean} packs */
  const newCodec = (format, packs) => {
    if (format !== 'gzip' && format !== 'deflate' && format !== 'deflate-raw') {
      const kind = packs ? 'CompressionStream' : 'DecompressionStream';
      const given = realm.textOf(format);
      throw new realm.TypeError(
        `Failed to construct '${kind}': 1st argument '${given}' is not a valid enum value of type CompressionFormat.`,
      );
    }
    // Opened for the first bytes: an unused stream takes no memory.
    /** @type {number | undefined} */
    let codec;
    let out = EMPTY;
    let isOver = false;
    /** @type {(message: string) => never} */
    const stop = (message) => {
      if (codec !== undefined) native.codecClose(codec);
      isOver = true;
      throw new realm.TypeError(message);
    };
    /** @param {Bytes} input @param {boolean} last @param {Pass} pass */
    const push = async (input, last, pass) => {
      if (codec === undefined) {
        out = new Uint8Array(PIECE);
        codec = native.codecOpen(format, packs);
      }
      let rest = input;
      for (;;) {
        const length = typedArrayBytes(rest);
        if (isOver && length > 0) throw new realm.TypeError('There are bytes after the end of the compressed data');
        if (isOver) return;
        const progress = native.codecPush(codec, rest, out, last ? FINISH : 0);
        if (progress === undefined || typeof progress === 'string') return stop(`The bytes are not valid ${format}`);
        const read = progress[0];
        const written = progress[1];
        if (written > 0) await own(pass(copyBytes(out, 0, written)));
        rest = upToDate(rest, read);
        if (progress[2] === 1) {
          isOver = true;
          native.codecClose(/** @type {number} */ (codec));
        } else if (written < PIECE && (read === 0 || read === length)) {
          return;
        }
      }
    };
    return newTransform(
      async (chunk, pass) => {
        await own(push(bytesFrom(chunk), false, pass));
      },
      async (pass) => {
        await own(push(EMPTY, true, pass));
        if (!isOver) stop('The compressed data is truncated');
      },
    );
  };

  const newTextEncoding = () => {
    // A lone high surrogate at the end of a chunk is kept for the next chunk.
    let half = '';
    /** @param {string} unit */
    const isHigh = (unit) => unit >= '\ud800' && unit <= '\udbff';
    return newTransform(
      async (chunk, pass) => {
        let text = `${half}${chunk}`;
        half = '';
        if (text.length > 0 && isHigh(text[text.length - 1])) {
          half = text[text.length - 1];
          text = realm.slice(text, 0, text.length - 1);
        }
        if (text !== '') await own(pass(realm.encodeText(text)));
      },
      async (pass) => {
        if (half !== '') await own(pass(realm.encodeText(half)));
      },
    );
  };

  /** @param {DecoderObject} decoder */
  const newTextDecoding = (decoder) =>
    newTransform(
      async (chunk, pass) => {
        const text = realm.decodeWith(decoder, bytesFrom(chunk), true);
        if (text !== '') await own(pass(text));
      },
      async (pass) => {
        const text = realm.decodeWith(decoder, EMPTY, false);
        if (text !== '') await own(pass(text));
      },
    );

  class CompressionStream {
    #ends;
    /** @param {Guest} format */
    constructor(format) {
      realm.needArguments(arguments.length, 1, 'CompressionStream');
      this.#ends = newCodec(`${format}`, true);
    }
    get readable() {
      return this.#ends.readable;
    }
    get writable() {
      return this.#ends.writable;
    }
  }

  class DecompressionStream {
    #ends;
    /** @param {Guest} format */
    constructor(format) {
      realm.needArguments(arguments.length, 1, 'DecompressionStream');
      this.#ends = newCodec(`${format}`, false);
    }
    get readable() {
      return this.#ends.readable;
    }
    get writable() {
      return this.#ends.writable;
    }
  }

  class TextEncoderStream {
    #ends = newTextEncoding();
    get encoding() {
      return 'utf-8';
    }
    get readable() {
      return this.#ends.readable;
    }
    get writable() {
      return this.#ends.writable;
    }
  }

  class TextDecoderStream {
    #encoding;
    #fatal;
    #ignoreBOM;
    #ends;
    constructor(label = 'utf-8', /** @type {Guest} */ options = undefined) {
      const name = `${label}`;
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
      const decoder = new realm.TextDecoder(name, {
        __proto__: null,
        fatal: this.#fatal,
        ignoreBOM: this.#ignoreBOM,
      });
      // Guests can redefine the getters of the decoder.
      this.#encoding = native.encodingName(name);
      this.#ends = newTextDecoding(decoder);
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#ignoreBOM;
    }
    get readable() {
      return this.#ends.readable;
    }
    get writable() {
      return this.#ends.writable;
    }
  }

  /** @type {Table<any>} */
  const classes = { __proto__: null, CompressionStream, DecompressionStream, TextEncoderStream, TextDecoderStream };
  const names = realm.objectKeys(classes);
  for (let i = 0; i < names.length; i++) {
    tag(names[i], classes[names[i]]);
    give(names[i], classes[names[i]]);
  }
});
