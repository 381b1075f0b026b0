// `console`: lines that come back with the outcome of the run.
(function consoleFunctions(realm, native) {
  const { define, formatLine, give } = realm;

  const method =
    (level) =>
    (...values) => {
      native.log(level, formatLine(values));
    };

  const console = {};
  const levels = ['debug', 'info', 'log', 'warn', 'error'];
  for (let level = 0; level < levels.length; level++) define(console, levels[level], method(level));
  define(console, 'trace', method(0));
  give('console', console);
});
