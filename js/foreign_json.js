/** JSON that others have written. */

/** Deeper than any honest data; keeps whoever walks through it far from the end of the stack. */
export const MAX_JSON_DEPTH = 500;

/** The text is no JSON, or none that anybody means. */
export class BadJson extends Error {}

/**
 * The value of a JSON text.
 * @param {string} text of bounded length: reading it is what bounds that
 * @param {number} [maxDepth]
 * @returns {any}
 */
export function parseForeignJson(text, maxDepth = MAX_JSON_DEPTH) {
  if (isDeeper(text, maxDepth)) throw new BadJson(`It is nested deeper than ${maxDepth} levels.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BadJson('It is no valid JSON.', { cause });
  }
}

const [QUOTE = 0, ESCAPE, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [...'"\\{}[]'].map((letter) =>
  letter.charCodeAt(0),
);

/**
 * Whether a text opens more brackets inside each other than it may, looked at before anything is made of it: what a level
 * costs in memory is many times its one letter.
 * @param {string} text
 * @param {number} maxDepth
 */
function isDeeper(text, maxDepth) {
  // With fewer brackets than levels there is nothing to count.
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) {
      at = endOfString(text, at);
    } else if (letter === OPEN_ARRAY || letter === OPEN_OBJECT) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (letter === CLOSE_ARRAY || letter === CLOSE_OBJECT) {
      depth -= 1;
    }
  }
  return false;
}

/**
 * @param {string} text
 * @param {number} start of the string's first quote
 */
function endOfString(text, start) {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === ESCAPE) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
