/** The change that a call would make, as diff lines for the approval question. */

import { unwrap } from '../boundary/errors.js';
import { native } from '../boundary/native.js';
import { visibleLine } from '../kernel/request_text.js';
import { toolWords } from '../tool_shape/kernel_tool_table.js';

/**
 * @typedef {import('../kernel/request_text.js').RequestLine} DiffLine
 * @typedef {{ covers: string[], lines: DiffLine[] }} ShownChange the lines, and the arguments that they show in full
 * @typedef {(path: string) => Promise<string>} ReadText reads the current text of a file; empty if there is no file
 */

/** Texts longer than this get no diff. */
const MAX_TEXT_CHARS = 1_000_000;
/** The last line of a truncated diff. */
const CUT = '\n[truncated]\n';
/** A removed file with more lines is summarised by its line count. */
const MAX_REMOVED_LINES = 400;

/**
 * @param {Pick<import('../../index.js').ApprovalRequest, 'tool' | 'path' | 'args'>} request
 * @param {ReadText} read
 * @returns {Promise<ShownChange>} no lines if the arguments show the change already
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
  const values = /** @type {Record<string, unknown>} */ (typeof args === 'object' && args !== null ? args : {});
  const text = (/** @type {string} */ name) => (typeof values[name] === 'string' ? String(values[name]) : undefined);
  if (path !== undefined && tool === 'write_file' && text('content') !== undefined) {
    return covering(['content'], await read(path), text('content') ?? '');
  }
  if (path !== undefined && tool === 'delete_file') return { covers: [], lines: removedLines(await read(path)) };
  if (path !== undefined && tool === 'patch_file' && text('search') !== undefined) {
    const [before, search] = [await read(path), text('search') ?? ''];
    const at = before.indexOf(search);
    // The search text is missing or ambiguous, so the result is unknown here: show the arguments instead.
    if (at < 0 || before.indexOf(search, at + 1) >= 0) return NO_CHANGE;
    const after = `${before.slice(0, at)}${text('replace') ?? ''}${before.slice(at + search.length)}`;
    return covering(['search', 'replace'], before, after);
  }
  const name = toolWords(tool)?.lines;
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
 * A diff that replaces arguments in the display; no change if there is no complete diff.
 * @param {string[]} covers
 * @param {string} before
 * @param {string} after
 * @returns {Promise<ShownChange>}
 */
async function covering(covers, before, after) {
  const lines = await lineDiff(before, after);
  return lines.length === 0 ? NO_CHANGE : { covers, lines };
}

/**
 * @param {string} text of the removed file
 * @returns {DiffLine[]}
 */
function removedLines(text) {
  if (text.length > MAX_TEXT_CHARS) return [{ sign: '…', text: `${text.length} characters are removed` }];
  const lines = linesOf(text);
  if (lines.length > MAX_REMOVED_LINES) return [{ sign: '…', text: `${lines.length} lines are removed` }];
  return lines.map((line) => ({ sign: '-', text: line }));
}

/**
 * The removed and added lines of a change, with context.
 * @param {string} before
 * @param {string} after
 * @returns {Promise<DiffLine[]>} none if nothing differs or the diff is too long
 */
export async function lineDiff(before, after) {
  if (before.length + after.length > MAX_TEXT_CHARS) return [];
  const [old, now] = [before, after].map((text) => Buffer.from(text));
  const diff = /** @type {string} */ (unwrap(await native().unifiedDiff('file', old, now)));
  const start = diff.indexOf('\n@@ ');
  if (start < 0 || diff.endsWith(CUT)) return [];
  return linesOf(diff.slice(start + 1)).flatMap(hunkLine);
}

/**
 * @param {string} line of a hunk, or its heading
 * @returns {DiffLine[]}
 */
function hunkLine(line) {
  if (line.startsWith('@@ ')) return /^@@ -[01][, ]/.test(line) ? [] : [{ sign: '…', text: '' }];
  if (line.startsWith('\\')) return [{ sign: '…', text: 'no newline at end of file' }];
  return [{ sign: line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ', text: line.slice(1) }];
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
