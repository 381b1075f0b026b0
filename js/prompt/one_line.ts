/** Collapses foreign text to one line, so that it cannot look like a section of the prompt. */
export function oneLine(text: string) {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
