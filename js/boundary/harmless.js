/** How much of a text of others stands in a line. */
const MAX_CHARS = 160;

/**
 * A text of others, in one line: what would move the cursor, change colours or turn the line around is spelt out.
 * @param {unknown} text
 * @param {number} [maxChars]
 */
export function harmless(text, maxChars = MAX_CHARS) {
  const whole = String(text);
  const shown = whole.length > maxChars ? `${whole.slice(0, maxChars)}…` : whole;
  return shown.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/** What has no place in a text of several lines: as above, but for line ends, tabs, and what joins letters and emoji. */
const HARMFUL = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text of others that keeps its lines.
 * @param {string} text
 */
export function harmlessLines(text) {
  return text.replaceAll('\r\n', '\n').replace(HARMFUL, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/**
 * A value as JSON in one line that can be shown: what JSON leaves as it is and terminals would obey is escaped. It is the same value.
 * @param {unknown} value
 */
export function harmlessJson(value) {
  return JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
