// Builds the guest's realm. It runs once, while the startup snapshot is made, in a realm that no guest has touched;
// every run gets its own copy of what it leaves behind.
//
// Guest code can replace anything it can reach, so nothing here may look a built-in up after this script has ended:
// what is needed is captured below, objects that are read later have no prototype, and nothing is spread or iterated.
(function bootstrap(native) {
  const { apply: ReflectApply, construct: ReflectConstruct, ownKeys: ReflectOwnKeys } = Reflect;
  const { parse: JSONParse, stringify: JSONStringify } = JSON;
  const { defineProperty, freeze, getOwnPropertyDescriptor, keys: objectKeys, hasOwn } = Object;
  const { isArray } = Array;
  const { floor, imul, min, trunc } = Math;
  const intrinsics = { __proto__: null, Error, TypeError, RangeError, Promise };
  const unbind = (fn) => (self, a, b) => ReflectApply(fn, self, [a, b]);
  const errorToString = unbind(Error.prototype.toString);
  const dateToISOString = unbind(Date.prototype.toISOString);
  const dateGetTime = unbind(Date.prototype.getTime);
  const bigintToString = unbind(BigInt.prototype.toString);
  const symbolToString = unbind(Symbol.prototype.toString);
  const mapForEach = unbind(Map.prototype.forEach);
  const setForEach = unbind(Set.prototype.forEach);
  const weakMapGet = unbind(WeakMap.prototype.get);
  const weakMapSet = unbind(WeakMap.prototype.set);
  const slice = unbind(String.prototype.slice);
  const indexOf = unbind(String.prototype.indexOf);
  const lastIndexOf = unbind(String.prototype.lastIndexOf);

  const define = (target, key, value) =>
    defineProperty(target, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

  // ---- Values as text, for logs and for thrown values that are no errors

  const INSPECT_DEPTH = 4;
  const INSPECT_ENTRIES = 100;

  function inspectEntries(parts, value, depth, seen) {
    const names = objectKeys(value);
    const shown = min(names.length, INSPECT_ENTRIES);
    let text = parts;
    for (let i = 0; i < shown; i++) {
      const name = names[i];
      const descriptor = getOwnPropertyDescriptor(value, name);
      if (descriptor === undefined) continue;
      const plain = hasOwn(descriptor, 'value') ? inspect(descriptor.value, depth + 1, seen) : '[Getter]';
      text += `${text === '' ? '' : ', '}${name}: ${plain}`;
    }
    return names.length > shown ? `${text}, … ${names.length - shown} more` : text;
  }

  function inspectArray(value, depth, seen) {
    const shown = min(value.length, INSPECT_ENTRIES);
    let text = '';
    for (let i = 0; i < shown; i++) text += `${i === 0 ? '' : ', '}${inspect(value[i], depth + 1, seen)}`;
    return value.length > shown ? `[${text}, … ${value.length - shown} more]` : `[${text}]`;
  }

  function inspectCollection(name, forEach, value, depth, seen) {
    let text = '';
    let count = 0;
    forEach(value, (item, key) => {
      count += 1;
      if (count > INSPECT_ENTRIES) return;
      const left = name === 'Map' ? `${inspect(key, depth + 1, seen)} => ` : '';
      text += `${text === '' ? '' : ', '}${left}${inspect(item, depth + 1, seen)}`;
    });
    return `${name}(${count}) {${text}${count > INSPECT_ENTRIES ? ', …' : ''}}`;
  }

  function inspectObject(value, depth, seen) {
    if (native.isError(value)) return errorText(value);
    for (let i = 0; i < depth; i++) if (seen[i] === value) return '[Circular]';
    if (depth >= INSPECT_DEPTH) return isArray(value) ? '[Array]' : '[Object]';
    seen[depth] = value;
    if (isArray(value)) return inspectArray(value, depth, seen);
    switch (native.classOf(value)) {
      case 'Map':
        return inspectCollection('Map', mapForEach, value, depth, seen);
      case 'Set':
        return inspectCollection('Set', setForEach, value, depth, seen);
      case 'Date': {
        const time = dateGetTime(value);
        return time === time ? dateToISOString(value) : 'Invalid Date';
      }
      case 'Proxy':
        return '[Proxy]';
      default:
        return `{ ${inspectEntries('', value, depth, seen)} }`;
    }
  }

  function inspect(value, depth, seen) {
    switch (typeof value) {
      case 'string':
        return depth === 0 ? value : JSONStringify(value);
      case 'bigint':
        return `${bigintToString(value)}n`;
      case 'symbol':
        return symbolToString(value);
      case 'function':
        return '[Function]';
      case 'object':
        return value === null ? 'null' : inspectObject(value, depth, seen);
      case 'undefined':
        return 'undefined';
      default:
        return `${value}`;
    }
  }

  const textOf = (value) => {
    try {
      return inspect(value, 0, { __proto__: null });
    } catch {
      return '[value that throws when it is read]';
    }
  };

  function formatLine(values) {
    let line = '';
    for (let i = 0; i < values.length; i++) line += `${i === 0 ? '' : ' '}${textOf(values[i])}`;
    return line;
  }

  // ---- Errors

  const hostFaults = new WeakMap();

  const readText = (value, key) => {
    try {
      const text = value[key];
      return typeof text === 'string' ? text : '';
    } catch {
      return '';
    }
  };

  function errorText(error) {
    const stack = readText(error, 'stack');
    if (stack !== '') return stack;
    try {
      return errorToString(error);
    } catch {
      return '[error that throws when it is read]';
    }
  }

  const CAUSES = 5;

  // What a thrown value says about itself, as JSON text.
  function describe(error) {
    const out = { __proto__: null, name: '', message: '', stack: '', host_code: null };
    if (!native.isError(error)) {
      out.message = textOf(error);
      return JSONStringify(out);
    }
    out.name = readText(error, 'name');
    out.message = readText(error, 'message');
    out.stack = readText(error, 'stack');
    out.host_code = weakMapGet(hostFaults, error) ?? null;
    let inner = error;
    for (let i = 0; i < CAUSES; i++) {
      const descriptor = getOwnPropertyDescriptor(inner, 'cause');
      if (descriptor === undefined || !hasOwn(descriptor, 'value')) break;
      inner = descriptor.value;
      out.stack += `\nCaused by: ${textOf(inner)}`;
      if (!native.isError(inner)) break;
    }
    return JSONStringify(out);
  }

  // ---- Questions to the host

  // An answer is "=" and JSON, or "!", an error code, a line break and a message.
  function decodeAnswer(answer) {
    if (answer[0] === '=') return JSONParse(slice(answer, 1));
    const end = indexOf(answer, '\n');
    const error = new intrinsics.Error(slice(answer, end + 1));
    const code = slice(answer, 1, end);
    define(error, 'code', code);
    weakMapSet(hostFaults, error, code);
    throw error;
  }

  const plainArgument = (_name, value) => (typeof value === 'bigint' ? bigintToString(value) : value);

  const askNow = (name, values) => decodeAnswer(native.callSync(name, JSONStringify(values, plainArgument)));

  const askLater = (name, values) =>
    new intrinsics.Promise((resolve, reject) => {
      native.call(name, JSONStringify(values, plainArgument), (answer) => {
        try {
          resolve(decodeAnswer(answer));
        } catch (error) {
          reject(error);
        }
      });
    });

  // ---- Modules

  const KIND_MODULE = 0;
  const KIND_ASYNC_MODULE = 1;
  const KIND_ASYNC_SCRIPT = 3;
  const KIND_JSON = 4;
  const modules = { __proto__: null };

  const isAsync = (kind) => kind === KIND_ASYNC_MODULE || kind === KIND_ASYNC_SCRIPT;

  const folderOf = (path) => {
    const end = lastIndexOf(path, '/');
    return end < 0 ? '.' : slice(path, 0, end);
  };

  function requireFrom(importer) {
    return function require(specifier) {
      const wanted = typeof specifier === 'string' ? specifier : textOf(specifier);
      const path = native.link(importer, wanted);
      if (path === undefined) {
        const error = new intrinsics.Error(
          `Security Violation: cannot import '${wanted}' from ${importer}. Only modules named in a static import or in require('…') of an existing tool can be loaded.`,
        );
        weakMapSet(hostFaults, error, 'ERR_SECURITY_VIOLATION');
        throw error;
      }
      const loaded = load(path);
      if (isAsync(loaded.kind)) {
        throw new intrinsics.Error(
          `${path} uses top-level await, so it can be run but not imported. Export an async function from it instead.`,
        );
      }
      return loaded.module.exports;
    };
  }

  function load(path) {
    const cached = modules[path];
    if (cached !== undefined) return cached;
    const kind = native.kind(path);
    const module = { exports: {} };
    const loaded = { __proto__: null, kind, module, empty: module.exports, completion: undefined };
    modules[path] = loaded;
    if (kind === KIND_JSON) {
      module.exports = JSONParse(native.source(path));
      return loaded;
    }
    try {
      const body = native.compile(path);
      const parameters = [module.exports, requireFrom(path), module, path, folderOf(path)];
      loaded.completion = ReflectApply(body, module.exports, parameters);
    } catch (error) {
      delete modules[path];
      throw error;
    }
    return loaded;
  }

  const isModule = (kind) => kind === KIND_MODULE || kind === KIND_ASYNC_MODULE;

  const noDefault = (path) =>
    new intrinsics.TypeError(
      `${path} has no default export. Write \`export default function (args) { … }\` so that it can be run.`,
    );

  // What an evaluated entry module stands for: its returned value, or its default export, called when it is a function.
  function outcomeOf(loaded, returned, path, args) {
    if (returned !== undefined && !isModule(loaded.kind)) return returned;
    const exported = loaded.module.exports;
    let target = exported;
    if (isModule(loaded.kind) && exported === loaded.empty) {
      if (!hasOwn(exported, 'default')) throw noDefault(path);
      target = exported.default;
    } else if (exported === loaded.empty) {
      if (ReflectOwnKeys(exported).length === 0) return undefined;
    }
    return typeof target === 'function' ? ReflectApply(target, undefined, [args]) : target;
  }

  // ---- Results

  function keyOf(key) {
    switch (typeof key) {
      case 'string':
        return key;
      case 'number':
      case 'boolean':
        return `${key}`;
      case 'bigint':
        return bigintToString(key);
      default:
        return undefined;
    }
  }

  const REFUSED = freeze({ __proto__: null });

  function serialise(value) {
    const holders = { __proto__: null };
    const names = { __proto__: null };
    let depth = 0;
    const pathTo = (name) => {
      let path = 'result';
      for (let i = 1; i < depth; i++) path += `.${names[i]}`;
      return depth === 0 ? path : `${path}.${name}`;
    };
    const refuse = (what, name) => {
      native.refuseResult(
        `${pathTo(name)} is ${what}. Return plain data: numbers, strings, booleans, null, arrays, objects.`,
      );
      throw REFUSED;
    };
    const plainMap = (map, name) => {
      const out = { __proto__: null };
      mapForEach(map, (item, key) => {
        const text = keyOf(key);
        if (text === undefined) refuse('a Map with a key that is no string', name);
        out[text] = item;
      });
      return out;
    };
    const plainSet = (set) => {
      const out = [];
      setForEach(set, (item) => {
        defineProperty(out, out.length, {
          __proto__: null,
          value: item,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      });
      return out;
    };
    function replace(name, item) {
      while (depth > 0 && holders[depth - 1] !== this) depth -= 1;
      switch (typeof item) {
        case 'bigint':
          return bigintToString(item);
        case 'function':
          return refuse('a function', name);
        case 'symbol':
          return refuse('a symbol', name);
        case 'object': {
          if (item === null) return null;
          const type = native.classOf(item);
          const plain = type === 'Map' ? plainMap(item, name) : type === 'Set' ? plainSet(item) : item;
          holders[depth] = plain;
          names[depth] = name;
          depth += 1;
          return plain;
        }
        default:
          return item;
      }
    }
    if (value === undefined) return 'null';
    try {
      return JSONStringify(value, replace) ?? 'null';
    } catch (error) {
      if (error === REFUSED) return '';
      const message = native.isError(error) ? readText(error, 'message') : '';
      if (indexOf(message, 'circular structure') >= 0) {
        native.refuseResult(`${pathTo('')} contains itself. Return a tree of plain data without cycles.`);
        return '';
      }
      if (indexOf(message, 'call stack size') >= 0 || indexOf(message, 'Invalid string length') >= 0) {
        native.refuseResult('The result is nested too deeply or is too long. Return less data.');
        return '';
      }
      throw error;
    }
  }

  // ---- Chance from a seed (a 32-bit mixing counter), so that the same seed gives the same numbers

  function seedRandom(seed) {
    let state = seed >>> 0;
    const next = () => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = state ^ (state >>> 16);
      mixed = imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = imul(mixed, 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    define(Math, 'random', function random() {
      return (floor(next() / 32) * 67108864 + floor(next() / 64)) / 9007199254740992;
    });
  }

  // ---- Timers, alive within the run only

  const timers = { __proto__: null };

  const startTimer = (kind, callback, delay, values) => {
    if (typeof callback !== 'function')
      throw new intrinsics.TypeError(`${kind} needs a function as its first argument`);
    const wait = typeof delay === 'number' && delay > 0 ? min(trunc(delay), 2147483647) : 0;
    const id = native.startTimer(wait, kind === 'setInterval');
    timers[id] = { __proto__: null, callback, values, repeat: kind === 'setInterval' };
    return id;
  };

  function stopTimer(id) {
    if (typeof id !== 'number' || timers[id] === undefined) return;
    delete timers[id];
    native.stopTimer(id);
  }

  function fireTimer(id) {
    const timer = timers[id];
    if (timer === undefined) return;
    if (!timer.repeat) delete timers[id];
    ReflectApply(timer.callback, undefined, timer.values);
  }

  // ---- What the guest sees

  const consoleMethod =
    (level) =>
    (...values) => {
      native.log(level, formatLine(values));
    };

  const console = {};
  const levels = ['debug', 'info', 'log', 'warn', 'error'];
  for (let level = 0; level < levels.length; level++) define(console, levels[level], consoleMethod(level));
  define(console, 'trace', consoleMethod(0));

  const tgp = {
    log: consoleMethod(2),
    read_file: (path) => askNow('read_file', [path]),
    list_files: (dir) => askNow('list_files', [dir]),
  };

  // Resizable buffers grow outside the memory limit, so the constructor does not offer them.
  const NativeArrayBuffer = ArrayBuffer;
  const FixedArrayBuffer = function ArrayBuffer(length, options) {
    if (new.target === undefined) throw new intrinsics.TypeError("Constructor ArrayBuffer requires 'new'");
    if (options !== null && typeof options === 'object' && options.maxByteLength !== undefined) {
      throw new intrinsics.RangeError('Resizable array buffers are not available in the sandbox');
    }
    return ReflectConstruct(NativeArrayBuffer, [length], new.target);
  };
  for (const key of ReflectOwnKeys(NativeArrayBuffer)) {
    if (key !== 'length' && key !== 'name') {
      defineProperty(FixedArrayBuffer, key, getOwnPropertyDescriptor(NativeArrayBuffer, key));
    }
  }
  define(FixedArrayBuffer.prototype, 'constructor', FixedArrayBuffer);
  defineProperty(FixedArrayBuffer, 'length', { __proto__: null, value: 1, configurable: true });


  define(globalThis, 'ArrayBuffer', FixedArrayBuffer);
  define(globalThis, 'console', console);
  define(globalThis, 'tgp', tgp);
  define(globalThis, 'setTimeout', function setTimeout(callback, delay, ...values) {
    return startTimer('setTimeout', callback, delay, values);
  });
  define(globalThis, 'setInterval', function setInterval(callback, delay, ...values) {
    return startTimer('setInterval', callback, delay, values);
  });
  define(globalThis, 'clearTimeout', function clearTimeout(id) {
    stopTimer(id);
  });
  define(globalThis, 'clearInterval', function clearInterval(id) {
    stopTimer(id);
  });

  // ---- What the engine calls

  async function start(entry, argsJson, seed, api) {
    if (seed !== undefined) seedRandom(seed);
    for (let i = 0; i < api.length; i++) define(tgp, api[i], (...values) => askLater(api[i], values));
    const args = JSONParse(argsJson);
    define(globalThis, 'args', args);
    const loaded = load(entry);
    const returned = isAsync(loaded.kind) ? await loaded.completion : loaded.completion;
    return serialise(await outcomeOf(loaded, returned, entry, args));
  }

  return { __proto__: null, start, describe, fireTimer };
});
