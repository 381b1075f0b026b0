// Compression and decompression for `node:zlib`, one piece at a time.
(function nodeCodec(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, copyBytes, list, push, put, toArray } = realm;
  const { typedArrayBuffer, typedArrayBytes, typedArrayOffset } = realm;

  const PIECE = 65536;

  /** @param {Guest} value */
  const bytesFrom = (value) => {
    const bytes = value !== null && typeof value === 'object' ? realm.bytesOf(value) : undefined;
    if (bytes === undefined) throw new realm.TypeError('The data must be an ArrayBuffer or a view of one');
    return bytes;
  };

  realm.openCodec = (format, packs, level, windowBits, memLevel, strategy, dictionary) => {
    const preset = dictionary === undefined ? undefined : bytesFrom(dictionary);
    // The output of the codec; guests get copies of it.
    const out = new Uint8Array(PIECE);
    let codec = native.codecOpen(format, packs, level, windowBits, memLevel, strategy, preset);
    if (codec === undefined) throw new realm.TypeError(`${realm.textOf(`${format}`)} is not a compression format`);

    const opened = {};
    // One step: bytes read, output of `most` bytes at most, and whether the data has ended; or text about what is wrong.
    put(
      opened,
      'push',
      (
        /** @type {Guest} */ input,
        /** @type {number} */ from,
        /** @type {number} */ most,
        /** @type {number} */ flush,
      ) => {
        const bytes = bytesFrom(input);
        const start = realm.min(realm.max(realm.trunc(+from), 0), typedArrayBytes(bytes));
        const room = realm.min(realm.max(realm.trunc(+most), 1), PIECE);
        const rest = new Uint8Array(
          typedArrayBuffer(bytes),
          typedArrayOffset(bytes) + start,
          typedArrayBytes(bytes) - start,
        );
        const space = new Uint8Array(typedArrayBuffer(out), 0, room);
        const progress = native.codecPush(codec, rest, space, flush);
        if (progress === undefined) throw new realm.Error('The codec is closed');
        if (typeof progress === 'string') return progress;
        const done = list();
        push(done, progress[0]);
        push(done, copyBytes(out, 0, progress[1]));
        push(done, progress[2] === 1);
        return toArray(done);
      },
    );
    put(opened, 'close', () => {
      if (codec !== undefined) native.codecClose(codec);
      codec = undefined;
    });
    return opened;
  };
});
