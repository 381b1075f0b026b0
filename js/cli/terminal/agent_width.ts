/** Display width of text on a terminal: East Asian letters and emoji take two columns, combining characters none. */

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NONE = /\p{Mn}|\p{Me}|\u200c|\u200d/u;
/** The width of a terminal that reports none, as a pseudo-terminal without a size does, and the least that text is fitted to. */
const USUAL_COLUMNS = 80;
const MIN_COLUMNS = 20;

/** The width of an output stream; unlimited if it is not a terminal. */
export function columnsOf({ isTTY, columns }: { isTTY?: boolean; columns?: number }) {
  if (!isTTY) return Number.POSITIVE_INFINITY;
  return columns ? Math.max(columns, MIN_COLUMNS) : USUAL_COLUMNS;
}

/** @param text in one line */
export function widthOf(text: string) {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/**
 * Truncates a text to a width; a truncated text ends with an ellipsis.
 * @param text in one line
 */
export function withinWidth(text: string, columns: number) {
  if (text.length <= columns / 2 || widthOf(text) <= columns) return text;
  let width = 1;
  let kept = '';
  for (const character of text) {
    width += widthOfOne(character);
    if (width > columns) break;
    kept += character;
  }
  return `${kept}…`;
}

function widthOfOne(character: string) {
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/**
 * Wraps a text into lines of a maximum width.
 * @param text in one line
 */
export function wrapped(text: string, columns: number): string[] {
  if (text.length <= columns / 2 || widthOf(text) <= columns) return [text];
  const lines = [];
  let line = '';
  let width = 0;
  for (const character of text) {
    const more = widthOfOne(character);
    if (width + more > columns && line !== '') {
      lines.push(line);
      line = '';
      width = 0;
    }
    line += character;
    width += more;
  }
  return [...lines, line];
}
