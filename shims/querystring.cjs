/** Shim of `node:querystring`: the package `querystring`, with its two missing functions. */

const { parse, stringify } = require('querystring/');

/** Invalid escapes are kept. */
const unescaped = (text) =>
  text.replace(/(?:%[\da-f]{2})+/gi, (run) => {
    const bytes = run
      .slice(1)
      .split('%')
      .map((code) => Number.parseInt(code, 16));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes));
  });

module.exports = {
  parse,
  stringify,
  decode: parse,
  encode: stringify,
  escape: (value) => encodeURIComponent(value),
  unescape: unescaped,
};
