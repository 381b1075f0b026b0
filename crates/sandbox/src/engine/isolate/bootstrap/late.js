// What most runs do without is built when a run first asks for it: a smaller realm is made sooner.
(function late(realm, native) {
  const { ReflectOwnKeys, create, defineProperty, getOwnPropertyDescriptor, objectKeys } = realm;

  // A stage is a function that gives its files and, once they have run, what they have given to guests. Some of that is
  // finished when a guest first looks at it.
  const newStage = (before) => ({ __proto__: null, before, file: undefined, given: undefined, finishing: undefined });
  const text = newStage(undefined);
  const web = newStage(text);
  const clock = newStage(text);
  const callSites = newStage(undefined);
  const stages = { __proto__: null, text, web, clock, callSites };
  let lateNatives;

  const run = (stage, on) => {
    for (let i = 0; ; i++) {
      const file = stage.file(i);
      if (file === undefined) return;
      file(on, stage.natives ?? native);
    }
  };

  // Files leave what they make in a draft. A build that is cut short, by the end of the stack for one, leaves nothing behind
  // and is begun anew by the next use.
  const build = (stage) => {
    if (stage.given !== undefined) return;
    if (stage.before !== undefined) build(stage.before);
    const draft = create(realm);
    const given = { __proto__: null };
    const finishing = { __proto__: null };
    draft.give = (name, value, finish) => {
      given[name] = value;
      finishing[name] = finish;
    };
    run(stage, draft);
    const names = objectKeys(draft);
    // Nothing is called from here on, so all of it happens.
    for (let i = 0; i < names.length; i++) realm[names[i]] = draft[names[i]];
    stage.finishing = finishing;
    stage.given = given;
  };

  // Stages whose files are no part of the snapshot, with the functions that only they call.
  const loadStage = (key) => {
    if (lateNatives === undefined) {
      const more = native.lateNatives();
      const names = objectKeys(native);
      for (let i = 0; i < names.length; i++) more[names[i]] = native[names[i]];
      lateNatives = more;
    }
    const stage = newStage(web);
    stage.natives = lateNatives;
    stage.file = (i) => native.lateFile(key, i);
    stages[key] = stage;
    return stage;
  };

  // Builds a stage, for files of another one.
  realm.need = (key) => build(stages[key] ?? loadStage(key));

  // Members of web classes can be enumerated, those of a class as it is written cannot. It is changed for classes that a
  // guest has a look at.
  const expose = (target) => {
    const keys = ReflectOwnKeys(target);
    for (let i = 0; i < keys.length; i++) {
      if (typeof keys[i] !== 'string' || keys[i] === 'constructor') continue;
      const member = { __proto__: null, ...getOwnPropertyDescriptor(target, keys[i]) };
      // What functions have of themselves (`name`, `length`, `prototype`) is not to be written.
      if (member.writable === false || !member.configurable) continue;
      member.enumerable = true;
      defineProperty(target, keys[i], member);
    }
  };

  const take = (stage, name) => {
    stage.finishing[name]?.();
    const value = stage.given[name];
    if (typeof value === 'function' && stage !== text && value.prototype !== undefined) {
      expose(value.prototype);
      expose(value);
    }
    return value;
  };

  // A guest's first look at a global of a stage ends here.
  realm.provide = (name) => {
    const key = native.lateStage(name);
    if (key !== undefined) {
      realm.need(key);
      return take(stages[key], name);
    }
    build(text);
    if (name in text.given) return take(text, name);
    build(web);
    return take(web, name);
  };
  realm.buildClock = () => build(clock);
  // What the guest's hook makes of the frames of an error.
  realm.prepareStack = (hook, error, sites) => {
    build(callSites);
    return realm.callHook(hook, error, sites);
  };

  realm.addStage = (key, file) => {
    stages[key].file = file;
  };

  // Runs the late files that many runs need once, for nothing, so that the snapshot holds their bytecode.
  realm.rehearse = () => {
    const on = create(realm);
    on.give = () => {};
    run(text, on);
    run(web, on);
    run(clock, on);
  };

  // Functions of the text stage that others use: each builds the stage and then gives way to the real one.
  const standIn = (name) => {
    realm[name] = (a, b, c) => {
      build(text);
      return realm[name](a, b, c);
    };
  };
  standIn('textOf');
  standIn('formatLine');
  standIn('readText');
  standIn('hostError');
  standIn('asPlain');
  standIn('unwritable');
  // The engine keeps these two, so they stay.
  realm.describe = (error) => {
    build(text);
    return realm.describeError(error);
  };
  realm.fireTimer = (id) => {
    build(text);
    realm.fire(id);
  };
  // There is no URL before its class is built.
  realm.hrefOf = () => undefined;
  // The seeded source of chance and the run's own clock, where the run has them.
  realm.repeatable = { __proto__: null, nextWord: undefined, now: undefined, start: undefined };
});
