/** Shim of `node:util`. `inspect` and `format` are those of `console`. */

const engine = require('tgp:engine');
const { isDeepStrictEqual } = require('tgp:deep_equal');
const { invalidType, needType, nodeError } = require('tgp:node_error');
const { MIMEParams, MIMEType } = require('tgp:mime_type');
const parseArgs = require('tgp:parse_args');
const { parseEnv } = require('tgp:parse_env');
const { refusingModule } = require('tgp:refusing');
const { colors, styles, styleText } = require('tgp:text_styles');
const { getSystemErrorName } = require('tgp:system_errors');
const types = require('tgp:util/types');

const PROMISIFIED = Symbol.for('nodejs.util.promisify.custom');
/** Operating system commands, control sequences and other escapes of terminals. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /\u001b\][\s\S]*?(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b(?:[()#]\w|[\w=><~])/g;

const DEFAULTS = {
  showHidden: false,
  depth: 2,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
  numericSeparator: false,
};
const defaults = { ...DEFAULTS };

/** Styles a text by `inspect.styles` and `inspect.colors`, which packages change. */
function stylized(text, style) {
  const codes = inspect.colors[inspect.styles[style]];
  return codes === undefined ? text : `\u001b[${codes[0]}m${text}\u001b[${codes[1]}m`;
}

/** The defaults that a package has changed, and the options. */
function settingsOf(options) {
  const changed = Object.entries(defaults).filter(([name, value]) => value !== DEFAULTS[name]);
  const settings = { ...Object.fromEntries(changed), ...options };
  if (settings.colors) settings.stylize = stylized;
  return settings;
}

function inspect(value, options, ...old) {
  const given = typeof options === 'object' && options !== null ? { ...options } : { showHidden: options === true };
  if (old[0] !== undefined) given.depth = old[0];
  if (old[1] !== undefined) given.colors = old[1];
  const engines = engine('inspect').inspect;
  if (engines.custom === undefined) Object.assign(engines, inspect);
  return engines(value, settingsOf(given));
}
inspect.custom = Symbol.for('nodejs.util.inspect.custom');
inspect.colors = colors;
inspect.styles = styles;
Object.defineProperty(inspect, 'defaultOptions', {
  get: () => defaults,
  set: (options) => void Object.assign(defaults, options),
  enumerable: true,
});

const format = (...args) => engine('inspect').format(settingsOf(), args);
function formatWithOptions(options, ...args) {
  if (typeof options !== 'object' || options === null) throw invalidType('inspectOptions', ['object'], options);
  return engine('inspect').format(settingsOf(options), args);
}

function promisify(original) {
  needType('original', 'function', original);
  const custom = original[PROMISIFIED];
  if (custom) {
    needType('util.promisify.custom', 'function', custom);
    return Object.defineProperty(custom, PROMISIFIED, { value: custom, configurable: true });
  }
  // setTimeout takes its callback first.
  if (original === setTimeout) return (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
  const promised = function promised(...args) {
    return new Promise((resolve, reject) => {
      original.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value)));
    });
  };
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  Object.defineProperty(promised, PROMISIFIED, { value: promised, configurable: true });
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = PROMISIFIED;

function callbackify(original) {
  needType('original', 'function', original);
  function called(...args) {
    const done = args.pop();
    needType('last argument', 'function', done);
    original.apply(this, args).then(
      (value) => queueMicrotask(() => done.call(this, null, value)),
      (reason) => queueMicrotask(() => done.call(this, reason || withoutReason(reason))),
    );
  }
  const name = { value: `${original.name}Callbackified`, configurable: true };
  return Object.defineProperties(called, { name, length: { value: original.length + 1, configurable: true } });
}

function withoutReason(reason) {
  const error = nodeError(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
  return Object.assign(error, { reason });
}

function inherits(child, parent) {
  for (const [name, value] of Object.entries({ ctor: child, superCtor: parent }))
    if (value === undefined || value === null) throw invalidType(name, ['function'], value);
  if (parent.prototype === undefined) throw invalidType('superCtor.prototype', ['object'], parent.prototype);
  Object.defineProperty(child, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
}

const warned = new Set();

/** Warns at the first call; of a code once for all functions. */
function deprecate(original, message, code) {
  let hasWarned = false;
  function deprecated(...args) {
    if (!hasWarned && !warned.has(code)) {
      hasWarned = true;
      if (code !== undefined) warned.add(code);
      console.warn(`${code === undefined ? '' : `[${code}] `}DeprecationWarning: ${message}`);
    }
    return new.target ? Reflect.construct(original, args, new.target) : Reflect.apply(original, this, args);
  }
  Object.setPrototypeOf(deprecated, original);
  if (original.prototype) deprecated.prototype = original.prototype;
  return Object.defineProperty(deprecated, 'length', { value: original.length, configurable: true });
}

function stripVTControlCharacters(text) {
  needType('str', 'string', text);
  return text.replace(ESCAPES, '');
}

const silent = Object.assign(() => {}, { enabled: false });
const is = (type) => (value) => typeof value === type;

module.exports = {
  ...refusingModule('util', { transferableAbortSignal: true }),
  getSystemErrorName,
  MIMEParams,
  MIMEType,
  parseEnv,
  inspect,
  format,
  formatWithOptions,
  promisify,
  callbackify,
  inherits,
  types,
  parseArgs,
  isDeepStrictEqual,
  deprecate,
  debuglog: () => silent,
  debug: () => silent,
  stripVTControlCharacters,
  styleText,
  aborted: (signal) =>
    new Promise((done) => (signal.aborted ? done() : signal.addEventListener('abort', () => done(), { once: true }))),
  _extend: (target, source) => (source !== null && typeof source === 'object' ? Object.assign(target, source) : target),
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
