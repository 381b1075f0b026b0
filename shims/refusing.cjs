/**
 * Placeholders for Node APIs that the sandbox does not have: they can be imported and inspected, but throw when called. Most packages
 * that import such an API use it only in a few functions.
 */

/** @param {string} what the full name, such as `fs.readFile` */
function refusing(what) {
  // Not an arrow function, because packages extend it.
  return function notInTheSandbox() {
    throw new Error(
      `${what} is part of Node and not available in the sandbox. Avoid it, or use a function of the application instead.`,
    );
  };
}

/**
 * @param {string} name of the module
 * @param {Record<string, any>} members `true` for a function, `functions` for nested functions, else a value
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
    `${what} creates code from text, which the sandbox does not allow. Use other features of this package, or another package.`,
  );

/** Replaces `eval`, which packages use to get the global object. */
function evaluate(code) {
  if (typeof code !== 'string') return code;
  if (code === 'this') return globalThis;
  throw codeRefused('eval');
}

/** Replaces calls of `Function`. */
function makeFunction(...texts) {
  if (texts.length === 1 && /^\s*return this;?\s*$/.test(texts[0])) return () => globalThis;
  throw codeRefused('new Function');
}

module.exports = { refusing, refusingModule, evaluate, makeFunction };
