// Lazy stages: parts of the realm that are built on first use. A smaller realm is created faster.
(function lazy(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { ReflectOwnKeys, create, defineProperty, getOwnPropertyDescriptor, hasOwn, indexOf, objectKeys } = realm;

  // A stage has a function that returns its files and, once they have run, the globals that they defined. Some globals are
  // finished when a guest first reads them.
  /** @param {LazyStage | undefined} before @returns {LazyStage} */
  const newStage = (before) => ({
    __proto__: null,
    before,
    file: undefined,
    globals: undefined,
    finishing: undefined,
  });
  const text = newStage(undefined);
  const web = newStage(text);
  const clock = newStage(text);
  const callSites = newStage(undefined);
  /** @type {Table<any>} */
  const stages = { __proto__: null, text, web, clock, callSites };
  /** @type {LazyNatives | undefined} */
  let lazyNatives;
  /** @type {Table<any>} */
  const internals = realm;

  /** @param {LazyStage} stage @param {Realm} on */
  const run = (stage, on) => {
    for (let i = 0; ; i++) {
      const file = stage.file?.(i);
      if (file === undefined) return;
      file(on, stage.natives ?? /** @type {LazyNatives} */ (native));
    }
  };

  // Files write to a draft. An interrupted build, for example by a stack overflow, has no effect and is repeated by the next
  // use.
  /** @param {LazyStage} stage */
  const build = (stage) => {
    if (stage.globals !== undefined) return;
    if (stage.before !== undefined) build(stage.before);
    const draft = create(realm);
    /** @type {Table<any>} */
    const globals = { __proto__: null };
    /** @type {Table<any>} */
    const finishing = { __proto__: null };
    draft.give = (name, value, finish) => {
      globals[name] = value;
      finishing[name] = finish;
    };
    run(stage, draft);
    const names = objectKeys(draft);
    // No calls from here on, so the rest cannot be interrupted.
    for (let i = 0; i < names.length; i++) internals[names[i]] = /** @type {Table<any>} */ (draft)[names[i]];
    stage.finishing = finishing;
    stage.globals = globals;
  };

  // Loads a stage whose files are not in the snapshot, with the native functions that only such stages use.
  /** @param {string} key */
  const loadStage = (key) => {
    if (lazyNatives === undefined) {
      const more = native.lazyNatives();
      const names = objectKeys(native);
      /** @type {Table<any>} */
      const target = more;
      /** @type {Table<any>} */
      const source = native;
      for (let i = 0; i < names.length; i++) target[names[i]] = source[names[i]];
      lazyNatives = more;
    }
    const stage = newStage(indexOf(' console inspect node ', ` ${key} `) < 0 ? web : text);
    stage.natives = lazyNatives;
    /** @param {number} i */
    stage.file = (i) => native.lazyFile(key, i);
    stages[key] = stage;
    return stage;
  };

  // Builds a stage that files of another stage depend on.
  realm.need = (key) => build(stages[key] ?? loadStage(key));

  // Makes members enumerable, as those of web classes are; applied to classes that a guest reads.
  /** @param {Guest} target */
  const expose = (target) => {
    const keys = ReflectOwnKeys(target);
    for (let i = 0; i < keys.length; i++) {
      if (typeof keys[i] !== 'string' || keys[i] === 'constructor') continue;
      const member = { __proto__: null, ...getOwnPropertyDescriptor(target, keys[i]) };
      // Not the built-in properties of functions (`name`, `length`, `prototype`).
      if (member.writable === false || !member.configurable) continue;
      member.enumerable = true;
      defineProperty(target, keys[i], member);
    }
  };

  /** @param {LazyStage} stage @param {string} name */
  const take = (stage, name) => {
    stage.finishing?.[name]?.();
    const value = stage.globals?.[name];
    if (typeof value === 'function' && stage !== text && hasOwn(value, 'prototype')) {
      expose(value.prototype);
      expose(value);
    }
    return value;
  };

  // The value of a global of a stage; called when a guest first reads it.
  realm.provide = (name) => {
    const key = native.lazyStage(name);
    if (key !== undefined) {
      realm.need(key);
      return take(stages[key], name);
    }
    build(text);
    if (text.globals !== undefined && name in text.globals) return take(text, name);
    build(web);
    return take(web, name);
  };
  realm.buildClock = () => build(clock);
  // Calls the guest's `Error.prepareStackTrace`.
  realm.prepareStack = (hook, error, sites) => {
    build(callSites);
    return realm.callHook(hook, error, sites);
  };

  realm.addStage = (key, file) => {
    stages[key].file = file;
  };

  // Runs the commonly used stages once and drops the result, so that the snapshot holds their bytecode.
  realm.rehearse = () => {
    const on = create(realm);
    on.give = () => {};
    on.tag = () => {};
    run(text, on);
    run(web, on);
    run(clock, on);
  };

  // Stubs of functions of the text stage: the first call builds the stage, which replaces the stub.
  /** @param {string} name */
  const stub = (name) => {
    /** @param {Guest} a @param {Guest} b @param {Guest} c */
    internals[name] = (a, b, c) => {
      build(text);
      return internals[name](a, b, c);
    };
  };
  stub('textOf');
  stub('formatLine');
  stub('readText');
  stub('hostError');
  stub('asPlain');
  stub('unwritable');
  // The engine keeps references to these two, so they are not replaced.
  realm.describe = (error) => {
    build(text);
    return realm.describeError(error);
  };
  realm.fireTimer = (id) => {
    build(text);
    realm.fire(id);
  };
  // Before the class is built, no value is a URL.
  realm.hrefOf = () => undefined;
  // How timers keep the context of asynchronous calls, once a package uses it.
  realm.contexts = { __proto__: null, read: undefined, run: undefined };
  // The seeded random source and the fixed clock, if the run has them.
  realm.repeatable = { __proto__: null, nextWord: undefined, now: undefined, start: undefined };
});
