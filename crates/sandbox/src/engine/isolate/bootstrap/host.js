// Calls to the host, synchronous or with a promise.
(function host(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { JSONParse, define, indexOf, slice } = realm;

  // An answer is "=" and JSON (nothing for undefined), or "!", an error code, a line break and a message. `fault` is the error
  // to throw then, created at the call.
  /** @type {Realm['decodeAnswer']} */
  function decodeAnswer(answer, fault) {
    if (answer[0] === '=') return answer.length === 1 ? undefined : JSONParse(slice(answer, 1));
    const end = indexOf(answer, '\n');
    throw realm.hostError(slice(answer, 1, end), slice(answer, end + 1), fault);
  }

  // At most one warning per run, because of loops.
  let hasWarned = false;
  /** @param {string} message */
  const warnOnce = (message) => {
    if (!hasWarned) realm.warn(message);
    hasWarned = true;
  };
  // Names of internal calls begin with "#".
  /** @param {string} name */
  const asNamed = (name) => (name[0] === '#' ? slice(name, 1) : name);

  /** @param {string} name @param {Guest[]} values */
  const toText = (name, values) => {
    // JSON has no undefined in arrays; trailing ones are dropped, so that default parameters apply.
    while (values.length > 0 && values[values.length - 1] === undefined) values.length -= 1;
    // Ignores a `toJSON` that the guest has put on the prototypes.
    define(values, 'toJSON', undefined);
    let why = '';
    let code = '';
    const as = {
      __proto__: null,
      root: 'arguments',
      owner: ` of tgp.${asNamed(name)}`,
      advice: 'Pass',
      most: realm.most.call,
      verb: 'are',
      limit: 'sandbox.argsBytes',
      less: 'Pass less at a time.',
    };
    /** @param {string} message @param {boolean} isTooLong */
    const refuse = (message, isTooLong) => {
      why = message;
      code = isTooLong ? 'ERR_LIMIT' : 'ERR_RESULT';
    };
    const text = realm.toJson(values, as, refuse, warnOnce);
    if (why !== '') throw realm.hostError(code, why);
    return text;
  };

  realm.decodeAnswer = decodeAnswer;
  realm.askNow = (name, values) => decodeAnswer(native.callSync(name, toText(name, values)));

  // The tool's frames are gone when the answer arrives, so the error is created at the call. V8 writes its stack only when it
  // is read.
  realm.newFault = () => new realm.Error();

  /** @param {Guest} value */
  const asIs = (value) => value;

  // `finish` converts the answer to the promise's value.
  realm.ask = (name, values, fault = realm.newFault(), finish = asIs) => {
    let settle;
    const promise = new realm.Promise((resolve, reject) => {
      /** @param {string} answer */
      settle = (answer) => {
        try {
          resolve(finish(decodeAnswer(answer, fault)));
        } catch (error) {
          reject(error);
        }
      };
      native.call(name, toText(name, values), settle);
    });
    // Read by the engine at the end of the run, to warn of calls that were not awaited.
    define(settle, 'callName', name);
    define(settle, 'promise', promise);
    return promise;
  };
});
