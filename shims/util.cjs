/** Shim of `node:util`. */

const inspectObject = require('object-inspect');
const { dequal } = require('dequal');
const { refusingModule } = require('tgp:refusing');
const types = require('tgp:util/types');

const CUSTOM = Symbol.for('nodejs.util.inspect.custom');
const PROMISIFIED = Symbol.for('nodejs.util.promisify.custom');
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007/g;

/** Default depth of `inspect` in Node. */
const DEPTH = 2;

function inspect(value, options, ...old) {
  const settings = typeof options === 'object' && options !== null ? options : { depth: old[0] };
  const depth = settings.depth === undefined ? DEPTH : settings.depth;
  const all = { ...settings, depth };
  if (settings.customInspect !== false && typeof value?.[CUSTOM] === 'function') {
    const shown = value[CUSTOM](depth ?? Number.POSITIVE_INFINITY, all, inspect);
    return typeof shown === 'string' ? shown : inspect(shown, settings);
  }
  return inspectObject(value, { depth: depth === null ? Number.POSITIVE_INFINITY : depth + 1 });
}
inspect.custom = CUSTOM;
inspect.defaultOptions = { depth: DEPTH };
inspect.colors = {};
inspect.styles = {};

const text = (value) => (typeof value === 'string' ? value : inspect(value));

function format(first, ...rest) {
  if (typeof first !== 'string') return [first, ...rest].map(text).join(' ');
  if (rest.length === 0) return first;
  const filled = first.replace(/%[sdifjoOc%]/g, (place) => {
    if (place === '%%') return '%';
    return rest.length === 0 ? place : filling(place, rest.shift());
  });
  return [filled, ...rest.map(text)].join(' ');
}

function filling(place, value) {
  switch (place) {
    case '%s':
      return typeof value === 'object' && value !== null ? inspect(value, { depth: 0 }) : String(value);
    case '%d':
      return typeof value === 'bigint' ? `${value}n` : String(Number(value));
    case '%i':
      return String(Number.parseInt(value, 10));
    case '%f':
      return String(Number.parseFloat(value));
    case '%j':
      return json(value);
    case '%c':
      return '';
    default:
      return inspect(value);
  }
}

function json(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return '[Circular]';
  }
}

function promisify(original) {
  if (original[PROMISIFIED]) return original[PROMISIFIED];
  // setTimeout takes its callback first.
  if (original === setTimeout) return (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
  const promised = function promised(...args) {
    return new Promise((resolve, reject) => {
      original.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value)));
    });
  };
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = PROMISIFIED;

function callbackify(original) {
  return function called(...args) {
    const done = args.pop();
    original.apply(this, args).then(
      (value) => queueMicrotask(() => done(null, value)),
      (error) => queueMicrotask(() => done(error ?? new Error('The promise was rejected without a reason'))),
    );
  };
}

function inherits(child, parent) {
  Object.defineProperty(child, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
}

const silent = Object.assign(() => {}, { enabled: false });
const is = (type) => (value) => typeof value === type;

module.exports = {
  ...refusingModule('util', {
    parseArgs: true,
    getSystemErrorName: true,
    MIMEType: true,
    transferableAbortSignal: true,
  }),
  inspect,
  format,
  formatWithOptions: (_options, ...args) => format(...args),
  promisify,
  callbackify,
  inherits,
  types,
  isDeepStrictEqual: (one, other) => dequal(one, other),
  deprecate: (original) => original,
  debuglog: () => silent,
  debug: () => silent,
  stripVTControlCharacters: (value) => value.replace(ESCAPES, ''),
  styleText: (_style, value) => value,
  toUSVString: (value) => String(value).toWellFormed(),
  log: (...args) => console.log(format(...args)),
  TextEncoder,
  TextDecoder,
  isArray: Array.isArray,
  isBoolean: is('boolean'),
  isBuffer: (value) => value?._isBuffer === true,
  isDate: types.isDate,
  isError: types.isNativeError,
  isFunction: is('function'),
  isNull: (value) => value === null,
  isNullOrUndefined: (value) => value === null || value === undefined,
  isNumber: is('number'),
  isObject: (value) => typeof value === 'object' && value !== null,
  isPrimitive: (value) => Object(value) !== value,
  isRegExp: types.isRegExp,
  isString: is('string'),
  isSymbol: is('symbol'),
  isUndefined: is('undefined'),
};
