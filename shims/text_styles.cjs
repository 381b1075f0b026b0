/** Colours of terminals: `inspect.colors`, `inspect.styles` and `styleText` of `node:util`. */

const { invalidType, invalidValue } = require('tgp:node_error');

const FOREGROUND = 39;
const BACKGROUND = 49;
/** Ends two styles, bold and dim. */
const BOLD_END = 22;
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const MODIFIERS = {
  reset: [0, 0],
  bold: [1, BOLD_END],
  dim: [2, BOLD_END],
  italic: [3, 23],
  underline: [4, 24],
  blink: [5, 25],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
  doubleunderline: [21, 24],
};
const ALIASES = {
  grey: 'gray',
  blackBright: 'gray',
  bgGrey: 'bgGray',
  bgBlackBright: 'bgGray',
  faint: 'dim',
  crossedout: 'strikethrough',
  strikeThrough: 'strikethrough',
  crossedOut: 'strikethrough',
  conceal: 'hidden',
  swapColors: 'inverse',
  swapcolors: 'inverse',
  doubleUnderline: 'doubleunderline',
};

const capital = (name) => name[0].toUpperCase() + name.slice(1);

const colors = Object.assign(Object.create(null), MODIFIERS);
/** The colours of text and background, in the order of Node. */
function addColors(textCode, nameOf) {
  NAMES.forEach((name, i) => {
    colors[nameOf(name)] = [textCode + i, FOREGROUND];
  });
  NAMES.forEach((name, i) => {
    colors[`bg${capital(nameOf(name))}`] = [textCode + 10 + i, BACKGROUND];
  });
}
addColors(30, (name) => name);
Object.assign(colors, { framed: [51, 54], overlined: [53, 55] });
addColors(90, (name) => (name === 'black' ? 'gray' : `${name}Bright`));
for (const [alias, name] of Object.entries(ALIASES)) {
  Object.defineProperty(colors, alias, {
    get: () => colors[name],
    set: (codes) => {
      colors[name] = codes;
    },
    configurable: true,
  });
}

const styles = Object.assign(Object.create(null), {
  special: 'cyan',
  number: 'yellow',
  bigint: 'yellow',
  boolean: 'yellow',
  undefined: 'grey',
  null: 'bold',
  string: 'green',
  symbol: 'green',
  date: 'magenta',
  regexp: 'red',
  module: 'underline',
});

const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/i;

/** Start and end codes of a format. */
function codesOf(format) {
  if (typeof format === 'string' && format[0] === '#') {
    if (!HEX.test(format)) throw invalidValue('format', format, 'must be a valid hex color (#RGB or #RRGGBB)');
    const digits =
      format.length === 4 ? [...format.slice(1)].map((digit) => digit + digit) : format.slice(1).match(/../g);
    return [`38;2;${digits.map((pair) => Number.parseInt(pair, 16)).join(';')}`, FOREGROUND];
  }
  const codes = colors[format];
  if (codes === undefined) {
    const known = Object.getOwnPropertyNames(colors).map((name) => `'${name}'`);
    throw invalidValue('format', format, `must be one of: ${known.join(', ')}`);
  }
  return codes;
}

/** Standard output is not a terminal here, so text is styled only with `validateStream: false`. */
function styleText(format, text, { validateStream = true } = {}) {
  if (typeof text !== 'string') throw invalidType('text', ['string'], text);
  const formats = (Array.isArray(format) ? format : [format]).filter((one) => one !== 'none');
  const codes = formats.map(codesOf);
  if (validateStream) return text;
  let styled = text;
  let [open, close] = ['', ''];
  for (const [start, end] of codes) {
    const ending = `\u001b[${end}m`;
    open += `\u001b[${start}m`;
    close = ending + close;
    // The end of a style inside ends this one, too.
    styled = styled.replaceAll(ending, `${end === BOLD_END ? ending : ''}\u001b[${start}m`);
  }
  return open + styled + close;
}

module.exports = { colors, styles, styleText };
