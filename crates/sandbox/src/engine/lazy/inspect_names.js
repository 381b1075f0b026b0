// The names of classes and functions, as `inspect` shows them.
(function inspectNames(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { functionText, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, indexOf, list, ownValue, push, slice } =
    realm;
  const { ReflectOwnKeys, regexpExec, toLowerCase } = realm;
  const { endsWith } = realm.inspecting;

  // The classes of the language. A getter on their prototypes is not worth showing.
  const LANGUAGE =
    ' Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error AggregateError EvalError RangeError' +
    ' ReferenceError SyntaxError TypeError URIError ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array' +
    ' Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map Set' +
    ' WeakMap WeakSet WeakRef Proxy Iterator FinalizationRegistry ';
  /** @type {InspectParts['isOfLanguage']} */
  const isOfLanguage = (name) => typeof name === 'string' && indexOf(LANGUAGE, ` ${name} `) >= 0;

  /** @param {Guest} value @param {Guest} maker */
  const isMadeBy = (value, maker) => {
    const wanted = native.kindOf(maker) === 'Proxy' ? undefined : ownValue(maker, 'prototype');
    if (wanted === undefined || wanted === null) return false;
    for (let one = getPrototypeOf(value); one !== null; one = getPrototypeOf(one)) if (one === wanted) return true;
    return false;
  };

  const LAYERS = 3;

  // With `showHidden`: the members of prototypes of the guest's classes that are not methods.
  /** @param {Inspection} ctx @param {Guest} value @param {Guest} first @param {number} level @param {List<string>} parts */
  const addInherited = (ctx, value, first, level, parts) => {
    /** @type {List<PropertyKey>} */
    const known = list();
    /** @param {PropertyKey} key */
    const isKnown = (key) => {
      for (let i = 0; i < known.length; i++) if (known[i] === key) return true;
      return false;
    };
    let at = first;
    for (let layer = 0; layer < LAYERS; layer++) {
      if (layer !== 0 || at === value) {
        at = getPrototypeOf(at);
        if (at === null) return;
        const maker = ownValue(at, 'constructor');
        if (typeof maker === 'function' && isOfLanguage(ownValue(maker, 'name'))) return;
      }
      push(ctx.seen, value);
      const keys = ReflectOwnKeys(at);
      for (let i = 0; i < keys.length; i++) {
        if (keys[i] === 'constructor' || hasOwn(value, keys[i]) || isKnown(keys[i])) continue;
        push(known, keys[i]);
        const found = getOwnPropertyDescriptor(at, keys[i]);
        if (found === undefined || (hasOwn(found, 'value') && typeof found.value === 'function')) continue;
        push(parts, realm.inspecting.memberText(ctx, at, level, keys[i], false, value));
      }
      ctx.seen.length -= 1;
    }
  };

  // The name of the object's class; null for an object without a prototype. `inherited` gets members of prototypes.
  /** @type {InspectParts['className']} */
  const className = (ctx, value, level, inherited) => {
    let first;
    for (let one = value; one !== null; ) {
      const maker = native.kindOf(one) === 'Proxy' ? undefined : ownValue(one, 'constructor');
      if (typeof maker === 'function' && isMadeBy(value, maker)) {
        const { name } = maker;
        if (name !== '') {
          if (inherited !== undefined && (first !== one || !isOfLanguage(name)))
            addInherited(ctx, value, first ?? value, level, inherited);
          // A class may have a static member of that name.
          return typeof name === 'string' ? name : native.className(value);
        }
      }
      one = getPrototypeOf(one);
      if (first === undefined) first = one;
    }
    if (first === null) return null;
    const own = native.className(value);
    if (ctx.depth !== null && level > ctx.depth) return `${own} <Complex prototype>`;
    return `${own} <${className(ctx, first, level + 1, inherited) ?? '[Object: null prototype] {}'}>`;
  };

  // What stands before the bracket of an object.
  /** @type {InspectParts['prefixOf']} */
  const prefixOf = (name, tag, fallback, size = '') => {
    if (name === null) {
      return `[${fallback}${size}: null prototype] ${tag !== '' && fallback !== tag ? `[${tag}] ` : ''}`;
    }
    const prefix = `${name}${size} `;
    const at = tag === '' ? 0 : indexOf(name, tag);
    const end = at + tag.length;
    const isPart = tag === '' || (at >= 0 && (end === name.length || name[end] !== toLowerCase(name[end])));
    return isPart ? prefix : `${prefix}[${tag}] `;
  };

  /** @type {InspectParts['plainPrefix']} */
  const plainPrefix = (value, name, tag) => {
    const own = name === null ? native.className(value) : '';
    return prefixOf(name, tag, own === tag ? 'Object' : own);
  };

  const HEAD = '^(?:\\s|//[^\\n]*\\n|/\\*(?:[^*]|\\*(?!/))*\\*/)+[^(]*\\{|^\\{';

  /** @param {Guest} value */
  const isClass = (value) => {
    const text = functionText(value);
    if (slice(text, 0, 5) !== 'class' || !endsWith(text, '}')) return false;
    const rest = slice(text, 5, -1);
    const brace = indexOf(rest, '{');
    const bracket = indexOf(rest, '(');
    return brace >= 0 && (bracket < 0 || bracket > brace || regexpExec(new realm.RegExp(HEAD), rest) !== null);
  };

  /** @param {Guest} value @param {string | null} name @param {string} tag */
  const classText = (value, name, tag) => {
    let text = `class ${(hasOwn(value, 'name') && value.name) || '(anonymous)'}`;
    if (name !== 'Function' && name !== null) text += ` [${name}]`;
    if (tag !== '' && name !== tag) text += ` [${tag}]`;
    if (name === null) return `[${text} extends [null prototype]]`;
    /** @type {Guest} */
    const parent = getPrototypeOf(value);
    const base = parent?.name;
    return base ? `[${text} extends ${base}]` : `[${text}]`;
  };

  /** @type {InspectParts['functionName']} */
  const functionName = (ctx, value, name, tag) => {
    if (isClass(value)) return classText(value, name, tag);
    const type = native.kindOf(value) ?? 'Function';
    const { name: own } = value;
    const shown = typeof own === 'string' ? own : realm.inspecting.valueText(ctx, own, 0);
    let text = `[${type}${name === null ? ' (null prototype)' : ''}${shown === '' ? ' (anonymous)' : `: ${shown}`}]`;
    if (name !== type && name !== null) text += ` ${name}`;
    return tag !== '' && name !== tag ? `${text} [${tag}]` : text;
  };

  realm.inspecting = {
    __proto__: null,
    ...realm.inspecting,
    className,
    functionName,
    isOfLanguage,
    plainPrefix,
    prefixOf,
  };
});
