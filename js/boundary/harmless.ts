/** Escapes foreign text for display, so that it cannot control a terminal or hide content. */

/** Default length limit of a foreign text. */
const MAX_CHARS = 160;

/** Foreign text in one line: control, formatting and line-break characters are escaped. */
export function harmless(text: unknown, maxChars: number = MAX_CHARS) {
  const whole = String(text);
  const shown = whole.length > maxChars ? `${whole.slice(0, maxChars)}…` : whole;
  return shown.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped);
}

/** Collapses foreign text to one line, so that it cannot look like a section of the prompt. */
export function oneLine(text: string) {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** Characters escaped in multi-line text: as above, except line breaks, tabs and joiners. */
const HARMFUL = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Foreign text with its line breaks. */
export function harmlessLines(text: string) {
  return text.replaceAll('\r\n', '\n').replace(HARMFUL, escaped);
}

/**
 * Invisible or deceptive characters: also joiners, fillers, variation selectors, stacked marks and unusual spaces. Characters with
 * an empty glyph (U+2800, U+13441, U+1D159…) have no common property, so they are listed. Marks of one script after an ASCII letter
 * are not drawn by every font.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}|(?<=(?:^|\p{ASCII})\p{M}{0,3})(?![\p{Script=Inherited}\p{Script=Common}])\p{M}/gu;

/** Foreign text in one line, complete, for an approver: every invisible character is escaped. */
export function visible(text: unknown) {
  return String(text).replace(HIDDEN, escaped);
}

/**
 * A value as JSON for display. Characters that a terminal would interpret are escaped; the value is the same.
 * @param indent for multi-line output
 */
export function harmlessJson(value: unknown, indent?: number) {
  return escapedJson(JSON.stringify(value, undefined, indent) ?? 'null');
}

/** Foreign JSON, escaped for display; the value is the same. */
export function escapedJson(json: string) {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function escaped(character: string) {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
