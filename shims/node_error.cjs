/** Errors with the codes and messages of Node. */

/** @param {new (message: string) => Error} Base @param {string} code @param {string} message */
function nodeError(Base, code, message) {
  const error = new Base(message);
  Object.defineProperty(error, 'stack', {
    value: String(error.stack).replace(error.name, `${error.name} [${code}]`),
    writable: true,
    configurable: true,
  });
  return Object.assign(error, { code });
}

/** A value as messages describe it. */
function received(value) {
  if (value === null || value === undefined) return ` Received ${value}`;
  if (typeof value === 'function') return ` Received function ${value.name}`;
  if (typeof value === 'object') {
    if (value.constructor?.name) return ` Received an instance of ${value.constructor.name}`;
    return ` Received ${require('tgp:engine')('inspect').inspect(value, { depth: -1 })}`;
  }
  let text = require('tgp:engine')('inspect').inspect(value, { colors: false });
  if (text.length > 28) text = `${text.slice(0, 25)}...`;
  return ` Received type ${typeof value} (${text})`;
}

const listed = (words) =>
  words.length > 2 ? `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}` : words.join(' or ');

/** @param {string} name @param {string[]} types primitive types, or names of classes @param {unknown} value */
function invalidType(name, types, value) {
  const kinds = types.filter((type) => /^[a-z]/.test(type)).map((type) => type.toLowerCase());
  const classes = types.filter((type) => /^[A-Z]/.test(type));
  const parts = [];
  if (kinds.length > 0) parts.push(`${kinds.length > 1 ? 'one of type' : 'of type'} ${listed(kinds)}`);
  if (classes.length > 0) parts.push(`an instance of ${listed(classes)}`);
  const what = name.endsWith(' argument')
    ? `The ${name}`
    : `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `${what} must be ${parts.join(' or ')}.${received(value)}`);
}

/** @param {string} name @param {unknown} value @param {string} why */
function invalidValue(name, value, why = 'is invalid') {
  let text = require('tgp:engine')('inspect').inspect(value);
  if (text.length > 128) text = `${text.slice(0, 128)}...`;
  const what = name.includes('.') ? 'property' : 'argument';
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${what} '${name}' ${why}. Received ${text}`);
}

const grouped = (digits) => digits.replaceAll(/\B(?=(?:\d{3})+(?!\d))/g, '_');

/** @param {string} name @param {string} range @param {unknown} value */
function outOfRange(name, range, value) {
  let text = require('tgp:engine')('inspect').inspect(value);
  const isLong = typeof value === 'bigint' ? value > 2n ** 32n || value < -(2n ** 32n) : Math.abs(value) > 2 ** 32;
  if (isLong && (typeof value === 'bigint' || Number.isInteger(value))) text = grouped(text);
  const message = `The value of "${name}" is out of range. It must be ${range}. Received ${text}`;
  return nodeError(RangeError, 'ERR_OUT_OF_RANGE', message);
}

/** @param {string} name @param {string} type @param {unknown} value */
function needType(name, type, value) {
  if (typeof value !== type) throw invalidType(name, [type], value);
}

module.exports = { nodeError, invalidType, invalidValue, needType, outOfRange, received };
