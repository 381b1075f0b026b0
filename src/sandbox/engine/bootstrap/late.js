// What most runs do without is built when a run first asks for it: a smaller realm is made sooner.
(function late(realm, native) {
  const { create } = realm;

  // A stage is a list of files and what they have given to guests.
  const newStage = (before) => ({ __proto__: null, before, files: realm.list(), given: { __proto__: null }, built: false });
  const text = newStage(undefined);
  const web = newStage(text);
  const clock = newStage(text);

  const run = (stage, on) => {
    for (let i = 0; i < stage.files.length; i++) stage.files[i](on, native);
  };

  // A build that was cut short, by the end of the stack for one, is begun anew by the next use.
  const build = (stage) => {
    if (stage.built) return;
    if (stage.before !== undefined) build(stage.before);
    realm.give = (name, value) => {
      stage.given[name] = value;
    };
    run(stage, realm);
    stage.built = true;
  };

  // A guest's first look at a global of a stage ends here.
  realm.provide = (name) => {
    build(text);
    if (name in text.given) return text.given[name];
    build(web);
    return web.given[name];
  };
  realm.buildClock = () => build(clock);

  realm.addText = (file) => realm.push(text.files, file);
  realm.addWeb = (file) => realm.push(web.files, file);
  realm.addClock = (file) => realm.push(clock.files, file);

  // Runs every late file once, for nothing, so that the snapshot holds their bytecode.
  realm.rehearse = () => {
    const on = create(realm);
    on.give = () => {};
    run(text, on);
    run(web, on);
    run(clock, on);
  };

  // Functions of the text stage that others use: each builds the stage and then gives way to the real one.
  const standIn = (name) => {
    realm[name] = (a, b) => {
      build(text);
      return realm[name](a, b);
    };
  };
  standIn('textOf');
  standIn('formatLine');
  standIn('readText');
  standIn('hostError');
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
