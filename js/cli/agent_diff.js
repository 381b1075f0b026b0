/** What a call would change, as lines that a person reads before saying yes. */

import { visibleLine } from '../kernel/request_text.js';

/**
 * @typedef {import('../kernel/request_text.js').RequestLine} DiffLine
 * @typedef {{ covers: string[], lines: DiffLine[] }} ShownChange lines, and the arguments that they say all of
 * @typedef {(path: string) => Promise<string>} ReadText the text of a file as it is; none is empty
 */

const CONTEXT_LINES = 2;
/** Longer texts are not compared line by line. */
const MAX_CELLS = 4_000_000;
const MAX_TEXT_CHARS = 1_000_000;
/** Of a file that goes, more lines are counted instead of shown. */
const MAX_REMOVED_LINES = 400;

/** Arguments that are text of several lines. @type {Record<string, string>} */
const TEXTS = { apply_diff: 'diff', run_code: 'code', exec_sql: 'sql' };

/**
 * @param {Pick<import('../../index.js').ApprovalRequest, 'tool' | 'path' | 'args'>} request
 * @param {ReadText} read
 * @returns {Promise<ShownChange>} no lines where the call says it all
 */
export async function changeOf(request, read) {
  const { covers, lines } = await changeIn(request, read);
  return { covers, lines: lines.map(({ sign, text }) => ({ sign, text: visibleLine(text) })) };
}

/**
 * @param {Pick<import('../../index.js').ApprovalRequest, 'tool' | 'path' | 'args'>} request
 * @param {ReadText} read
 * @returns {Promise<ShownChange>}
 */
async function changeIn({ tool, path, args }, read) {
  const given = /** @type {Record<string, unknown>} */ (typeof args === 'object' && args !== null ? args : {});
  const text = (/** @type {string} */ name) => (typeof given[name] === 'string' ? String(given[name]) : undefined);
  if (path !== undefined && tool === 'write_file' && text('content') !== undefined) {
    return covering(['content'], await read(path), text('content') ?? '');
  }
  if (path !== undefined && tool === 'delete_file') return { covers: [], lines: removedLines(await read(path)) };
  if (path !== undefined && tool === 'patch_file' && text('search') !== undefined) {
    const [before, search] = [await read(path), text('search') ?? ''];
    const at = before.indexOf(search);
    // Where it stands more than once, or not as it is written, what happens is not known here: the arguments are shown.
    if (at < 0 || before.indexOf(search, at + 1) >= 0) return NO_CHANGE;
    const after = `${before.slice(0, at)}${text('replace') ?? ''}${before.slice(at + search.length)}`;
    return covering(['search', 'replace'], before, after);
  }
  const name = Object.hasOwn(TEXTS, tool) ? String(TEXTS[tool]) : undefined;
  const whole = name === undefined ? undefined : text(name);
  if (name === undefined || whole === undefined || whole.length > MAX_TEXT_CHARS) return NO_CHANGE;
  const lines = linesOf(whole);
  return {
    covers: [name],
    lines: lines.map((line) => (tool === 'apply_diff' ? signed(line) : { sign: ' ', text: line })),
  };
}

/** @type {ShownChange} */
const NO_CHANGE = { covers: [], lines: [] };

/**
 * A diff in the place of arguments, unless it says less than they do.
 * @param {string[]} covers
 * @param {string} before
 * @param {string} after
 * @returns {ShownChange}
 */
function covering(covers, before, after) {
  if (before.length + after.length > MAX_TEXT_CHARS) return NO_CHANGE;
  const lines = lineDiff(before, after);
  if (lines.length === 0) return NO_CHANGE;
  const ends = (/** @type {string} */ text) => text === '' || text.endsWith('\n');
  const end = `${ends(after) ? 'with' : 'without'} a line end at its end`;
  return { covers, lines: ends(before) === ends(after) ? lines : [...lines, { sign: '…', text: end }] };
}

/**
 * @param {string} text of a file that goes
 * @returns {DiffLine[]}
 */
function removedLines(text) {
  if (text.length > MAX_TEXT_CHARS) return [{ sign: '…', text: `${text.length} characters go` }];
  const lines = linesOf(text);
  if (lines.length > MAX_REMOVED_LINES) return [{ sign: '…', text: `${lines.length} lines go` }];
  return lines.map((line) => ({ sign: '-', text: line }));
}

/**
 * The lines that go and come, with some that stay around them.
 * @param {string} before
 * @param {string} after
 * @returns {DiffLine[]}
 */
export function lineDiff(before, after) {
  if (before.length + after.length > MAX_TEXT_CHARS) {
    return [{ sign: '…', text: `${before.length} characters become ${after.length}` }];
  }
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const middle = changed(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  if (middle.length === 0) return [];
  const kept = (/** @type {string[]} */ lines) => lines.map((text) => ({ sign: /** @type {const} */ (' '), text }));
  return shortened([...kept(old.slice(0, head)), ...middle, ...kept(old.slice(old.length - tail))]);
}

/**
 * Two lists of lines as one: by their longest common subsequence, where that does not take too long.
 * @param {string[]} old
 * @param {string[]} now
 * @returns {DiffLine[]}
 */
function changed(old, now) {
  /** @type {(sign: DiffLine['sign']) => (text: string) => DiffLine} */
  const as = (sign) => (text) => ({ sign, text });
  if ((old.length + 1) * (now.length + 1) > MAX_CELLS) return [...old.map(as('-')), ...now.map(as('+'))];
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (/** @type {number} */ row, /** @type {number} */ column) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  /** @type {DiffLine[]} */
  const lines = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      lines.push({ sign: ' ', text: old[row] ?? '' });
      row += 1;
      column += 1;
    } else if (row < old.length && (column >= now.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: '-', text: old[row] ?? '' });
      row += 1;
    } else {
      lines.push({ sign: '+', text: now[column] ?? '' });
      column += 1;
    }
  }
  return lines;
}

/**
 * Without what stays and lies far from any change.
 * @param {DiffLine[]} lines
 */
function shortened(lines) {
  const near = new Uint8Array(lines.length);
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== ' ') near.fill(1, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  }
  /** @type {DiffLine[]} */
  const kept = [];
  for (const [index, line] of lines.entries()) {
    if (near[index] === 1) kept.push(line);
    else if (kept.at(-1)?.sign !== '…') kept.push({ sign: '…', text: '' });
  }
  return kept;
}

/**
 * @param {string} line of a diff
 * @returns {DiffLine}
 */
function signed(line) {
  const [sign] = line;
  if (sign === '+' || sign === '-') return { sign, text: line.slice(1) };
  return { sign: ' ', text: line };
}

/** @param {string} text */
function linesOf(text) {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}
