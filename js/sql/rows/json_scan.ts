/** Validates JSON text of a database without parsing it into values, so that it can be forwarded unchanged. */

/** Maximum nesting depth: later readers are recursive. */
export const MAX_DEPTH = 500;

/** States of the scanner: the expected next token. */
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY_OR_CLOSE = 2;
const KEY = 3;
const COLON = 4;
const AFTER_VALUE = 5;

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

const WORDS = ['true', 'false', 'null'];

/** Stack of expected closing brackets. Reused for all texts, because a result may contain a million small ones. */
const closers = new Uint8Array(MAX_DEPTH);

/** @returns `deep`: nested deeper than {@link MAX_DEPTH}; the rest was not scanned */
export function kindOfJson(text: string): 'json' | 'deep' | 'other' {
  let depth = 0;
  let expected = VALUE;
  let at = 0;
  for (;;) {
    let code = text.charCodeAt(at);
    while (code === 32 || code === 10 || code === 13 || code === 9) {
      at += 1;
      code = text.charCodeAt(at);
    }
    if (at >= text.length) return depth === 0 && expected === AFTER_VALUE ? 'json' : 'other';
    if (expected === COLON) {
      if (code !== 58) return 'other';
      expected = VALUE;
      at += 1;
    } else if (expected === AFTER_VALUE) {
      const closer = depth === 0 ? 0 : closers[depth - 1];
      if (code === closer) depth -= 1;
      else if (code === COMMA && depth > 0) expected = closer === CLOSE_OBJECT ? KEY : VALUE;
      else return 'other';
      at += 1;
    } else if (code === QUOTE) {
      at = endOfString(text, at + 1);
      if (at === -1) return 'other';
      expected = expected === KEY || expected === KEY_OR_CLOSE ? COLON : AFTER_VALUE;
    } else if (expected === KEY || expected === KEY_OR_CLOSE) {
      if (code !== CLOSE_OBJECT || expected === KEY) return 'other';
      depth -= 1;
      expected = AFTER_VALUE;
      at += 1;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (depth === MAX_DEPTH) return 'deep';
      closers[depth] = code === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT;
      depth += 1;
      expected = code === OPEN_LIST ? VALUE_OR_CLOSE : KEY_OR_CLOSE;
      at += 1;
    } else if (code === CLOSE_LIST && expected === VALUE_OR_CLOSE) {
      depth -= 1;
      expected = AFTER_VALUE;
      at += 1;
    } else {
      at = endOfScalar(text, at);
      if (at === -1) return 'other';
      expected = AFTER_VALUE;
    }
  }
}

/** A character with a meaning inside a string: its end, an escape, or one that JSON requires to be escaped. */
const SPECIAL = /[^ !#-[\]-\uffff]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * @param start behind the opening quote
 * @returns behind the closing one, or -1
 */
function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    SPECIAL.lastIndex = at;
    if (!SPECIAL.test(text)) return -1;
    const found = SPECIAL.lastIndex - 1;
    if (text.charCodeAt(found) === QUOTE) return found + 1;
    ESCAPE.lastIndex = found;
    if (!ESCAPE.test(text)) return -1;
    at = ESCAPE.lastIndex;
  }
}

/** @returns behind the number or word, or -1 */
function endOfScalar(text: string, start: number): number {
  const word = WORDS.find((candidate) => text.startsWith(candidate, start));
  if (word) return start + word.length;
  let at = text[start] === '-' ? start + 1 : start;
  const whole = endOfDigits(text, at);
  if (whole === at || (text[at] === '0' && whole > at + 1)) return -1;
  at = whole;
  if (text[at] === '.') {
    const fraction = endOfDigits(text, at + 1);
    if (fraction === at + 1) return -1;
    at = fraction;
  }
  if (text[at] !== 'e' && text[at] !== 'E') return at;
  const sign = text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1;
  const exponent = endOfDigits(text, at + sign);
  return exponent === at + sign ? -1 : exponent;
}

function endOfDigits(text: string, start: number) {
  let at = start;
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) at += 1;
  return at;
}
