// What arrays, collections and objects of other built-in classes hold, part by part.
(function inspectEntries(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, getOwnPropertyDescriptor, hasOwn, list, mapForEach, max, min, push, setForEach } = realm;
  const { bigintText, keyText, layOut, numberText, primitiveText } = realm.inspecting;

  const HEX = '0123456789abcdef';
  const SQUARE = { __proto__: null, base: '', open: '[', close: ']', isList: true };

  /** @param {Inspection} ctx @param {Guest} value @param {number} level */
  const valueText = (ctx, value, level) => realm.inspecting.valueText(ctx, value, level);
  /** @param {Inspection} ctx @param {Guest} value @param {number} level */
  const deeper = (ctx, value, level) => {
    ctx.indent += 2;
    const text = valueText(ctx, value, level);
    ctx.indent -= 2;
    return text;
  };

  /** @param {number} count @param {string} what */
  const plural = (count, what) => `${count} ${what}${count > 1 ? 's' : ''}`;
  /** @param {List<string>} parts @param {number} left @param {string} what */
  const addRest = (parts, left, what) => {
    if (left > 0) push(parts, `... ${plural(left, `more ${what}`)}`);
    return parts;
  };
  /** @param {Inspection} ctx @param {number} length */
  const shownOf = (ctx, length) => min(max(0, ctx.maxArrayLength), length);

  // A getter's value, if the options ask for it.
  /** @param {Inspection} ctx @param {Guest} get @param {string} label @param {number} level @param {Guest} self */
  const gotten = (ctx, get, label, level, self) => {
    /** @param {string} text */
    const special = (text) => ctx.stylize(text, 'special');
    ctx.indent += 2;
    let text;
    try {
      const value = realm.ReflectApply(get, self, []);
      const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
      text = isObject
        ? `${special(`[${label}]`)} ${valueText(ctx, value, level)}`
        : `${special(`[${label}:`)} ${primitiveText(ctx, value)}${special(']')}`;
    } catch (error) {
      text = `${special(`[${label}:`)} <Inspection threw (${valueText(ctx, error, level)})>${special(']')}`;
    }
    ctx.indent -= 2;
    return text;
  };

  /** @param {Inspection} ctx @param {PropertyDescriptor} found a copy without a prototype @param {number} level @param {Guest} self */
  const accessorText = (ctx, found, level, self) => {
    if (found.get === undefined) {
      return found.set === undefined ? ctx.stylize('undefined', 'undefined') : ctx.stylize('[Setter]', 'special');
    }
    const label = found.set === undefined ? 'Getter' : 'Getter/Setter';
    const kind = found.set === undefined ? 'get' : 'set';
    if (ctx.getters === true || ctx.getters === kind) return gotten(ctx, found.get, label, level, self);
    return ctx.stylize(`[${label}]`, 'special');
  };

  // `key: value`, or the value alone for an element of an array.
  /** @type {InspectParts['memberText']} */
  const memberText = (ctx, holder, level, key, isElement, self = holder) => {
    const found = { __proto__: null, ...getOwnPropertyDescriptor(holder, key) };
    let text;
    let space = ' ';
    if (found.value !== undefined) {
      const step = ctx.compact === true && !isElement ? 3 : 2;
      ctx.indent += step;
      text = valueText(ctx, found.value, level);
      if (step === 3 && ctx.breakLength < realm.inspecting.widthOf(text))
        space = `\n${realm.inspecting.repeated(' ', ctx.indent)}`;
      ctx.indent -= step;
    } else text = accessorText(ctx, found, level, self);
    if (isElement) return text;
    const name = keyText(ctx, typeof key === 'number' ? `${key}` : key);
    return `${found.enumerable === false ? `[${name}]` : name}:${space}${text}`;
  };

  // The first element of a sparse array from `at` on; its length if there is none. `keys` are those of the array.
  /** @param {Guest[]} keys @param {number} at @param {number} length */
  const nextElement = (keys, at, length) => {
    for (let i = 0; i < keys.length && typeof keys[i] === 'string'; i++) {
      const index = +keys[i];
      if (`${realm.floor(index)}` !== keys[i] || index >= length) break;
      if (index >= at) return index;
    }
    return length;
  };

  /** @type {InspectParts['arrayParts']} */
  const arrayParts = (ctx, array, level) => {
    const length = array.length;
    const most = shownOf(ctx, length);
    const parts = list();
    let keys;
    let at = 0;
    while (at < length && parts.length < most) {
      if (hasOwn(array, at)) {
        push(parts, memberText(ctx, array, level, at, true));
        at += 1;
        continue;
      }
      keys ??= native.keysOf(array, false, true);
      const next = nextElement(keys, at, length);
      push(parts, ctx.stylize(`<${plural(next - at, 'empty item')}>`, 'undefined'));
      at = next;
    }
    return addRest(parts, length - at, 'item');
  };

  /** @type {InspectParts['typedParts']} */
  const typedParts = (ctx, array) => {
    const length = realm.typedArrayLength(array);
    const most = shownOf(ctx, length);
    const parts = list();
    for (let i = 0; i < most; i++) {
      const number = array[i];
      const isBig = typeof number === 'bigint';
      const text = isBig ? bigintText(number, ctx.numericSeparator) : numberText(number, ctx.numericSeparator);
      push(parts, ctx.stylize(text, isBig ? 'bigint' : 'number'));
    }
    return addRest(parts, length - most, 'item');
  };

  /** @param {Inspection} ctx @param {Guest} set @param {number} level */
  const setParts = (ctx, set, level) => {
    const parts = list();
    let count = 0;
    const most = shownOf(ctx, Infinity);
    setForEach(set, (item) => {
      count += 1;
      if (count <= most) push(parts, deeper(ctx, item, level));
    });
    return addRest(parts, count - most, 'item');
  };
  /** @param {Inspection} ctx @param {Guest} map @param {number} level */
  const mapParts = (ctx, map, level) => {
    const parts = list();
    let count = 0;
    const most = shownOf(ctx, Infinity);
    mapForEach(map, (item, key) => {
      count += 1;
      if (count <= most) push(parts, `${deeper(ctx, key, level)} => ${deeper(ctx, item, level)}`);
    });
    return addRest(parts, count - most, 'item');
  };

  // What an iterator has left, and what a weak collection holds; `isPairs` for keys and values in turn.
  /** @param {Inspection} ctx @param {Guest[]} entries @param {boolean} isPairs @param {boolean} isWeak @param {number} level */
  const previewParts = (ctx, entries, isPairs, isWeak, level) => {
    const length = isPairs ? entries.length / 2 : entries.length;
    const most = shownOf(ctx, length);
    const parts = list();
    for (let i = 0; i < most; i++) {
      if (!isPairs) {
        push(parts, deeper(ctx, entries[i], level));
        continue;
      }
      const key = deeper(ctx, entries[2 * i], level);
      const item = deeper(ctx, entries[2 * i + 1], level);
      if (isWeak) {
        push(parts, `${key} => ${item}`);
        continue;
      }
      const pair = list();
      push(pair, key);
      push(pair, item);
      ctx.indent += 2;
      push(parts, layOut(ctx, pair, SQUARE, level, undefined));
      ctx.indent -= 2;
    }
    if (isWeak) realm.inspecting.sortParts(parts, 0, true);
    return addRest(parts, length - most, 'item');
  };

  /** @param {Inspection} ctx @param {Guest} buffer */
  const bufferParts = (ctx, buffer) => {
    const bytes = new Uint8Array(buffer, 0, realm.bufferBytes(buffer));
    const length = realm.typedArrayLength(bytes);
    const most = shownOf(ctx, length);
    let text = '';
    for (let i = 0; i < most; i++) text += `${i === 0 ? '' : ' '}${HEX[bytes[i] >> 4]}${HEX[bytes[i] & 15]}`;
    if (length > most) text += ` ... ${plural(length - most, 'more byte')}`;
    const parts = list();
    push(parts, `${ctx.stylize('[Uint8Contents]', 'special')}: <${text}>`);
    return parts;
  };

  const PENDING = 0;
  const REJECTED = 2;

  /** @param {Inspection} ctx @param {Guest} promise @param {number} level */
  const promiseParts = (ctx, promise, level) => {
    const parts = list();
    const facts = native.reveal(promise) ?? [PENDING, undefined];
    if (facts[0] === PENDING) push(parts, ctx.stylize('<pending>', 'special'));
    else {
      const text = deeper(ctx, facts[1], level);
      push(parts, facts[0] === REJECTED ? `${ctx.stylize('<rejected>', 'special')} ${text}` : text);
    }
    return parts;
  };

  /** @type {InspectParts['heldParts']} */
  const heldParts = (ctx, value, kind, level) => {
    switch (kind) {
      case 'Set':
        return setParts(ctx, value, level);
      case 'Map':
        return mapParts(ctx, value, level);
      case 'ArrayBuffer':
        return bufferParts(ctx, value);
      case 'Promise':
        return promiseParts(ctx, value, level);
      case 'WeakSet':
      case 'WeakMap': {
        const parts = list();
        const facts = ctx.showHidden ? native.reveal(value) : undefined;
        if (facts !== undefined) return previewParts(ctx, facts[0], facts[1], true, level);
        push(parts, ctx.stylize('<items unknown>', 'special'));
        return parts;
      }
      case 'MapIterator':
      case 'SetIterator': {
        const facts = native.reveal(value);
        return facts === undefined ? list() : previewParts(ctx, facts[0], facts[1], false, level);
      }
      default:
        return list();
    }
  };

  // `[key]: value` for properties of built-ins that are not their own.
  /** @type {InspectParts['builtInText']} */
  const builtInText = (ctx, key, value, level, isInTypedArray) => {
    ctx.indent += 2;
    const text = realm.inspecting.valueText(ctx, value, level, isInTypedArray);
    ctx.indent -= 2;
    return `${ctx.stylize(`[${key}]`, 'string')}: ${text}`;
  };

  realm.inspecting = {
    __proto__: null,
    ...realm.inspecting,
    arrayParts,
    builtInText,
    heldParts,
    memberText,
    typedParts,
  };
});
