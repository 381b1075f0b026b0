// The objects of the realm's web classes, as Node shows them.
(function inspectWeb(/** @type {Realm} */ realm) {
  const { getPrototypeOf, hasOwn, indexOf, list, ownValue, push, toArray, toStringTag } = realm;
  const { isTooDeep, keyText, layOut, withoutColors } = realm.inspecting;

  const BRACES = { __proto__: null, base: '', open: '{', close: '}', isList: false };
  // The members of each class. Its depth is that of the options (undici's classes), or one less.
  /** @type {Table<string>} */
  const MEMBERS = {
    __proto__: /** @type {any} */ (null),
    AbortController: 'signal',
    AbortSignal: 'aborted',
    Blob: 'size type',
    ByteLengthQueuingStrategy: 'highWaterMark',
    CompressionStream: 'readable writable',
    CountQueuingStrategy: 'highWaterMark',
    CryptoKey: 'type extractable algorithm usages',
    CustomEvent: 'type defaultPrevented cancelable timeStamp',
    DecompressionStream: 'readable writable',
    Event: 'type defaultPrevented cancelable timeStamp',
    File: 'size type name lastModified',
    PerformanceMark: 'name entryType startTime duration detail',
    PerformanceMeasure: 'name entryType startTime duration detail',
    ReadableStream: 'locked state supportsBYOB',
    Request:
      'method url headers destination referrer referrerPolicy mode credentials cache redirect integrity keepalive' +
      ' isReloadNavigation isHistoryNavigation signal',
    Response: 'status statusText headers body bodyUsed ok redirected type url',
    TextDecoder: 'encoding fatal ignoreBOM',
    TextEncoder: 'encoding',
    TextDecoderStream: 'encoding fatal ignoreBOM readable writable',
    TextEncoderStream: 'encoding readable writable',
    TransformStream: 'readable writable backpressure',
    URL: 'href origin protocol username password host hostname port pathname search searchParams hash',
    WritableStream: 'locked state',
  };
  const WHOLE_DEPTH = ' Request Response URL ';
  const DEEP = ' Request Response ';
  // Classes whose name is all that is shown beyond the depth, and those of which Node shows nothing there.
  const NAMED = ' AbortSignal Blob File TextDecoder TextEncoder ';
  const HIDDEN =
    ' ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy DecompressionStream ReadableByteStreamController' +
    ' ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController' +
    ' ReadableStreamDefaultReader TextDecoderStream TextEncoderStream TransformStream TransformStreamDefaultController' +
    ' WritableStream WritableStreamDefaultController WritableStreamDefaultWriter ';
  /** @param {string} names @param {string} name */
  const isAmong = (names, name) => indexOf(names, ` ${name} `) >= 0;
  // Of members that the sandbox does not have.
  /** @type {Table<unknown>} */
  const STANDARD = {
    __proto__: /** @type {any} */ (null),
    backpressure: true,
    cache: 'default',
    credentials: 'same-origin',
    destination: '',
    integrity: '',
    isHistoryNavigation: false,
    isReloadNavigation: false,
    keepalive: false,
    mode: 'cors',
    referrer: 'about:client',
    referrerPolicy: '',
  };

  /** @param {string} text @returns {List<string>} */
  const wordsOf = (text) => {
    const words = list();
    let from = 0;
    for (let at = indexOf(text, ' '); at >= 0; at = indexOf(text, ' ', from)) {
      push(words, realm.slice(text, from, at));
      from = at + 1;
    }
    push(words, realm.slice(text, from));
    return words;
  };

  // The name of the realm's class that an object belongs to.
  /** @param {Guest} value */
  const classOf = (value) => {
    let tag;
    try {
      tag = value[toStringTag];
    } catch {}
    if (typeof tag !== 'string') return undefined;
    const prototype = realm.tagged[tag];
    if (prototype === undefined) return undefined;
    for (let one = getPrototypeOf(value); one !== null; one = getPrototypeOf(one)) if (one === prototype) return tag;
    return undefined;
  };

  /** @param {Guest} value @param {string} tag */
  const nameOf = (value, tag) => {
    const maker = ownValue(getPrototypeOf(value), 'constructor');
    const name = typeof maker === 'function' ? ownValue(maker, 'name') : undefined;
    return typeof name === 'string' && name !== '' ? name : tag;
  };

  /** @param {Inspection} ctx @param {Guest} depth @returns {Inspection} */
  const fresh = (ctx, depth) => ({
    __proto__: null,
    ...ctx,
    depth,
    seen: list(),
    circular: list(),
    budget: { __proto__: null },
    indent: 0,
    deepest: 0,
  });

  // `{ name: value }` as for a plain object of its own.
  /** @param {Inspection} ctx @param {ArrayLike<string>} names @param {List<Guest>} values */
  const membersText = (ctx, names, values) => {
    if (names.length === 0) return '{}';
    const parts = list();
    ctx.deepest = 1;
    ctx.indent = 2;
    for (let i = 0; i < names.length; i++)
      push(parts, `${keyText(ctx, names[i])}: ${realm.inspecting.valueText(ctx, values[i], 1)}`);
    ctx.indent = 0;
    return layOut(ctx, parts, BRACES, 1, undefined);
  };

  // Of `URLSearchParams`; nested ones are shown as far as one level less.
  /** @param {Inspection} ctx @param {Guest} params @param {number} level */
  const paramsText = (ctx, params, level) => {
    if (isTooDeep(ctx, level)) return ctx.stylize('[Object]', 'special');
    const flat = realm.flatParams(params);
    const name = nameOf(params, 'URLSearchParams');
    if (flat.length === 0) return `${name} {}`;
    const inner = fresh(ctx, null);
    const parts = list();
    let length = -2;
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const text = `${realm.inspecting.valueText(inner, flat[i], 0)} => ${realm.inspecting.valueText(inner, flat[i + 1], 0)}`;
      length += withoutColors(text).length + 2;
      push(parts, text);
    }
    const isLong = length > ctx.breakLength;
    let out = `${name} {${isLong ? '\n  ' : ' '}`;
    for (let i = 0; i < parts.length; i++) out += (i === 0 ? '' : isLong ? ',\n  ' : ', ') + parts[i];
    return `${out} }`;
  };

  // Of an iterator of `URLSearchParams`: what is left of it.
  /** @param {Inspection} ctx @param {Guest} value @param {number} level */
  const leftText = (ctx, value, level) => {
    if (isTooDeep(ctx, level)) return '[Object]';
    const inner = fresh(ctx, ctx.depth === null ? null : /** @type {number} */ (ctx.depth) - level - 1);
    const left = realm.pairsLeft.URLSearchParams(value);
    const separator = indexOf(realm.inspecting.valueText(inner, toArray(left), 0), '\n') < 0 ? ' ' : '\n  ';
    let out = '';
    for (let i = 0; i < left.length; i++)
      out += `${i === 0 ? '' : ','}${separator}${realm.inspecting.valueText(inner, left[i], 0)}`;
    return `URLSearchParams Iterator {${left.length === 0 ? ' ' : out} }`;
  };

  // What is shown of a class beyond the depth; undefined for others.
  /** @param {Inspection} ctx @param {Guest} value @param {string} tag */
  const deepText = (ctx, value, tag) => {
    if (isAmong(HIDDEN, tag)) return ctx.stylize('undefined', 'undefined');
    const name = nameOf(value, tag);
    if (tag === 'EventTarget') return name;
    return isAmong(NAMED, tag) ? ctx.stylize(`[${name === tag ? tag : `${name} [${tag}]`}]`, 'special') : undefined;
  };

  // Of `Headers` and `FormData`: the values by name.
  /** @param {Inspection} ctx @param {Guest} value @param {string} tag */
  const pairsText = (ctx, value, tag) => {
    const names = list();
    /** @type {List<Guest>} */
    const values = list();
    /** @type {Table<any>} */
    const places = { __proto__: null };
    const flat = tag === 'Headers' ? realm.shownHeaders(value) : realm.shownForm(value);
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const place = places[`${flat[i]}`];
      if (place === undefined) {
        places[`${flat[i]}`] = names.length;
        push(names, `${flat[i]}`);
        const some = list();
        push(some, flat[i + 1]);
        push(values, some);
      } else push(values[place], flat[i + 1]);
    }
    for (let i = 0; i < values.length; i++) values[i] = values[i].length === 1 ? values[i][0] : toArray(values[i]);
    return `${tag} ${membersText(fresh(ctx, ctx.depth === null ? 2 : ctx.depth), names, values)}`;
  };

  /** @param {Guest} value @param {string} tag @param {string} name */
  const memberOf = (value, tag, name) => {
    if (name === 'state') return (tag === 'ReadableStream' ? realm.readable : realm.writable).stateOf(value).status;
    if (name === 'supportsBYOB') return realm.readable.stateOf(value).bytes !== undefined;
    const isAbsent = STANDARD[name] !== undefined && !hasOwn(realm.tagged[tag], name);
    return isAbsent ? STANDARD[name] : value[name];
  };

  /** @type {InspectParts['webText']} */
  const webText = (ctx, value, level) => {
    const tag = classOf(value);
    if (tag === undefined) return undefined;
    try {
      if (tag === 'URLSearchParams') return realm.inspecting.indented(paramsText(ctx, value, level), ctx.indent);
      if (tag === 'Headers' || tag === 'FormData')
        return realm.inspecting.indented(pairsText(ctx, value, tag), ctx.indent);
      if (tag === 'URLSearchParams Iterator') return realm.inspecting.indented(leftText(ctx, value, level), ctx.indent);
      if (isTooDeep(ctx, level) && !isAmong(DEEP, tag)) return deepText(ctx, value, tag);
      const parts = realm.streamParts?.[tag]?.(value);
      if (parts === undefined && MEMBERS[tag] === undefined) return undefined;
      const names = parts === undefined ? wordsOf(MEMBERS[tag]) : realm.objectKeys(parts);
      const values = list();
      for (let i = 0; i < names.length; i++)
        push(values, parts === undefined ? memberOf(value, tag, names[i]) : parts[names[i]]);
      const { depth } = ctx;
      const inner = fresh(ctx, isAmong(WHOLE_DEPTH, tag) || depth === null ? depth : depth - 1);
      const members = membersText(inner, names, values);
      // Node shows encoders without the name of their class.
      const text = tag === 'TextEncoder' ? members : `${nameOf(value, tag)} ${members}`;
      return realm.inspecting.indented(text, ctx.indent);
    } catch {
      // Not an object of the class, such as its prototype.
      return undefined;
    }
  };

  realm.inspecting = { __proto__: null, ...realm.inspecting, webText };
});
