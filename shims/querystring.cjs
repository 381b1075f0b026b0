/** Shim of `node:querystring`. */

const MAX_KEYS = 1000;

/** Decodes bytes; invalid escapes are kept. */
const decodedBytes = (text) =>
  text.replace(/(?:%[\da-f]{2})+/gi, (run) => {
    const bytes = run
      .slice(1)
      .split('%')
      .map((code) => Number.parseInt(code, 16));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes));
  });

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return decodedBytes(`${text}`);
  }
}

/** @param {unknown} text @param {{ maxKeys?: number, decodeURIComponent?: (text: string) => string }} [options] */
function parse(text, separator = '&', equals = '=', options = undefined) {
  const values = Object.create(null);
  if (typeof text !== 'string' || text === '') return values;
  const custom = options?.decodeURIComponent;
  const decode = (part) => {
    const plain = part.replaceAll('+', custom ? '%20' : ' ');
    if (!custom && !plain.includes('%')) return plain;
    try {
      return (custom ?? module.exports.unescape)(plain);
    } catch {
      return decodedBytes(plain);
    }
  };
  const most = typeof options?.maxKeys === 'number' ? options.maxKeys : MAX_KEYS;
  const pairs = text.split(separator || '&').filter((pair) => pair !== '');
  for (const pair of most > 0 ? pairs.slice(0, most) : pairs) {
    const at = pair.indexOf(equals || '=');
    const key = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decode(pair.slice(at + (equals || '=').length));
    if (!(key in values)) values[key] = value;
    else if (Array.isArray(values[key])) values[key].push(value);
    else values[key] = [values[key], value];
  }
  return values;
}

/** A separator; the package `url` passes options instead. */
const textOr = (value, standard) => (typeof value === 'string' && value !== '' ? value : standard);

const primitiveText = (value) => {
  const isText = ['string', 'bigint', 'boolean'].includes(typeof value) || Number.isFinite(value);
  return isText ? `${value}` : '';
};

/** @param {unknown} values @param {{ encodeURIComponent?: (text: string) => string }} [options] */
function stringify(values, separator = '&', equals = '=', options = undefined) {
  if (values === null || typeof values !== 'object') return '';
  const encode = options?.encodeURIComponent ?? module.exports.escape;
  const pairs = Object.keys(values).flatMap((key) => {
    const name = `${encode(key)}${textOr(equals, '=')}`;
    const list = Array.isArray(values[key]) ? values[key] : [values[key]];
    return list.map((value) => `${name}${encode(primitiveText(value))}`);
  });
  return pairs.join(textOr(separator, '&'));
}

module.exports = {
  parse,
  stringify,
  decode: parse,
  encode: stringify,
  escape: (value) => encodeURIComponent(value),
  unescape: unescaped,
};
