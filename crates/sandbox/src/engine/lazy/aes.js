// AES in counter mode, CBC, single blocks, and GCM, for `crypto.subtle` and `node:crypto`.
(function aesCiphers(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, copyBytes, floor, min, typedArrayBuffer, typedArrayBytes, typedArrayOffset } = realm;

  const PIECE = 65536;
  const BLOCK = 16;

  /** @param {Bytes} bytes @param {number} from @param {number} to */
  const part = (bytes, from, to) => new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + from, to - from);

  // A step for each piece of long data: the time of the run is checked between them.
  /** @param {Bytes} bytes @param {(piece: Bytes, at: number, end: number) => void} step */
  const inPieces = (bytes, step) => {
    const length = typedArrayBytes(bytes);
    for (let at = 0; at < length; at += PIECE) {
      const end = min(at + PIECE, length);
      step(part(bytes, at, end), at, end);
    }
  };

  /** @type {AesCiphers['newCounter']} */
  const newCounter = (key, start, bits) => {
    const state = copyBytes(start, 0, BLOCK);
    let used = 0;
    return (bytes) => {
      const out = new Uint8Array(typedArrayBytes(bytes));
      inPieces(bytes, (piece, at, end) => {
        used = /** @type {number} */ (native.aes('ctr', key, state, piece, part(out, at, end), used, bits));
      });
      return out;
    };
  };

  /** @type {AesCiphers['newBlocks']} */
  const newBlocks = (mode, key, iv) => {
    const state = copyBytes(iv, 0, BLOCK);
    return (bytes) => {
      const out = new Uint8Array(typedArrayBytes(bytes));
      inPieces(bytes, (piece, at, end) => native.aes(mode, key, state, piece, part(out, at, end)));
      return out;
    };
  };

  // The sum of GCM, over several inputs, each filled to whole blocks by `complete`.
  /** @param {Bytes} key */
  const newSum = (key) => {
    const sum = new Uint8Array(BLOCK);
    let used = 0;
    /** @param {Bytes} bytes @param {boolean} ends */
    const take = (bytes, ends) => {
      used = /** @type {number} */ (native.ghash(key, sum, bytes, used, ends));
    };
    return {
      __proto__: null,
      sum,
      /** @param {Bytes} bytes */
      absorb: (bytes) => inPieces(bytes, (piece) => take(piece, false)),
      complete: () => take(new Uint8Array(0), true),
    };
  };

  // Two lengths in bits, as numbers of 64 bits.
  /** @param {number} one @param {number} other */
  const lengths = (one, other) => {
    const bytes = new Uint8Array(BLOCK);
    let left = one * 8;
    let right = other * 8;
    for (let i = 7; i >= 0; i--) {
      bytes[i] = left % 256;
      bytes[i + 8] = right % 256;
      left = floor(left / 256);
      right = floor(right / 256);
    }
    return bytes;
  };

  /** @type {AesCiphers['newGcm']} */
  const newGcm = (encrypts, key, iv, aad) => {
    const ivLength = typedArrayBytes(iv);
    let start = new Uint8Array(BLOCK);
    if (ivLength === 12) {
      realm.typedArraySet(start, iv, 0);
      start[15] = 1;
    } else {
      const nonce = newSum(key);
      nonce.absorb(iv);
      nonce.complete();
      nonce.absorb(lengths(0, ivLength));
      start = nonce.sum;
    }
    const next = newCounter(key, start, 32);
    const tag = next(new Uint8Array(BLOCK));
    const all = newSum(key);
    all.absorb(aad);
    all.complete();
    let length = 0;
    return {
      __proto__: null,
      update: (bytes) => {
        const out = next(bytes);
        all.absorb(encrypts ? out : bytes);
        length += typedArrayBytes(bytes);
        return out;
      },
      end: () => {
        all.complete();
        all.absorb(lengths(typedArrayBytes(aad), length));
        for (let i = 0; i < BLOCK; i++) tag[i] ^= all.sum[i];
        return tag;
      },
    };
  };

  realm.aesCiphers = { __proto__: null, part, newBlocks, newCounter, newGcm };
});
