// `structuredClone` and `queueMicrotask`.
//
// Clones are made in the guest's heap and share its strings, so they count against the run's memory limit.
(function clone(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { DOMException, ReflectConstruct, define, getOwnPropertyDescriptor, give, hasOwn, isArray, objectKeys } = realm;
  const { bufferBytes, bufferDetached, dateGetTime, mapForEach, mapGet, mapSet, setAdd, setForEach } = realm;
  const { typedArrayBuffer, typedArrayLength, typedArrayName, typedArrayOffset } = realm;
  const { ObjectPrototype, getPrototypeOf, put, toStringTag, viewBuffer, viewBytes, viewOffset, views } = realm;

  /** @type {Table<any>} */
  const errors = { __proto__: null };
  const errorTypes = ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];
  for (let i = 0; i < errorTypes.length; i++)
    errors[errorTypes[i]] = /** @type {Table<any>} */ (/** @type {unknown} */ (realm))[errorTypes[i]];
  /** @type {Table<any>} */
  const unbox = {
    __proto__: null,
    Number: realm.numberValue,
    String: realm.stringValue,
    Boolean: realm.booleanValue,
    BigInt: realm.bigintValue,
  };

  /** @param {string} what */
  const refuse = (what, problem = 'could not be cloned.') => {
    throw new DOMException(`${what} ${problem}`, 'DataCloneError');
  };

  // The key under which the first copy of a transfer finds what it records.
  const MOVES = { __proto__: null };

  /** @param {Guest} error @param {Map<Guest, Guest>} seen */
  function copyError(error, seen) {
    const name = realm.readText(error, 'name');
    const Type = errors[name] ?? realm.Error;
    const out = new Type(realm.readText(error, 'message'));
    mapSet(seen, error, out);
    define(out, 'stack', realm.readText(error, 'stack'));
    const cause = getOwnPropertyDescriptor(error, 'cause');
    if (cause !== undefined && hasOwn(cause, 'value')) define(out, 'cause', copy(cause.value, seen));
    return out;
  }

  /** @param {Guest} value @param {string | undefined} name @param {Map<Guest, Guest>} seen @returns {object} */
  function copyView(value, name, seen) {
    const Type = name === undefined ? realm.DataView : views[name];
    const source = name === undefined ? viewBuffer(value) : typedArrayBuffer(value);
    if (bufferDetached(source)) return refuse('An ArrayBuffer is detached and');
    const buffer = copy(source, seen);
    const offset = name === undefined ? viewOffset(value) : typedArrayOffset(value);
    const length = name === undefined ? viewBytes(value) : typedArrayLength(value);
    /** @type {Moves | undefined} */
    const moves = mapGet(seen, MOVES);
    if (moves?.isMark(buffer)) return moves.viewMark(buffer, Type, offset, length);
    return new Type(buffer, offset, length);
  }

  // Whether an object keeps its state in internal slots instead of members.
  /** @param {Guest} value */
  const isOfPlatform = (value) => {
    const prototype = getPrototypeOf(value);
    if (prototype === ObjectPrototype || prototype === null || objectKeys(value).length > 0) return false;
    return typeof value[toStringTag] === 'string';
  };

  // Among web objects, only those that just hold bytes can be copied.
  /** @param {Guest} value */
  function copyPlatformObject(value) {
    if (realm.isFile?.(value))
      return realm.newFile(
        realm.bytesOfBlob(value),
        realm.nameOfFile(value),
        realm.typeOfBlob(value),
        realm.changeOfFile(value),
      );
    if (realm.isBlob?.(value)) return realm.newBlob(realm.bytesOfBlob(value), realm.typeOfBlob(value));
    return refuse('Cannot clone object', 'of unsupported type.');
  }

  /** @param {Guest} value @param {Guest} out @param {Map<Guest, Guest>} seen */
  function copyMembers(value, out, seen) {
    const names = objectKeys(value);
    for (let i = 0; i < names.length; i++) {
      if (hasOwn(value, names[i])) put(out, names[i], copy(value[names[i]], seen));
    }
    return out;
  }

  // The copy of a value of a known class without members; undefined for other values.
  /** @param {Guest} value @param {string | undefined} type */
  function copyLeaf(value, type) {
    switch (type) {
      case 'Date':
        return new realm.Date(dateGetTime(value));
      case 'RegExp':
        return new realm.RegExp(realm.regexpSource(value), realm.regexpFlags(value));
      case 'ArrayBuffer':
        if (bufferDetached(value)) return refuse('An ArrayBuffer is detached and');
        return typedArrayBuffer(realm.copyBytes(new realm.Uint8Array(value), 0, bufferBytes(value)));
      case 'Number':
      case 'String':
      case 'Boolean':
      case 'BigInt':
        return realm.Object(unbox[type](value));
      default:
        return undefined;
    }
  }

  /** @param {Guest} value @param {Map<Guest, Guest>} seen @returns {Guest} */
  function copyObject(value, seen) {
    const existing = mapGet(seen, value);
    if (existing !== undefined) return existing;
    if (realm.isDOMException(value))
      return new DOMException(realm.readText(value, 'message'), realm.readText(value, 'name'));
    if (native.isError(value)) return copyError(value, seen);
    const type = native.classOf(value);
    const leaf = copyLeaf(value, type);
    if (leaf !== undefined) {
      mapSet(seen, value, leaf);
      mapGet(seen, MOVES)?.keep(leaf);
      return leaf;
    }
    const name = typedArrayName(value);
    if (name !== undefined || type === 'DataView') {
      const view = copyView(value, name, seen);
      mapSet(seen, value, view);
      return view;
    }
    if (type === 'Map' || type === 'Set') {
      /** @type {Guest} */
      const out = type === 'Map' ? new realm.Map() : new realm.Set();
      mapSet(seen, value, out);
      if (type === 'Map') mapForEach(value, (item, key) => mapSet(out, copy(key, seen), copy(item, seen)));
      else setForEach(value, (item) => setAdd(out, copy(item, seen)));
      return out;
    }
    if (type !== undefined) return refuse(`#<${type}>`);
    if (!isArray(value) && isOfPlatform(value)) return copyPlatformObject(value);
    /** @type {Guest} */
    const out = isArray(value) ? [] : {};
    if (isArray(value)) out.length = value.length;
    mapSet(seen, value, out);
    return copyMembers(value, out, seen);
  }

  /** @param {Guest} value @param {Map<Guest, Guest>} seen @returns {Guest} */
  function copy(value, seen) {
    switch (typeof value) {
      case 'function':
        return refuse(realm.brief(realm.sourceText(value)));
      case 'symbol':
        return refuse(realm.textOf(value));
      case 'object':
        return value === null ? null : copyObject(value, seen);
      default:
        return value;
    }
  }

  /** @type {Realm['cloneValue']} */
  const cloneValue = (value) => copy(value, ReflectConstruct(realm.Map, []));
  realm.cloneValue = cloneValue;
  realm.copyWith = copy;
  realm.MOVES = MOVES;

  give('structuredClone', function structuredClone(/** @type {Guest} */ value, /** @type {Guest} */ options) {
    if (arguments.length === 0) throw new realm.TypeError('The "value" argument must be specified');
    if (options === undefined || options === null) return cloneValue(value);
    if (typeof options !== 'object' && typeof options !== 'function')
      throw new realm.TypeError("Failed to execute 'structuredClone': Options cannot be converted to a dictionary");
    const { transfer } = options;
    if (transfer === undefined) return cloneValue(value);
    realm.need('transfer');
    return realm.cloneAndTransfer(value, transfer);
  });

  /** @param {Guest} callback */
  async function runLater(callback) {
    await undefined;
    try {
      callback();
    } catch (error) {
      // Rethrown from a timer: it ends the run, as an uncaught error ends a program.
      const rethrow = () => {
        throw error;
      };
      realm.startTimer('setTimeout', rethrow, 0, []);
    }
  }

  give('queueMicrotask', function queueMicrotask(/** @type {Guest} */ callback) {
    if (typeof callback !== 'function') throw realm.wrongType('callback', 'of type function', callback);
    runLater(callback);
  });
});
