// The entry point that the engine calls.
(function entry(/** @type {Realm} */ realm) {
  const { JSONParse, define, own } = realm;

  /** @type {Realm['start']} */
  async function start(entry, argsJson, api, seed, now, resultBytes, callBytes) {
    realm.most.result = resultBytes;
    realm.most.call = callBytes;
    if (seed !== undefined || now !== undefined) realm.buildClock();
    if (seed !== undefined) realm.seedChance(seed);
    if (now !== undefined) realm.startClock(now);
    // V8 adds it to a copy of a realm only.
    realm.views.Float16Array = globalThis.Float16Array;
    realm.offer(api);
    const args = JSONParse(argsJson);
    define(globalThis, 'args', args);
    realm.loadPackages(entry);
    const loaded = realm.load(entry);
    const returned = realm.isAsync(loaded.kind) ? await own(loaded.completion) : loaded.completion;
    return realm.serialise(await realm.outcomeOf(loaded, returned, entry, args));
  }

  realm.start = start;
});
