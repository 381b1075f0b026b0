// The methods and getters of built-ins as plain functions.
(function methods(realm) {
  const names = realm.objectKeys(realm.methods);
  for (let i = 0; i < names.length; i++) realm[names[i]] = realm.unbind(realm.methods[names[i]]);
});
