/**
 * Text from a tool's source or an application stays in its line: it must not look like a section of the prompt.
 * @param {string} text
 */
export function oneLine(text) {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
