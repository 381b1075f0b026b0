/** Shim of `node:module`: only bundled modules exist, so requiring others throws. */

const { refusingModule } = require('tgp:refusing');

const notFound = (name) => {
  throw Object.assign(new Error(`Cannot find module '${name}': the sandbox has only bundled modules.`), {
    code: 'MODULE_NOT_FOUND',
  });
};

function createRequire() {
  const none = (name) => notFound(name);
  return Object.assign(none, { resolve: none, cache: {} });
}

module.exports = {
  ...refusingModule('module', { register: true, syncBuiltinESMExports: true, findSourceMap: true }),
  builtinModules: [],
  isBuiltin: () => false,
  createRequire,
};
