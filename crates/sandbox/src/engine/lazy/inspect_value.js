// The text of any value, with its members.
(function inspectValue(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { ReflectApply, getOwnPropertyDescriptor, isArray, list, ownValue, push, slice, toStringTag } = realm;
  const { arrayParts, builtInText, className, errorParts, functionName, heldParts, indented } = realm.inspecting;
  const { layOut, memberText, plainPrefix, prefixOf, primitiveText, typedParts } = realm.inspecting;

  const CUSTOM = realm.symbolFor(undefined, 'nodejs.util.inspect.custom');
  // Beyond this, no more objects are opened at the same indentation.
  const MAX_TEXT = 1 << 24;
  const LIST = { __proto__: null, base: '', open: 'Proxy [', close: ']', isList: true };

  /** @param {Inspection} ctx @param {number} level */
  const isTooDeep = (ctx, level) => ctx.depth !== null && level > ctx.depth;

  /** @type {InspectParts['sortParts']} */
  const sortParts = (parts, from, order) => {
    const some = list();
    for (let i = from; i < parts.length; i++) push(some, parts[i]);
    /** @param {string} a @param {string} b */
    const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const sorted = realm.sort(realm.toArray(some), typeof order === 'function' ? order : byText);
    for (let i = 0; i < sorted.length; i++) parts[from + i] = sorted[i];
  };

  /** @param {Inspection} ctx @param {Guest} value */
  const tagOf = (ctx, value) => {
    let tag;
    try {
      tag = value[toStringTag];
    } catch {}
    if (typeof tag !== 'string' || tag === '') return '';
    const own = getOwnPropertyDescriptor(value, toStringTag);
    return own !== undefined && (ctx.showHidden || own.enumerable) ? '' : tag;
  };

  /** @param {Guest[]} keys */
  const toList = (keys) => {
    const all = list();
    for (let i = 0; i < keys.length; i++) push(all, keys[i]);
    return all;
  };

  /** @param {Inspected} it */
  const isBare = (it) => it.keys.length === 0 && it.inherited.length === 0;
  /** @param {Inspected} it @param {string} text */
  const finish = (it, text) => {
    it.done = text;
  };

  /** @param {Inspection} ctx @param {Inspected} it @param {string} fallback @param {number} size */
  const openSized = (ctx, it, fallback, size) => {
    const isPlain = fallback === 'Array' && it.name === 'Array' && it.tag === '';
    const prefix = isPlain ? '' : prefixOf(it.name, it.tag, fallback, `(${size})`);
    it.shape.isList = fallback !== 'Map' && fallback !== 'Set';
    it.shape.open = `${prefix}${it.shape.isList ? '[' : '{'}`;
    it.shape.close = it.shape.isList ? ']' : '}';
    if (size === 0 && isBare(it) && !(it.kind === 'TypedArray' && ctx.showHidden))
      finish(it, it.shape.open + it.shape.close);
  };

  /** @param {string} kind @param {string} tag */
  const iteratorHead = (kind, tag) => {
    const own = `${slice(kind, 0, -8)} Iterator`;
    return tag === own || tag === '' ? own : `${tag}] [${own}`;
  };

  // The base of a value that is shown as a text before its members.
  /** @param {Inspection} ctx @param {Inspected} it @param {string} text @param {string} style */
  const setBase = (ctx, it, text, style) => {
    it.shape.base = text;
    if (isBare(it)) finish(it, ctx.stylize(text, style));
  };

  /** @type {Table<(value: Guest) => Guest>} */
  const BOXED = {
    __proto__: /** @type {any} */ (null),
    Number: realm.numberValue,
    String: realm.stringValue,
    Boolean: realm.booleanValue,
    BigInt: realm.bigintValue,
    Symbol: realm.symbolValue,
  };

  /** @param {Inspection} ctx @param {Inspected} it @param {string} kind */
  const openBoxed = (ctx, it, kind) => {
    const value = BOXED[kind](it.value);
    // Its characters are elements.
    if (kind === 'String') it.keys = toList(native.keysOf(it.value, ctx.showHidden, false));
    const name = kind === it.name ? '' : it.name === null ? ' (null prototype)' : ` (${it.name})`;
    const plain = { __proto__: null, ...ctx, stylize: /** @param {string} text */ (text) => text };
    const text = `[${kind}${name}: ${primitiveText(plain, value)}]`;
    setBase(ctx, it, it.tag !== '' && it.tag !== it.name ? `${text} [${it.tag}]` : text, realm.toLowerCase(kind));
  };

  /** @param {Inspection} ctx @param {Inspected} it */
  const openDate = (ctx, it) => {
    const time = realm.dateGetTime(it.value);
    const text = time - time === 0 ? realm.dateToISOString(it.value) : 'Invalid Date';
    const prefix = prefixOf(it.name, it.tag, 'Date');
    setBase(ctx, it, prefix === 'Date ' ? text : prefix + text, 'date');
  };
  /** @param {Inspection} ctx @param {Inspected} it */
  const openRegExp = (ctx, it) => {
    const text = `/${realm.regexpSource(it.value)}/${realm.regexpFlags(it.value)}`;
    const prefix = prefixOf(it.name, it.tag, 'RegExp');
    setBase(ctx, it, prefix === 'RegExp ' ? text : prefix + text, 'regexp');
    if (isTooDeep(ctx, it.level)) finish(it, ctx.stylize(it.shape.base, 'regexp'));
  };
  /** @param {Inspection} ctx @param {Inspected} it */
  const openError = (ctx, it) => {
    const { text, members } = errorParts(ctx, it.value, it.name, it.tag, it.keys);
    it.keys = members;
    it.shape.base = text;
    if (isBare(it)) finish(it, text);
  };
  /** @param {Inspected} it */
  const openPlain = (it) => {
    if (it.name === 'Object') {
      if (it.kind === 'Arguments') it.shape.open = '[Arguments] {';
      else if (it.tag !== '') it.shape.open = `${prefixOf(it.name, it.tag, 'Object')}{`;
    } else it.shape.open = `${plainPrefix(it.value, it.name, it.tag)}{`;
    if (isBare(it)) finish(it, `${it.shape.open}}`);
  };

  // How an object begins and ends, or its whole text.
  /** @param {Inspection} ctx @param {Inspected} it */
  const open = (ctx, it) => {
    const { kind, value } = it;
    if (isArray(value)) return openSized(ctx, it, 'Array', value.length);
    if (typeof value === 'function') return setBase(ctx, it, functionName(ctx, value, it.name, it.tag), 'special');
    switch (kind) {
      case 'Map':
        return openSized(ctx, it, kind, realm.mapSize(value));
      case 'Set':
        return openSized(ctx, it, kind, realm.setSize(value));
      case 'TypedArray':
        return openSized(ctx, it, realm.typedArrayName(value) ?? '', realm.typedArrayLength(value));
      case 'MapIterator':
      case 'SetIterator': {
        const isPairs = native.reveal(value)?.[1] === true;
        const head = iteratorHead(kind, it.tag);
        it.shape.open = `[${isPairs ? `${slice(head, 0, -8)}Entries` : head}] {`;
        return undefined;
      }
      case 'RegExp':
        return openRegExp(ctx, it);
      case 'Date':
        return openDate(ctx, it);
      case 'Error':
        return openError(ctx, it);
      case 'ArrayBuffer':
      case 'DataView':
      case 'Promise':
      case 'WeakSet':
      case 'WeakMap':
        it.shape.open = `${prefixOf(it.name, it.tag, kind)}{`;
        return undefined;
      case 'Number':
      case 'String':
      case 'Boolean':
      case 'BigInt':
      case 'Symbol':
        return openBoxed(ctx, it, kind);
      default:
        return openPlain(it);
    }
  };

  // Properties of the prototypes of bytes.
  /** @param {Inspection} ctx @param {Inspected} it @param {number} level @param {List<string>} parts */
  const addBuiltIn = (ctx, it, level, parts) => {
    const { kind, value } = it;
    /** @param {string} key @param {Guest} item */
    const add = (key, item) => push(parts, builtInText(ctx, key, item, level, kind === 'TypedArray'));
    if (kind === 'ArrayBuffer') add('byteLength', realm.bufferBytes(value));
    if (kind === 'DataView') {
      add('byteLength', realm.viewBytes(value));
      add('byteOffset', realm.viewOffset(value));
      add('buffer', realm.viewBuffer(value));
    }
    if (kind === 'TypedArray' && ctx.showHidden) {
      const length = realm.typedArrayLength(value);
      const bytes = realm.typedArrayBytes(value);
      add('BYTES_PER_ELEMENT', length === 0 ? value.BYTES_PER_ELEMENT : bytes / length);
      add('length', length);
      add('byteLength', bytes);
      add('byteOffset', realm.typedArrayOffset(value));
      add('buffer', realm.typedArrayBuffer(value));
    }
  };

  /** @param {Inspection} ctx @param {Inspected} it @param {number} level */
  const partsOf = (ctx, it, level) => {
    const { kind, value } = it;
    const isList = it.shape.isList;
    const isHexed = kind === 'ArrayBuffer' && !it.isInTypedArray;
    const parts = isArray(value)
      ? arrayParts(ctx, value, level)
      : kind === 'TypedArray'
        ? typedParts(ctx, value)
        : kind === 'ArrayBuffer' && !isHexed
          ? list()
          : heldParts(ctx, value, kind, level);
    addBuiltIn(ctx, it, level, parts);
    const first = isList ? parts.length : 0;
    let length = 0;
    for (let i = 0; i < it.keys.length; i++) {
      if (length > ctx.most) {
        push(parts, `... ${it.keys.length - i} more`);
        break;
      }
      const text = memberText(ctx, value, level, it.keys[i], false);
      length += text.length;
      push(parts, text);
    }
    for (let i = 0; i < it.inherited.length; i++) push(parts, it.inherited[i]);
    if (ctx.sorted) sortParts(parts, first, ctx.sorted);
    return parts;
  };

  const TOO_DEEP = 'Maximum call stack size exceeded';

  /** @param {Inspection} ctx @param {Inspected} it */
  const openedText = (ctx, it) => {
    const level = it.level + 1;
    const { indent } = ctx;
    const depth = ctx.seen.length;
    push(ctx.seen, it.value);
    ctx.deepest = level;
    let parts;
    try {
      parts = partsOf(ctx, it, level);
    } catch (error) {
      if (!native.isError(error) || ownValue(error, 'message') !== TOO_DEEP) throw error;
      ctx.seen.length = depth;
      ctx.indent = indent;
      const name = slice(plainPrefix(it.value, it.name, it.tag), 0, -1);
      return ctx.stylize(`[${name}: Inspection interrupted prematurely. ${TOO_DEEP}.]`, 'special');
    }
    ctx.seen.length = depth;
    const place = placeOf(ctx, it.value);
    if (place > 0) {
      const mark = ctx.stylize(`<ref *${place}>`, 'special');
      if (ctx.compact === true) it.shape.open = `${mark} ${it.shape.open}`;
      else it.shape.base = it.shape.base === '' ? mark : `${mark} ${it.shape.base}`;
    }
    const text = layOut(ctx, parts, it.shape, level, it.value);
    const length = (ctx.budget[indent] ?? 0) + text.length;
    ctx.budget[indent] = length;
    if (length > MAX_TEXT || length > ctx.most) ctx.depth = -1;
    return text;
  };

  // The number of an object that holds itself; 0 for others.
  /** @param {Inspection} ctx @param {Guest} value */
  const placeOf = (ctx, value) => {
    for (let i = 0; i < ctx.circular.length; i++) if (ctx.circular[i] === value) return i + 1;
    return 0;
  };
  /** @param {Inspection} ctx @param {Guest} value */
  const circularText = (ctx, value) => {
    for (let i = 0; i < ctx.seen.length; i++) {
      if (ctx.seen[i] !== value) continue;
      if (placeOf(ctx, value) === 0) push(ctx.circular, value);
      return ctx.stylize(`[Circular *${placeOf(ctx, value)}]`, 'special');
    }
    return undefined;
  };

  // Objects that only inherit from `Error` are shown as errors, too.
  /** @param {Guest} value */
  const inheritsError = (value) => {
    for (let one = realm.getPrototypeOf(value); one !== null; one = realm.getPrototypeOf(one))
      if (one === realm.ErrorPrototype) return true;
    return false;
  };

  /** @param {Inspection} ctx @param {Guest} value @param {string | undefined} given @param {number} level @param {boolean} isInTypedArray */
  const objectText = (ctx, value, given, level, isInTypedArray) => {
    const inherited = list();
    const name = className(ctx, value, level, ctx.showHidden && !isTooDeep(ctx, level) ? inherited : undefined);
    const tag = tagOf(ctx, value);
    const kind = given === undefined && name !== 'Object' && inheritsError(value) ? 'Error' : given;
    const hasIndexes = !isArray(value) && kind !== 'TypedArray';
    const keys = toList(native.keysOf(value, ctx.showHidden, hasIndexes));
    const shape = { __proto__: null, base: '', open: '{', close: '}', isList: false };
    /** @type {Inspected} */
    const it = {
      __proto__: null,
      value,
      kind,
      name,
      tag,
      level,
      keys,
      inherited,
      shape,
      isInTypedArray,
      done: undefined,
    };
    open(ctx, it);
    if (it.done !== undefined) return it.done;
    if (!isTooDeep(ctx, level)) return openedText(ctx, it);
    const prefix = slice(plainPrefix(value, name, tag), 0, -1);
    return ctx.stylize(name === null ? prefix : `[${prefix}]`, 'special');
  };

  /** @param {Inspection} ctx @param {Guest} proxy @param {number} level */
  const proxyText = (ctx, proxy, level) => {
    if (isTooDeep(ctx, level)) return ctx.stylize('Proxy [Array]', 'special');
    const facts = native.reveal(proxy) ?? [null, null];
    const parts = list();
    ctx.indent += 2;
    push(parts, valueText(ctx, facts[0], level + 1));
    push(parts, valueText(ctx, facts[1], level + 1));
    ctx.indent -= 2;
    return layOut(ctx, parts, LIST, level + 1, undefined);
  };

  // The text that the object's own function gives; undefined without one.
  /** @param {Inspection} ctx @param {Guest} value @param {Guest} given @param {number} level */
  const customText = (ctx, value, given, level) => {
    const custom = value[CUSTOM];
    if (typeof custom !== 'function' || custom === realm.inspectFunction) return undefined;
    const maker = ownValue(value, 'constructor');
    if (typeof maker === 'function' && ownValue(maker, 'prototype') === value) return undefined;
    const depth = ctx.depth === null ? null : /** @type {number} */ (ctx.depth) - level;
    const returned = ReflectApply(custom, given, [depth, realm.inspecting.optionsOf(ctx), realm.inspectFunction]);
    if (returned === given) return undefined;
    return typeof returned === 'string' ? indented(returned, ctx.indent) : valueText(ctx, returned, level);
  };

  /** @type {InspectParts['valueText']} */
  const valueText = (ctx, given, level, isInTypedArray = false) => {
    if ((typeof given !== 'object' && typeof given !== 'function') || given === null) return primitiveText(ctx, given);
    let value = given;
    let kind = native.kindOf(value);
    if (kind === 'Proxy' && ctx.showProxy && native.reveal(value)?.[0] !== null) return proxyText(ctx, value, level);
    while (kind === 'Proxy') {
      value = native.reveal(value)?.[0] ?? null;
      if (value === null) return ctx.stylize('<Revoked Proxy>', 'special');
      kind = native.kindOf(value);
    }
    const custom = ctx.customInspect ? customText(ctx, value, given, level) : undefined;
    const text = custom ?? realm.inspecting.webText(ctx, value, level) ?? circularText(ctx, value);
    return text ?? objectText(ctx, value, kind, level, isInTypedArray);
  };

  realm.inspecting = { __proto__: null, ...realm.inspecting, isTooDeep, sortParts, valueText };
});
