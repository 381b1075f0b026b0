/** Answers of which a caller sees one page: how much fits is known only where the answer is handed over. */

import { ValidationError } from '../boundary/errors.js';
import { beginning, jsonLength, preview } from './preview.js';

/** What a note takes at most. */
const NOTE_CHARS = 300;

/** An answer that can be made to fit. */
export class Page {
  /** @param {(maxChars: number) => unknown} fit */
  constructor(fit) {
    this.fit = fit;
  }
}

/**
 * @typedef {object} TextRange
 * @property {number} [offset] the first line, from 1
 * @property {number} [column] the first character of that line, from 1
 * @property {number} [limit] of lines
 */

/**
 * Lines of a text. What is left out is said at the end, with the arguments that go on from there.
 * @param {string} text
 * @param {TextRange} [range]
 * @returns {any} a page of a text, which its caller gets as a text
 */
export function textPage(text, { offset = 1, column = 1, limit = Number.POSITIVE_INFINITY } = {}) {
  return new Page((maxChars) => {
    if (offset === 1 && column === 1 && limit === Number.POSITIVE_INFINITY && text.length <= maxChars) return text;
    const lines = text.split('\n');
    if (offset > lines.length) {
      throw new ValidationError(
        `"offset" is not valid: the text has ${lines.length} lines, so line ${offset} is not there.`,
        {
          details: { field: 'offset' },
        },
      );
    }
    const wanted = lines.slice(offset - 1, Math.min(lines.length, offset - 1 + limit));
    wanted[0] = (wanted[0] ?? '').slice(column - 1);
    return fittedLines(wanted, { offset, column, total: lines.length }, Math.max(1, maxChars - NOTE_CHARS));
  });
}

/**
 * @param {string[]} lines
 * @param {{ offset: number, column: number, total: number }} place of the first line
 * @param {number} room
 */
function fittedLines(lines, { offset, column, total }, room) {
  let [count, used] = [0, 0];
  while (count < lines.length && used + (lines[count]?.length ?? 0) + 1 <= room) {
    used += (lines[count]?.length ?? 0) + 1;
    count += 1;
  }
  if (count === 0) {
    const first = lines[0] ?? '';
    const shown = beginning(first, room);
    return `${shown}\n[Line ${offset} of ${total} goes on: ${first.length - shown.length} more characters. Go on with offset: ${offset}, column: ${column + shown.length}.]`;
  }
  const shown = lines.slice(0, count).join('\n');
  const next = offset + count;
  if (next > total) return shown;
  return `${shown}\n[Lines ${offset} to ${next - 1} of ${total}. Go on with offset: ${next}.]`;
}

/**
 * The first items of a list. When some are left out, the last entry says so.
 * @template Item
 * @param {Item[]} items
 * @param {(note: { shown: number, total: number, last: Item | undefined }) => unknown} noted that entry
 * @param {number} [limit]
 * @returns {any} a page of a list, which its caller gets as a list
 */
export function listPage(items, noted, limit = Number.POSITIVE_INFINITY) {
  return new Page((maxChars) => {
    const { kept, isWhole } = firstThatFit(items, maxChars, limit);
    if (isWhole) return kept;
    return [...kept, noted({ shown: kept.length, total: items.length, last: items[kept.length - 1] })];
  });
}

/**
 * As many items as fit; of a first one that is too large, what can be shown of it.
 * @template Item
 * @param {Item[]} items
 * @param {number} maxChars
 * @param {number} [limit]
 * @returns {{ kept: Item[], isWhole: boolean }}
 */
export function firstThatFit(items, maxChars, limit = Number.POSITIVE_INFINITY) {
  if (items.length <= limit && jsonLength(items, maxChars) <= maxChars) return { kept: items, isWhole: true };
  let left = maxChars - NOTE_CHARS;
  const kept = [];
  for (const item of items) {
    const length = jsonLength(item, left) + 1;
    if (length > left || kept.length >= limit) break;
    kept.push(item);
    left -= length;
  }
  if (kept.length === 0 && items.length > 0) kept.push(preview(items[0], left));
  return { kept, isWhole: false };
}
