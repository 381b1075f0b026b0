// Timers, alive within the run only.
(function timerFunctions(realm, native) {
  const { ReflectApply, define, min, trunc } = realm;

  const timers = { __proto__: null };

  const startTimer = (kind, callback, delay, values) => {
    if (typeof callback !== 'function')
      throw new realm.TypeError(`${kind} needs a function as its first argument`);
    const wait = typeof delay === 'number' && delay > 0 ? min(trunc(delay), 2147483647) : 0;
    const id = native.startTimer(wait, kind === 'setInterval');
    const due = realm.virtualNow() + wait;
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
    realm.advanceTo(timer.due);
    timer.due += timer.wait;
    ReflectApply(timer.callback, undefined, timer.values);
  }

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

  realm.fireTimer = fireTimer;
  realm.startTimer = startTimer;
});
