// Questions to the host: answered at once, or by a promise.
(function host(realm, native) {
  const { JSONParse, define, indexOf, slice } = realm;

  // An answer is "=" and JSON, or nothing for undefined; or "!", an error code, a line break and a message. `fault` is the
  // error to throw then, made where the question was asked.
  function decodeAnswer(answer, fault) {
    if (answer[0] === '=') return answer.length === 1 ? undefined : JSONParse(slice(answer, 1));
    const end = indexOf(answer, '\n');
    throw realm.hostError(slice(answer, 1, end), slice(answer, end + 1), fault);
  }

  // Once in a run: a loop would say nothing else.
  let hasWarned = false;
  const warnOnce = (message) => {
    if (!hasWarned) realm.warn(message);
    hasWarned = true;
  };
  // Questions of our own are marked.
  const asNamed = (name) => (name[0] === '#' ? slice(name, 1) : name);

  const toText = (name, values) => {
    // JSON has no undefined in a list; at its end none is needed, and the function's own defaults count.
    while (values.length > 0 && values[values.length - 1] === undefined) values.length -= 1;
    // Whatever `toJSON` the guest has put on the prototypes is not about this list.
    define(values, 'toJSON', undefined);
    let why = '';
    let code = '';
    const as = { __proto__: null, root: 'arguments', owner: ` of tgp.${asNamed(name)}`, advice: 'Pass' };
    as.most = realm.most.call;
    as.verb = 'are';
    as.limit = 'sandbox.argsBytes';
    as.less = 'Pass less at a time.';
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

  // When the answer comes, the tool's frames are gone: what may fail is made now. V8 only writes its stack down when
  // somebody reads it.
  realm.newFault = () => new realm.Error();

  const asIs = (value) => value;

  // `finish` makes the promise's value of the answer's.
  realm.ask = (name, values, fault = realm.newFault(), finish = asIs) => {
    let settle;
    const promise = new realm.Promise((resolve, reject) => {
      settle = (answer) => {
        try {
          resolve(finish(decodeAnswer(answer, fault)));
        } catch (error) {
          reject(error);
        }
      };
      native.call(name, toText(name, values), settle);
    });
    // For the end of the run, where the engine looks whether anybody awaited what is still open.
    define(settle, 'asked', name);
    define(settle, 'promise', promise);
    return promise;
  };
});
