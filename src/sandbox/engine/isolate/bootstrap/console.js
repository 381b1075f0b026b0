// `console`: lines that come back with the outcome of the run.
(function consoleFunctions(realm, native) {
  const { define, formatLine, give, objectKeys } = realm;
  const { logLevels } = native;

  const method =
    (level) =>
    (...values) => {
      native.log(level, formatLine(values));
    };

  const console = {};
  const names = objectKeys(logLevels);
  for (let i = 0; i < names.length; i++) define(console, names[i], method(logLevels[names[i]]));
  define(console, 'trace', method(logLevels.debug));
  give('console', console);
});
