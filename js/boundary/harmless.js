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
