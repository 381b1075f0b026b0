/**
 * What packages may name and the sandbox does not have: it can be loaded and looked at, and says so when it is used. Most packages
 * that name such a thing use it in few of their functions.
 */

/** @param {string} what as it is called, like `fs.readFile` */
function refusing(what) {
  // Not an arrow: packages make classes of it.
  return function notInTheSandbox() {
    throw new Error(
      `${what} is part of Node, and the sandbox has no such thing. Do without it, or ask for a function of the application that does the work.`,
    );
  };
}

/**
 * @param {string} name of the module
 * @param {Record<string, any>} members what it has: `true` for a function, `functions` for a group of them, else a value
 */
function refusingModule(name, members) {
  const entries = Object.entries(members).map(([key, member]) => {
    if (member === true) return [key, refusing(`${name}.${key}`)];
    return [key, member?.functions ? refusingModule(`${name}.${key}`, member.functions) : member];
  });
  return Object.fromEntries(entries);
}

const codeRefused = (what) =>
  new EvalError(
    `${what} makes code from text, which the sandbox does not run. Use what this package can do without it, or another package.`,
  );

/** `eval`, which packages ask for the global object. */
function evaluate(code) {
  if (typeof code !== 'string') return code;
  if (code === 'this') return globalThis;
  throw codeRefused('eval');
}

/** `Function` where it is called. */
function makeFunction(...texts) {
  if (texts.length === 1 && /^\s*return this;?\s*$/.test(texts[0])) return () => globalThis;
  throw codeRefused('new Function');
}

module.exports = { refusing, refusingModule, evaluate, makeFunction };
