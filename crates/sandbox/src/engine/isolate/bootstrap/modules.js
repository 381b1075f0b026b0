// `require`, and the value that a tool's file evaluates to.
(function modules(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { JSONParse, ReflectApply, ReflectOwnKeys, hasOwn, lastIndexOf, slice } = realm;

  const { module: MODULE, asyncModule: ASYNC_MODULE, asyncScript: ASYNC_SCRIPT } = native.moduleKinds;
  const { package: PACKAGE, json: JSON_TEXT } = native.moduleKinds;
  /** @type {Table<any>} */
  const modules = { __proto__: null };
  // What packages threw that were loaded before the tool, until one of its modules requires them.
  /** @type {Table<any>} */
  const failures = { __proto__: null };

  /** @type {Realm['isAsync']} */
  const isAsync = (kind) => kind === ASYNC_MODULE || kind === ASYNC_SCRIPT;

  /** @param {string} path */
  const folderOf = (path) => {
    const end = lastIndexOf(path, '/');
    return end < 0 ? '.' : slice(path, 0, end);
  };

  /** @param {string} importer */
  function requireFrom(importer) {
    return function require(/** @type {Guest} */ specifier) {
      const wanted = typeof specifier === 'string' ? specifier : realm.textOf(specifier);
      // A specifier that is computed at run time is resolved by the host.
      const loaded = load(native.link(importer, wanted) ?? realm.decodeAnswer(native.require(importer, wanted)));
      if (isAsync(loaded.kind)) {
        throw new realm.Error(
          `${wanted} uses top-level await, so it can be run but not imported. Export an async function from it instead.`,
        );
      }
      return loaded.module.exports;
    };
  }

  // A syntax error found by V8 is reported as an error of the compiler.
  /** @param {string} path */
  function compile(path) {
    try {
      return native.compile(path);
    } catch (error) {
      if (realm.readText(error, 'name') !== 'SyntaxError') throw error;
      throw realm.hostError('ERR_COMPILATION', realm.readText(error, 'message'), error);
    }
  }

  // The CPU time of a package load is charged apart from the tool's, until a module of the tool runs: it may change
  // built-ins that packages call while they are loaded.
  let isPristine = true;
  let loadsPackage = false;
  /** @param {boolean} loads */
  function chargeToPackages(loads) {
    if (loads === loadsPackage) return;
    native.chargeToPackages(loads);
    loadsPackage = loads;
  }

  /** @type {Realm['load']} */
  function load(path) {
    const cached = modules[path];
    if (cached !== undefined) return cached;
    const failure = failures[path];
    if (failure !== undefined) {
      delete failures[path];
      throw failure.error;
    }
    const kind = native.kind(path);
    const module = { exports: {} };
    const loaded = { __proto__: null, kind, module, empty: module.exports, completion: undefined };
    modules[path] = loaded;
    const loadedPackage = loadsPackage;
    try {
      if (kind === JSON_TEXT) {
        module.exports = JSONParse(native.source(path));
        return loaded;
      }
      // A package loads a module of the tool.
      if (loadsPackage && kind !== PACKAGE) isPristine = false;
      chargeToPackages(kind === PACKAGE && isPristine);
      const body = compile(path);
      const buffer = native.link(path, '#Buffer');
      const { exports } = module;
      const require = requireFrom(path);
      const folder = folderOf(path);
      const parameters =
        buffer === undefined
          ? [exports, require, module, path, folder]
          : [exports, require, module, path, folder, load(buffer).module.exports.Buffer];
      loaded.completion = ReflectApply(body, exports, parameters);
    } catch (error) {
      delete modules[path];
      throw error;
    } finally {
      chargeToPackages(loadedPackage && isPristine);
    }
    return loaded;
  }

  // Loads the packages that the tool and its modules name. Each importer of one that throws gets the error.
  /** @type {Realm['loadPackages']} */
  function loadPackages(entry) {
    const paths = native.preloads(entry);
    if (paths !== undefined) {
      for (let i = 0; i < paths.length; i++) {
        try {
          load(paths[i]);
        } catch (error) {
          failures[paths[i]] = { __proto__: null, error };
        }
      }
    }
    isPristine = false;
  }

  /** @param {number} kind */
  const isModule = (kind) => kind === MODULE || kind === ASYNC_MODULE;

  /** @param {string} path */
  const noDefault = (path) =>
    realm.hostError(
      'ERR_COMPILATION',
      `${path} cannot be run: it has no default export. Write \`export default function (args) { … }\`, or import it from another tool.`,
    );

  // Whether `default` of a CommonJS file is its default export: the file assigned `exports.default`, or was compiled from a
  // module.
  /** @param {Guest} exported @param {boolean} isOwn */
  const hasDefault = (exported, isOwn) => {
    if (typeof exported !== 'object' || exported === null || !hasOwn(exported, 'default')) return false;
    return isOwn || exported.__esModule === true || typeof exported.default === 'function';
  };

  /** @param {Guest} exported */
  const isEmpty = (exported) => {
    const keys = ReflectOwnKeys(exported);
    return keys.length === 0 || (keys.length === 1 && keys[0] === '__esModule');
  };

  // The value of an evaluated entry module: its returned value, or its default export, called if it is a function.
  /** @type {Realm['outcomeOf']} */
  function outcomeOf(loaded, returned, path, args) {
    if (returned !== undefined && !isModule(loaded.kind)) return returned;
    const exported = loaded.module.exports;
    let target = exported;
    if (isModule(loaded.kind) && exported === loaded.empty) {
      if (!hasOwn(exported, 'default')) throw noDefault(path);
      target = exported.default;
    } else if (hasDefault(exported, exported === loaded.empty)) {
      target = exported.default;
    } else if (exported === loaded.empty && isEmpty(exported)) {
      return undefined;
    }
    return typeof target === 'function' ? ReflectApply(target, undefined, [args]) : target;
  }

  realm.load = load;
  realm.loadPackages = loadPackages;
  realm.isAsync = isAsync;
  realm.outcomeOf = outcomeOf;
});
