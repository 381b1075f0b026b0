// The answer to a request of `fetch` that a signal can abort.
(function abortableAnswers(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { ask, onAbort, own, reasonOf } = realm;

  // Not with `then`, which reads `Promise[Symbol.species]`.
  /** @param {Promise<Guest>} answer @param {(value: Guest) => void} resolve @param {(error: Guest) => void} reject */
  const settle = async (answer, resolve, reject) => {
    try {
      resolve(await own(answer));
    } catch (error) {
      reject(error);
    }
  };

  realm.abortable = (answer, signal, token) =>
    new realm.Promise((resolve, reject) => {
      onAbort(signal, () => {
        reject(reasonOf(signal));
        // The host stops the request; its answer is ignored.
        native.markHandled(ask('#fetch_abort', [token]));
      });
      settle(answer, resolve, reject);
    });
});
