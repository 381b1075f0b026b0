// `Date.prototype.toTemporalInstant`, which builds `Temporal` when it is first called.
(function temporalInstants(/** @type {Realm} */ realm) {
  const { ReflectApply, define } = realm;

  const { toTemporalInstant } = {
    toTemporalInstant() {
      realm.need('temporal');
      return ReflectApply(realm.toTemporalInstant, this, []);
    },
  };
  define(Date.prototype, 'toTemporalInstant', toTemporalInstant);
});
