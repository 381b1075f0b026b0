// What most runs do without is built when a run first asks for it: a smaller realm is made sooner.
(function late(realm, native) {
  const { create, objectKeys } = realm;

  // A stage is a list of files and, once they have run, what they have given to guests.
  const newStage = (before) => ({ __proto__: null, before, files: realm.list(), given: undefined });
  const text = newStage(undefined);
  const web = newStage(text);
  const clock = newStage(text);
  const callSites = newStage(undefined);

  const run = (stage, on) => {
    for (let i = 0; i < stage.files.length; i++) stage.files[i](on, native);
  };

  // Files leave what they make in a draft. A build that is cut short, by the end of the stack for one, leaves nothing behind
  // and is begun anew by the next use.
  const build = (stage) => {
    if (stage.given !== undefined) return;
    if (stage.before !== undefined) build(stage.before);
    const draft = create(realm);
    const given = { __proto__: null };
    draft.give = (name, value) => {
      given[name] = value;
    };
    run(stage, draft);
    const names = objectKeys(draft);
    // Nothing is called from here on, so all of it happens.
    for (let i = 0; i < names.length; i++) realm[names[i]] = draft[names[i]];
    stage.given = given;
  };

  // A guest's first look at a global of a stage ends here.
  realm.provide = (name) => {
    build(text);
    if (name in text.given) return text.given[name];
    build(web);
    return web.given[name];
  };
  realm.buildClock = () => build(clock);
  // What the guest's hook makes of the frames of an error.
  realm.prepareStack = (hook, error, sites) => {
    build(callSites);
    return realm.callHook(hook, error, sites);
  };

  realm.addText = (file) => realm.push(text.files, file);
  realm.addWeb = (file) => realm.push(web.files, file);
  realm.addClock = (file) => realm.push(clock.files, file);
  realm.addCallSites = (file) => realm.push(callSites.files, file);

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
  realm.repeatable = { __proto__: null, nextWord: undefined, now: undefined };
});
