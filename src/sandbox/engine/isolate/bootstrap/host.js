// Questions to the host: answered at once, or by a promise.
(function host(realm, native) {
  const { JSONParse, define, indexOf, slice } = realm;

  // An answer is "=" and JSON, or "!", an error code, a line break and a message.
  function decodeAnswer(answer) {
    if (answer[0] === '=') return JSONParse(slice(answer, 1));
    const end = indexOf(answer, '\n');
    throw realm.hostError(slice(answer, 1, end), slice(answer, end + 1));
  }

  const toText = (name, values) => {
    // Whatever `toJSON` the guest has put on the prototypes is not about this list.
    define(values, 'toJSON', undefined);
    let why = '';
    const text = realm.toJson(values, 'arguments', ` of tgp.${name}`, 'Pass', (message) => {
      why = message;
    });
    if (why !== '') throw realm.hostError('ERR_RESULT', why);
    return text;
  };

  realm.decodeAnswer = decodeAnswer;
  realm.askNow = (name, values) => decodeAnswer(native.callSync(name, toText(name, values)));

  realm.ask = (name, values) =>
    new realm.Promise((resolve, reject) => {
      native.call(name, toText(name, values), (answer) => {
        try {
          resolve(decodeAnswer(answer));
        } catch (error) {
          reject(error);
        }
      });
    });
});
