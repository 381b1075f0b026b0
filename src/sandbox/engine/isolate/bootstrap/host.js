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

  // Questions of our own are marked.
  const asNamed = (name) => (name[0] === '#' ? slice(name, 1) : name);

  const toText = (name, values) => {
    // Whatever `toJSON` the guest has put on the prototypes is not about this list.
    define(values, 'toJSON', undefined);
    let why = '';
    let code = '';
    const as = { __proto__: null, root: 'arguments', owner: ` of tgp.${asNamed(name)}`, advice: 'Pass' };
    as.most = realm.most.call;
    as.verb = 'are';
    as.limit = 'sandbox.argsBytes';
    as.less = 'Pass less at a time.';
    const text = realm.toJson(values, as, (message, isTooLong) => {
      why = message;
      code = isTooLong ? 'ERR_LIMIT' : 'ERR_RESULT';
    });
    if (why !== '') throw realm.hostError(code, why);
    return text;
  };

  realm.decodeAnswer = decodeAnswer;
  realm.askNow = (name, values) => decodeAnswer(native.callSync(name, toText(name, values)));

  // When the answer comes, the tool's frames are gone: what may fail is made now. V8 only writes its stack down when
  // somebody reads it.
  realm.newFault = () => new realm.Error();

  realm.ask = (name, values, fault = realm.newFault()) =>
    new realm.Promise((resolve, reject) => {
      native.call(name, toText(name, values), (answer) => {
        try {
          resolve(decodeAnswer(answer, fault));
        } catch (error) {
          reject(error);
        }
      });
    });
});
