/** Paged results. The page size is known only when the result is returned. */

import { ValidationError } from '../boundary/errors.js';
import { beginning, jsonLength, preview } from './preview.js';

/** Maximum size of a note. */
const NOTE_CHARS = 300;

/** A result that can be cut to a maximum size. */
export class Page {
  readonly fit: (maxChars: number) => unknown;

  constructor(fit: (maxChars: number) => unknown) {
    this.fit = fit;
  }
}

type TextRange = {
  /** The first line, from 1. */
  offset?: number;
  /** The first character of that line, from 1. */
  column?: number;
  /** The number of lines. */
  limit?: number;
};

/** A page of lines. Its last line has the total number of lines and the arguments for the next page. */
export function textPage(
  text: string,
  { offset = 1, column = 1, limit = Number.POSITIVE_INFINITY }: TextRange = {},
): Page {
  return new Page((maxChars) => {
    if (offset === 1 && column === 1 && limit === Number.POSITIVE_INFINITY && text.length <= maxChars) return text;
    const lines = text.split('\n');
    if (offset > lines.length) {
      throw new ValidationError(`"offset" is not valid: the text has only ${lines.length} lines, not ${offset}.`, {
        details: { field: 'offset' },
      });
    }
    const wanted = lines.slice(offset - 1, Math.min(lines.length, offset - 1 + limit));
    wanted[0] = (wanted[0] ?? '').slice(column - 1);
    return fittedLines(wanted, { offset, column, total: lines.length }, Math.max(1, maxChars - NOTE_CHARS));
  });
}

/** @param place of the first line */
function fittedLines(
  lines: string[],
  { offset, column, total }: { offset: number; column: number; total: number },
  room: number,
) {
  let [count, used] = [0, 0];
  while (count < lines.length && used + (lines[count]?.length ?? 0) + 1 <= room) {
    used += (lines[count]?.length ?? 0) + 1;
    count += 1;
  }
  if (count === 0) {
    const first = lines[0] ?? '';
    const shown = beginning(first, room);
    return `${shown}\n[Line ${offset} of ${total} continues: ${first.length - shown.length} more characters. Continue with offset: ${offset}, column: ${column + shown.length}.]`;
  }
  const shown = lines.slice(0, count).join('\n');
  const next = offset + count;
  if (next > total) return shown;
  return `${shown}\n[Lines ${offset} to ${next - 1} of ${total}. Continue with offset: ${next}.]`;
}

/**
 * A page of a list. If items are omitted, the last entry is a note.
 * @param noted creates the note
 */
export function listPage<Item>(
  items: Item[],
  noted: (note: { shown: number; total: number; last: Item | undefined }) => unknown,
  limit: number = Number.POSITIVE_INFINITY,
): Page {
  return new Page((maxChars) => {
    const { kept, isWhole } = firstThatFit(items, maxChars, limit);
    if (isWhole) return kept;
    return [...kept, noted({ shown: kept.length, total: items.length, last: items[kept.length - 1] })];
  });
}

/** The first items that fit. If the first one is too large, a preview of it. */
export function firstThatFit(
  items: unknown[],
  maxChars: number,
  limit: number = Number.POSITIVE_INFINITY,
): { kept: unknown[]; isWhole: boolean } {
  if (items.length <= limit && jsonLength(items, maxChars) <= maxChars) return { kept: items, isWhole: true };
  let left = maxChars - NOTE_CHARS;
  const kept: unknown[] = [];
  for (const item of items) {
    const length = jsonLength(item, left) + 1;
    if (length > left || kept.length >= limit) break;
    kept.push(item);
    left -= length;
  }
  if (kept.length === 0 && items.length > 0) kept.push(preview(items[0], left));
  return { kept, isWhole: false };
}
