// `tgp`: the functions of the kernel that a tool may call.
(function bridge(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { ask, askNow, define } = realm;

  // The error of a nested tool, as the caller gets it; its cause has the stack of the nested tool.
  /** @param {Guest} parts @param {Error | undefined} fault */
  const nestedError = ({ code, message, stack }, fault) => {
    const error = realm.hostError(code, message, fault);
    if (stack !== null) {
      const cause = realm.hostError(code, message);
      define(cause, 'stack', stack);
      define(error, 'cause', cause);
    }
    return error;
  };

  const { log: LOG_LEVEL } = native.logLevels;
  const tgp = {
    /** @param {...Guest} values */
    log: (...values) => native.log(LOG_LEVEL, realm.formatLine(values)),
    /** @param {Guest} path */
    read_file: (path) => askNow('read_file', [path]),
    /** @param {Guest} dir */
    list_files: (dir) => askNow('list_files', [dir]),
    /** @param {Guest} path @param {Guest} content */
    write_file: (path, content) => askNow('write_file', [path, content]),
    /** @param {Guest} path @param {Guest} args */
    exec_tool: (path, args) => {
      const fault = realm.newFault();
      return ask('exec_tool', [path, args], fault, ({ logs, failure, result }) => {
        for (let i = 0; i < logs.length; i++) native.log(logs[i].level, logs[i].message);
        if (failure !== null) throw nestedError(failure, fault);
        return result;
      });
    },
  };
  define(globalThis, 'tgp', tgp);
  realm.tgp = tgp;

  // Functions of the application; one with the name of a built-in function replaces it.
  realm.offer = (names) => {
    for (let i = 0; i < names.length; i++) {
      /** @param {...Guest} values */
      const call = (...values) => ask(names[i], values);
      define(tgp, names[i], call);
      if (names[i] === 'fetch') define(globalThis, 'fetch', call);
    }
  };
});
