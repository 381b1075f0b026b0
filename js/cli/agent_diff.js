/** What a call would change, as lines that a person reads before saying yes. */

import { unwrap } from '../boundary/errors.js';
import { native } from '../boundary/native.js';
import { visibleLine } from '../kernel/request_text.js';

/**
 * @typedef {import('../kernel/request_text.js').RequestLine} DiffLine
 * @typedef {{ covers: string[], lines: DiffLine[] }} ShownChange lines, and the arguments that they say all of
 * @typedef {(path: string) => Promise<string>} ReadText the text of a file as it is; none is empty
 */

/** Longer texts are shown as they are. */
const MAX_TEXT_CHARS = 1_000_000;
/** How a diff ends that is too long to be whole. */
const CUT = '\n[truncated]\n';
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
 * @returns {Promise<ShownChange>}
 */
async function covering(covers, before, after) {
  const lines = await lineDiff(before, after);
  return lines.length === 0 ? NO_CHANGE : { covers, lines };
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
 * @returns {Promise<DiffLine[]>} none where nothing differs, or not all of it can be shown
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
  if (line.startsWith('\\')) return [{ sign: '…', text: 'without a line end' }];
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
