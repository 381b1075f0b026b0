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
  return shown.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, spelt);
}

/** What has no place in a text of several lines: as above, but for line ends, tabs, and what joins letters and emoji. */
const HARMFUL = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text of others that keeps its lines.
 * @param {string} text
 */
export function harmlessLines(text) {
  return text.replaceAll('\r\n', '\n').replace(HARMFUL, spelt);
}

/**
 * Whatever is not seen, or is seen as something else: also what joins, fills, selects a variant, piles up, or is a space of another
 * kind. No property says of a character that its picture is empty (U+2800, U+13441, U+1D159…), so those are listed. A mark of one
 * script behind a letter of ours is not drawn by every font.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}|(?<=(?:^|\p{ASCII})\p{M}{0,3})(?![\p{Script=Inherited}\p{Script=Common}])\p{M}/gu;

/**
 * A text of others in one line, whole, for an approver, who must see all of it: nothing in it is hidden.
 * @param {unknown} text
 */
export function visible(text) {
  return String(text).replace(HIDDEN, spelt);
}

/**
 * A value as JSON in one line that can be shown: what JSON leaves as it is and terminals would obey is escaped. It is the same value.
 * @param {unknown} value
 * @param {number} [indent] for several lines
 */
export function harmlessJson(value, indent) {
  return escapedJson(JSON.stringify(value, undefined, indent) ?? 'null');
}

/**
 * JSON of others that can be shown: it is the same value.
 * @param {string} json
 */
export function escapedJson(json) {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** @param {string} character */
function spelt(character) {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
