/** `parseEnv` of `node:util`: the format of `.env` files. */

const { needType } = require('tgp:node_error');

/** The value that begins a text, and where it ends. */
function valueIn(text) {
  const start = text.length - text.replace(/^[^\S\n]+/, '').length;
  const quote = text[start] ?? '';
  const end = /["'`]/.test(quote) ? text.indexOf(quote, start + 1) : -1;
  if (end >= 0) {
    const quoted = text.slice(start + 1, end);
    const line = text.indexOf('\n', end);
    return [quote === '"' ? quoted.replaceAll('\\n', '\n') : quoted, line < 0 ? text.length : line];
  }
  const line = text.indexOf('\n');
  const plain = line < 0 ? text : text.slice(0, line);
  // A quote that is not closed begins a value to the end of the line, with what looks like a comment.
  const value = /["'`]/.test(quote) ? plain : plain.replace(/#.*/s, '');
  return [value.trim(), plain.length];
}

/** @param {string} content @returns {Record<string, string>} */
function parseEnv(content) {
  needType('content', 'string', content);
  const found = new Map();
  let rest = content.replaceAll('\r', '');
  while (rest !== '') {
    const line = /^[^\n]*/.exec(rest)?.[0] ?? '';
    const equals = line.indexOf('=');
    if (line.trim().startsWith('#') || equals < 0) {
      rest = rest.slice(line.length + 1);
      continue;
    }
    const name = line
      .slice(0, equals)
      .trim()
      .replace(/^export\s+/, '');
    const [value, end] = valueIn(rest.slice(equals + 1));
    if (name !== '') found.set(name, value);
    rest = rest.slice(equals + 1 + end + 1);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

module.exports = { parseEnv };
