// The methods and getters of built-ins as functions that take `this` as their first argument.
(function methods(/** @type {Realm} */ realm) {
  /** @type {Table<any>} */
  const target = realm;
  const names = realm.objectKeys(realm.methods);
  for (let i = 0; i < names.length; i++) target[names[i]] = realm.unbind(realm.methods[names[i]]);
});
