// The call sites passed to a guest's `Error.prepareStackTrace`: positions of its own frames, never functions or receivers.
(function callSites(/** @type {Realm} */ realm) {
  const { ReflectApply, list, push, tag, toArray } = realm;

  const FACTS = [
    'getColumnNumber',
    'getEnclosingColumnNumber',
    'getEnclosingLineNumber',
    'getEvalOrigin',
    'getFileName',
    'getFunctionName',
    'getLineNumber',
    'getMethodName',
    'getPosition',
    'getPromiseIndex',
    'getScriptNameOrSourceURL',
    'getTypeName',
    'isAsync',
    'isConstructor',
    'isEval',
    'isNative',
    'isPromiseAll',
    'isToplevel',
    'toString',
  ];

  const KEY = { __proto__: null };

  class CallSite {
    /** @type {CallFacts} */
    #facts = { __proto__: null };
    /** @param {Guest} key @param {Guest} frame */
    constructor(key, frame) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: call sites come from Error.prepareStackTrace');
      const site = frame[0];
      for (let i = 0; i < FACTS.length; i++) this.#facts[FACTS[i]] = site[FACTS[i]]();
      if (frame[1] !== undefined) this.#place(frame[1], frame[2], frame[3]);
    }
    // V8's positions are in the compiled code; these are in the source.
    /** @param {string} text @param {number | undefined} line @param {number | undefined} column */
    #place(text, line, column) {
      this.#facts.toString = text;
      this.#facts.getLineNumber = line;
      this.#facts.getColumnNumber = column;
      this.#facts.getEnclosingLineNumber = line;
      this.#facts.getEnclosingColumnNumber = column;
      this.#facts.getPosition = undefined;
    }
    getFunction() {
      return undefined;
    }
    getThis() {
      return undefined;
    }
    static {
      for (let i = 0; i < FACTS.length; i++) {
        const name = FACTS[i];
        const { [name]: method } = {
          /** @this {CallSite} */
          [name]() {
            return this.#facts[name];
          },
        };
        realm.define(CallSite.prototype, name, method);
      }
    }
  }
  tag('CallSite', CallSite);

  realm.callHook = (hook, error, sites) => {
    const shown = list();
    for (let i = 0; i < sites.length; i++) push(shown, new CallSite(KEY, sites[i]));
    return ReflectApply(hook, realm.Error, [error, toArray(shown)]);
  };
});
