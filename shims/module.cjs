/** No modules but those of the bundle: whoever looks for others is told that there are none. */

const { refusingModule } = require('tgp:refusing');

const notFound = (name) => {
  throw Object.assign(new Error(`Cannot find module '${name}': the sandbox has none but those that are bundled.`), {
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
