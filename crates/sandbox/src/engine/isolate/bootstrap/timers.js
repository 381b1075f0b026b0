// Timers; they end with the run.
(function timerFunctions(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { ReflectApply, contexts, give, min, repeatable, trunc } = realm;

  /** @type {Internal & { [id: number]: Timer }} */
  const timers = { __proto__: null };

  /** @type {Realm['startTimer']} */
  const startTimer = (kind, callback, delay, values) => {
    if (typeof callback !== 'function') throw realm.wrongType('callback', 'of type function', callback);
    const wait = typeof delay === 'number' && delay > 0 ? min(trunc(delay), 2147483647) : 0;
    const id = native.startTimer(wait, kind === 'setInterval');
    // Used with a fixed clock only.
    const due = (repeatable.now ?? 0) + wait;
    const context = contexts.read?.();
    timers[id] = { __proto__: null, callback, values, wait, due, repeat: kind === 'setInterval', context };
    return id;
  };

  /** @param {Guest} id */
  function stopTimer(id) {
    if (typeof id !== 'number' || timers[id] === undefined) return;
    delete timers[id];
    native.stopTimer(id);
  }

  /** @type {Realm['fire']} */
  function fireTimer(id) {
    const timer = timers[id];
    if (timer === undefined) return;
    if (!timer.repeat) delete timers[id];
    // With a fixed clock, moves the clock to the due time.
    if (repeatable.now !== undefined && timer.due > repeatable.now) repeatable.now = timer.due;
    timer.due += timer.wait;
    if (timer.context === undefined) ReflectApply(timer.callback, undefined, timer.values);
    else contexts.run?.(timer.context, timer.callback, timer.values);
  }

  give(
    'setTimeout',
    function setTimeout(/** @type {Guest} */ callback, /** @type {Guest} */ delay, /** @type {Guest[]} */ ...values) {
      return startTimer('setTimeout', callback, delay, values);
    },
  );
  give(
    'setInterval',
    function setInterval(/** @type {Guest} */ callback, /** @type {Guest} */ delay, /** @type {Guest[]} */ ...values) {
      return startTimer('setInterval', callback, delay, values);
    },
  );
  give('clearTimeout', function clearTimeout(/** @type {Guest} */ id) {
    stopTimer(id);
  });
  give('clearInterval', function clearInterval(/** @type {Guest} */ id) {
    stopTimer(id);
  });

  realm.fire = fireTimer;
  realm.startTimer = startTimer;
});
