// Timers; they end with the run.
(function timerFunctions(realm, native) {
  const { ReflectApply, give, min, repeatable, trunc } = realm;

  const timers = { __proto__: null };

  const startTimer = (kind, callback, delay, values) => {
    if (typeof callback !== 'function') throw new realm.TypeError(`${kind} needs a function as its first argument`);
    const wait = typeof delay === 'number' && delay > 0 ? min(trunc(delay), 2147483647) : 0;
    const id = native.startTimer(wait, kind === 'setInterval');
    const due = repeatable.now + wait;
    timers[id] = { __proto__: null, callback, values, wait, due, repeat: kind === 'setInterval' };
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
    // With a fixed clock, moves the clock to the due time.
    if (repeatable.now !== undefined && timer.due > repeatable.now) repeatable.now = timer.due;
    timer.due += timer.wait;
    ReflectApply(timer.callback, undefined, timer.values);
  }

  give('setTimeout', function setTimeout(callback, delay, ...values) {
    return startTimer('setTimeout', callback, delay, values);
  });
  give('setInterval', function setInterval(callback, delay, ...values) {
    return startTimer('setInterval', callback, delay, values);
  });
  give('clearTimeout', function clearTimeout(id) {
    stopTimer(id);
  });
  give('clearInterval', function clearInterval(id) {
    stopTimer(id);
  });

  realm.fire = fireTimer;
  realm.startTimer = startTimer;
});
