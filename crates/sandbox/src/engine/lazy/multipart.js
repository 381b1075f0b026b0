// Serialisation and parsing of `multipart/form-data`.
(function multipart(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, encodeText, indexOf, list, push, slice, toLowerCase } = realm;

  const HEX = '0123456789abcdef';
  const BREAK = '\r\n';

  const newBoundary = () => {
    const bytes = new Uint8Array(12);
    realm.fillRandom(bytes, 12);
    let text = '----formdata-tgp-';
    for (let i = 0; i < 12; i++) text += HEX[bytes[i] >> 4] + HEX[bytes[i] & 15];
    return text;
  };

  // Escapes a name for use in quotes.
  /** @param {string} text */
  const quoted = (text) => {
    let out = '';
    for (let i = 0; i < text.length; i++) {
      const character = text[i];
      out += character === '\n' ? '%0A' : character === '\r' ? '%0D' : character === '"' ? '%22' : character;
    }
    return out;
  };
  // Piece by piece: a string built from single characters takes many times the memory.
  /** @param {string} text */
  const withWholeBreaks = (text) => {
    let out = '';
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      if (text[at] !== '\r' && text[at] !== '\n') continue;
      out += slice(text, from, at) + BREAK;
      if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
      from = at + 1;
    }
    return out + slice(text, from);
  };

  // The bytes of a form, and their content type.
  realm.writeForm = (form) => {
    const boundary = newBoundary();
    const pairs = realm.pairsOfForm(form);
    const chunks = list();
    for (let i = 0; i < pairs.length; i++) {
      const { name, value } = pairs[i];
      const head = `--${boundary}${BREAK}Content-Disposition: form-data; name="${quoted(withWholeBreaks(name))}"`;
      if (typeof value === 'string') {
        push(chunks, encodeText(`${head}${BREAK}${BREAK}${withWholeBreaks(value)}${BREAK}`));
        continue;
      }
      const type = realm.typeOfBlob(value) || 'application/octet-stream';
      const file = `; filename="${quoted(realm.nameOfFile(value))}"${BREAK}Content-Type: ${type}`;
      push(chunks, encodeText(`${head}${file}${BREAK}${BREAK}`));
      push(chunks, realm.bytesOfBlob(value));
      push(chunks, encodeText(BREAK));
    }
    push(chunks, encodeText(`--${boundary}--${BREAK}`));
    return { __proto__: null, bytes: realm.joinBytes(chunks), type: `multipart/form-data; boundary=${boundary}` };
  };

  const bad = () => new realm.TypeError('The body is not a valid form');

  /** @param {string} text */
  const trimmed = (text) => {
    let from = 0;
    let to = text.length;
    while (from < to && (text[from] === ' ' || text[from] === '\t')) from++;
    while (to > from && (text[to - 1] === ' ' || text[to - 1] === '\t')) to--;
    return slice(text, from, to);
  };

  // A parameter of a header value, with or without quotes.
  /** @param {Guest} value @param {string} wanted */
  const parameter = (value, wanted) => {
    let at = indexOf(value, ';');
    while (at >= 0) {
      const equals = indexOf(value, '=', at);
      if (equals < 0) return undefined;
      const name = toLowerCase(trimmed(slice(value, at + 1, equals)));
      let end;
      let text;
      if (value[equals + 1] === '"') {
        end = indexOf(value, '"', equals + 2);
        if (end < 0) return undefined;
        text = slice(value, equals + 2, end);
      } else {
        end = indexOf(value, ';', equals);
        text = trimmed(slice(value, equals + 1, end < 0 ? value.length : end));
      }
      if (name === wanted) return text;
      at = end < 0 ? -1 : indexOf(value, ';', end);
    }
    return undefined;
  };

  /** @param {string} text */
  const unquoted = (text) => {
    let out = '';
    for (let i = 0; i < text.length; i++) {
      const code = text[i] === '%' ? slice(text, i, i + 3) : '';
      const stands = code === '%0A' ? '\n' : code === '%0D' ? '\r' : code === '%22' ? '"' : undefined;
      out += stands ?? text[i];
      if (stands !== undefined) i += 2;
    }
    return out;
  };

  // Decodes UTF-8 from a string with one character per byte.
  /** @param {string} binary */
  const utf8 = (binary) => {
    const bytes = new Uint8Array(binary.length);
    native.latin1Write(binary, bytes);
    return native.decode('utf-8', bytes, false, true);
  };

  /** @param {string} text */
  const headersOf = (text) => {
    /** @type {{ disposition: string | undefined; type: string } & Internal} */
    const found = { __proto__: null, disposition: undefined, type: 'text/plain' };
    let from = 0;
    while (from < text.length) {
      const line = indexOf(text, BREAK, from);
      const end = line < 0 ? text.length : line;
      const colon = indexOf(text, ':', from);
      if (colon < 0 || colon > end) throw bad();
      const name = toLowerCase(trimmed(slice(text, from, colon)));
      const value = trimmed(slice(text, colon + 1, end));
      if (name === 'content-disposition') found.disposition = value;
      if (name === 'content-type') found.type = value;
      from = end + 2;
    }
    return found;
  };

  realm.readForm = (bytes, type) => {
    const boundary = parameter(type, 'boundary');
    if (boundary === undefined || boundary === '') throw bad();
    const binary = native.latin1Read(bytes);
    const mark = `--${boundary}`;
    const pairs = list();
    let at = indexOf(binary, mark);
    if (at < 0 || (at > 0 && slice(binary, at - 2, at) !== BREAK)) throw bad();
    for (;;) {
      at += mark.length;
      if (slice(binary, at, at + 2) === '--') return realm.newForm(pairs);
      if (slice(binary, at, at + 2) !== BREAK) throw bad();
      const blank = indexOf(binary, `${BREAK}${BREAK}`, at);
      const next = indexOf(binary, `${BREAK}${mark}`, blank + 2);
      if (blank < 0 || next < 0) throw bad();
      const { disposition, type: partType } = headersOf(slice(binary, at + 2, blank));
      const name = disposition === undefined ? undefined : parameter(disposition, 'name');
      if (disposition === undefined || name === undefined) throw bad();
      const fileName = parameter(disposition, 'filename');
      const from = blank + 4;
      const value =
        fileName === undefined
          ? utf8(slice(binary, from, next))
          : realm.newFile(realm.copyBytes(bytes, from, next), unquoted(utf8(fileName)), partType);
      push(pairs, { __proto__: null, name: unquoted(utf8(name)), value });
      at = next + 2;
    }
  };
});
