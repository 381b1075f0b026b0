/** Parses untrusted JSON with limits. */

/** Maximum nesting depth: far below what would overflow the stack of recursive readers. */
export const MAX_JSON_DEPTH = 500;
/** Maximum number of values in a message: each costs memory and time. */
export const MAX_MESSAGE_VALUES = 50_000;

/** The text is not valid JSON, or exceeds the limits. */
export class BadJson extends Error {}

/**
 * Parses a JSON text. Callers check the value; they name its type only where this package has written the text.
 * @param text whose length the caller has already limited
 */
export function parseForeignJson(
  text: string,
  { maxDepth = MAX_JSON_DEPTH, maxValues = Number.POSITIVE_INFINITY }: { maxDepth?: number; maxValues?: number } = {},
): unknown {
  const beyond = beyondLimits(text, maxDepth, maxValues);
  if (beyond) throw new BadJson(beyond);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BadJson('It is not valid JSON.', { cause });
  }
}

const [QUOTE = 0, ESCAPE, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COMMA] = [...'"\\{}[],'].map((letter) =>
  letter.charCodeAt(0),
);

/** Checks depth and number of values before parsing: a level or value costs many times its one character in memory. */
function beyondLimits(text: string, maxDepth: number, maxValues: number) {
  // A text with fewer characters than the limits cannot exceed them.
  if (text.length <= Math.min(maxDepth, maxValues)) return undefined;
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) {
      at = endOfString(text, at);
    } else if (letter === OPEN_ARRAY || letter === OPEN_OBJECT) {
      depth += 1;
      if (depth > maxDepth) return `It is nested deeper than ${maxDepth} levels.`;
    } else if (letter === CLOSE_ARRAY || letter === CLOSE_OBJECT) {
      depth -= 1;
    } else if (letter === COMMA) {
      commas += 1;
      if (commas >= maxValues) return `It holds more than ${maxValues} values.`;
    }
  }
  return undefined;
}

/** @param start of the string's first quote */
function endOfString(text: string, start: number) {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === ESCAPE) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** Whether a value is an object with named members, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
