/** Size of a prompt in characters. */

import type { LanguageModelV3Message as Message } from '@ai-sdk/provider';

type Part = Exclude<Message['content'], string>[number];

/** Overhead of a message or a part. */
const FRAME_CHARS = 24;

/** Characters of a message, with an overhead for itself and for each part. */
export function sizeOf({ content }: Pick<Message, 'content'>) {
  if (typeof content === 'string') return content.length + FRAME_CHARS;
  if (!Array.isArray(content)) return FRAME_CHARS;
  return content.reduce((sum: number, part) => sum + partSize(part), FRAME_CHARS);
}

function partSize(part: Part) {
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
 * @param output of a part
 */
export function outputText(output: { value?: unknown; reason?: unknown } | undefined): string {
  const value = output?.value ?? output?.reason ?? '';
  return typeof value === 'string' ? value : jsonText(value);
}

function jsonText(value: unknown) {
  return JSON.stringify(value) ?? '';
}
