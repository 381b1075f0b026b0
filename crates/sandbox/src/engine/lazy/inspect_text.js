// Text of strings, numbers and symbols as `inspect` shows them, and the width of text.
(function inspectText(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { bigintToString, charCodeAt, indexOf, lastIndexOf, list, push, regexpExec, slice } = realm;
  const { symbolToString } = realm;

  const HEX = '0123456789abcdef';
  const CAPITAL_HEX = '0123456789ABCDEF';
  const QUOTE = 39;
  const BACKSLASH = 92;
  /** @type {Table<string>} */
  const SHORT = {
    __proto__: /** @type {any} */ (null),
    8: '\\b',
    9: '\\t',
    10: '\\n',
    12: '\\f',
    13: '\\r',
    39: "\\'",
    92: '\\\\',
  };
  const FIRST_HALF = 0xd800;
  const SECOND_HALF = 0xdc00;
  const AFTER_HALVES = 0xe000;
  // A pattern takes longer to compile than a short text to read.
  const SHORT_TEXT = 200;
  /** @type {RegExp | undefined} */
  let unsafe;
  // Longest string that may be read.
  const MAX_READ = 64 << 20;

  /** @param {number} unit */
  const escapeOf = (unit) => {
    const short = SHORT[unit];
    if (short !== undefined) return short;
    if (unit < 256) return `\\x${CAPITAL_HEX[unit >> 4]}${CAPITAL_HEX[unit & 15]}`;
    return `\\u${HEX[unit >> 12]}${HEX[(unit >> 8) & 15]}${HEX[(unit >> 4) & 15]}${HEX[unit & 15]}`;
  };
  /** @param {number} unit */
  const isControl = (unit) => unit < 32 || (unit > 126 && unit < 160);
  /** @param {number} unit */
  const isSecondHalf = (unit) => unit >= SECOND_HALF && unit < AFTER_HALVES;

  // Whether the text may need escapes: it holds control characters, quotes, backslashes, or others than ASCII.
  /** @param {string} text */
  const isUnsafe = (text) => {
    if (text.length > SHORT_TEXT) {
      unsafe ??= new realm.RegExp('[\\x00-\\x1f\\x27\\x5c\\x7f-\\x9f\\ud800-\\udfff]');
      return regexpExec(unsafe, text) !== null;
    }
    for (let i = 0; i < text.length; i++) {
      const letter = text[i];
      if (letter < ' ' || letter > '~' || letter === "'" || letter === '\\') return true;
    }
    return false;
  };
  /** @param {string} text */
  const isPlainKey = (text) => {
    for (let i = 0; i < text.length; i++) {
      const letter = text[i];
      const isLetter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter === '_';
      if (!isLetter && (i === 0 || letter < '0' || letter > '9')) return false;
    }
    return text !== '';
  };

  // Escapes control characters, backslashes and lone surrogates, and single quotes if the mark is one.
  /** @param {string} text @param {string} mark */
  const escapeText = (text, mark) => {
    if (!isUnsafe(text)) return text;
    let out = '';
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = charCodeAt(text, i);
      const isHalf = unit >= FIRST_HALF && unit < AFTER_HALVES;
      if (isHalf && unit < SECOND_HALF && i + 1 < text.length && isSecondHalf(charCodeAt(text, i + 1))) {
        i += 1;
        continue;
      }
      if (!isHalf && !isControl(unit) && unit !== BACKSLASH && !(unit === QUOTE && mark === "'")) continue;
      out += slice(text, from, i) + escapeOf(unit);
      from = i + 1;
    }
    return out + slice(text, from);
  };

  // In single quotes, or in others if the text holds single quotes and not these.
  /** @param {string} text */
  const quoteText = (text) => {
    let mark = "'";
    if (indexOf(text, mark) >= 0) {
      if (indexOf(text, '"') < 0) mark = '"';
      else if (indexOf(text, '`') < 0 && indexOf(text, `\${`) < 0) mark = '`';
    }
    return `${mark}${escapeText(text, mark)}${mark}`;
  };

  /** @param {string} text @param {number} count */
  const repeated = (text, count) => {
    let out = '';
    for (let i = 0; i < count; i++) out += text;
    return out;
  };

  /** @type {InspectParts['indented']} */
  const indented = (text, width) => {
    if (width === 0 || indexOf(text, '\n') < 0) return text;
    const space = repeated(' ', width);
    let out = '';
    let from = 0;
    for (let at = indexOf(text, '\n'); at >= 0; at = indexOf(text, '\n', from)) {
      out += slice(text, from, at + 1) + space;
      from = at + 1;
    }
    return out + slice(text, from);
  };

  /** @type {InspectParts['linesOf']} */
  const linesOf = (text) => {
    const lines = list();
    let from = 0;
    for (let at = indexOf(text, '\n'); at >= 0; at = indexOf(text, '\n', from)) {
      push(lines, slice(text, from, at));
      from = at + 1;
    }
    push(lines, slice(text, from));
    return lines;
  };

  const LEAST_BROKEN = 16;

  // A long string with line breaks is shown as a sum of its lines.
  /** @param {Inspection} ctx @param {string} value */
  const stringText = (ctx, value) => {
    if (value.length > MAX_READ) return `[text of ${value.length} characters]`;
    let text = value;
    let more = '';
    if (text.length > ctx.maxStringLength) {
      const left = text.length - ctx.maxStringLength;
      text = native.head(text, realm.max(0, ctx.maxStringLength));
      more = `... ${left} more character${left > 1 ? 's' : ''}`;
    }
    const isLong = text.length > LEAST_BROKEN && text.length > ctx.breakLength - ctx.indent - 4;
    if (ctx.compact === true || !isLong) return ctx.stylize(quoteText(text), 'string') + more;
    const lines = linesOf(text);
    const glue = ` +\n${repeated(' ', ctx.indent + 2)}`;
    let out = '';
    for (let i = 0; i < lines.length; i++) {
      const isLast = i === lines.length - 1;
      if (isLast && lines[i] === '' && i > 0) break;
      out += (i === 0 ? '' : glue) + ctx.stylize(quoteText(isLast ? lines[i] : `${lines[i]}\n`), 'string');
    }
    return out + more;
  };

  const GROUP = 3;

  /** @param {string} digits of an integer, maybe with a sign */
  const groupedFromEnd = (digits) => {
    let out = '';
    let end = digits.length;
    const first = digits[0] === '-' ? 1 : 0;
    for (; end >= first + GROUP + 1; end -= GROUP) out = `_${slice(digits, end - GROUP, end)}${out}`;
    return slice(digits, 0, end) + out;
  };
  /** @param {string} digits after the point */
  const groupedFromStart = (digits) => {
    let out = '';
    let from = 0;
    for (; from < digits.length - GROUP; from += GROUP) out += `${slice(digits, from, from + GROUP)}_`;
    return out + slice(digits, from);
  };

  /** @type {InspectParts['numberText']} */
  const numberText = (value, isGrouped) => {
    if (value === 0 && 1 / value < 0) return '-0';
    const text = `${value}`;
    // NaN and the infinities have no digits.
    if (!isGrouped || value - value !== 0 || indexOf(text, 'e') >= 0) return text;
    const point = indexOf(text, '.');
    if (point < 0) return groupedFromEnd(text);
    return `${groupedFromEnd(slice(text, 0, point))}.${groupedFromStart(slice(text, point + 1))}`;
  };
  /** @type {InspectParts['bigintText']} */
  const bigintText = (value, isGrouped) => {
    const digits = bigintToString(value);
    return `${isGrouped ? groupedFromEnd(digits) : digits}n`;
  };

  /** @type {InspectParts['primitiveText']} */
  const primitiveText = (ctx, value) => {
    switch (typeof value) {
      case 'string':
        return stringText(ctx, value);
      case 'number':
        return ctx.stylize(numberText(value, ctx.numericSeparator), 'number');
      case 'bigint':
        return ctx.stylize(bigintText(value, ctx.numericSeparator), 'bigint');
      case 'boolean':
        return ctx.stylize(`${value}`, 'boolean');
      case 'undefined':
        return ctx.stylize('undefined', 'undefined');
      case 'symbol':
        return ctx.stylize(symbolToString(value), 'symbol');
      default:
        return ctx.stylize('null', 'null');
    }
  };

  /** @type {InspectParts['keyText']} */
  const keyText = (ctx, key) => {
    if (typeof key === 'symbol') return ctx.stylize(escapeText(symbolToString(key), "'"), 'symbol');
    if (key === '__proto__') return "['__proto__']";
    if (isPlainKey(key)) return ctx.stylize(key, 'name');
    return ctx.stylize(quoteText(key), 'string');
  };

  // Ranges of characters that terminals draw two columns wide, and of those without a width.
  const WIDE = [
    0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x2614, 0x2615, 0x26a1, 0x26a1, 0x2705, 0x2705,
    0x274c, 0x274c, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797, 0x2b50, 0x2b50, 0x2e80, 0x303e, 0x3041, 0xa4cf,
    0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6,
    0x1b000, 0x1b2ff, 0x1f300, 0x1f64f, 0x1f680, 0x1f6ff, 0x1f900, 0x1f9ff, 0x20000, 0x3fffd,
  ];
  const NARROW = [
    0x7f, 0x9f, 0x300, 0x36f, 0x200b, 0x200f, 0x20d0, 0x20ff, 0xfe00, 0xfe0f, 0xfe20, 0xfe2f, 0xe0100, 0xe01ef,
  ];
  /** @param {number[]} ranges @param {number} point */
  const isIn = (ranges, point) => {
    for (let i = 0; i + 1 < ranges.length; i += 2) if (point >= ranges[i] && point <= ranges[i + 1]) return true;
    return false;
  };

  /** @type {InspectParts['withoutColors']} */
  const withoutColors = (text) => {
    let out = '';
    let from = 0;
    for (let at = indexOf(text, '\u001b['); at >= 0; at = indexOf(text, '\u001b[', from)) {
      const end = indexOf(text, 'm', at);
      if (end < 0) break;
      out += slice(text, from, at);
      from = end + 1;
    }
    return out + slice(text, from);
  };

  /** @param {string} text */
  const isAscii = (text) => {
    for (let i = 0; i < text.length; i++) if (text[i] < ' ' || text[i] > '~') return false;
    return true;
  };

  /** @type {InspectParts['widthOf']} */
  const widthOf = (value) => {
    if (isAscii(value)) return value.length;
    const text = withoutColors(value);
    let width = 0;
    for (let i = 0; i < text.length; i++) {
      let point = charCodeAt(text, i);
      if (point >= FIRST_HALF && point < SECOND_HALF && i + 1 < text.length) {
        i += 1;
        point = 0x10000 + ((point - FIRST_HALF) << 10) + charCodeAt(text, i) - SECOND_HALF;
      }
      if (point >= 32 && !isIn(NARROW, point)) width += isIn(WIDE, point) ? 2 : 1;
    }
    return width;
  };

  /** @type {InspectParts['endsWith']} */
  const endsWith = (text, end) => {
    const at = lastIndexOf(text, end);
    return at >= 0 && at === text.length - end.length;
  };

  realm.inspecting = {
    __proto__: null,
    ...realm.inspecting,
    bigintText,
    endsWith,
    indented,
    keyText,
    linesOf,
    numberText,
    primitiveText,
    repeated,
    widthOf,
    withoutColors,
  };
});
