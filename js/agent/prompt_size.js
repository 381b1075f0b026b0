/** Size of a prompt in characters. */

/** Overhead of a message or a part. */
const FRAME_CHARS = 24;

/**
 * The size of a message.
 * @param {any} message
 */
export function sizeOf({ content }) {
  if (typeof content === 'string') return content.length + FRAME_CHARS;
  if (!Array.isArray(content)) return FRAME_CHARS;
  return content.reduce((sum, part) => sum + partSize(part), FRAME_CHARS);
}

/** @param {any} part */
function partSize(part) {
  switch (part?.type) {
    case 'text':
    case 'reasoning':
      return part.text.length + FRAME_CHARS;
    case 'tool-call':
      return part.toolName.length + jsonText(part.input).length + FRAME_CHARS;
    case 'tool-result':
      return part.toolName.length + outputText(part.output).length + FRAME_CHARS;
    default:
      return jsonText(part).length + FRAME_CHARS;
  }
}

/**
 * The text of a tool result, as a model reads it.
 * @param {any} output of a part
 * @returns {string}
 */
export function outputText(output) {
  const value = output?.value ?? output?.reason ?? '';
  return typeof value === 'string' ? value : jsonText(value);
}

/** @param {unknown} value */
function jsonText(value) {
  return JSON.stringify(value) ?? '';
}
