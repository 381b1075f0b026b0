/** The change that a call would make, as diff lines for the approval question. */

import { native } from '../../boundary/native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type { RequestLine as DiffLine } from '../../kernel/approvals/request_text.js';
import { visibleLine } from '../../kernel/approvals/request_text.js';
import { agentToolRow } from '../../tool_shape/agent_tool_table.js';
import type { ApprovalRequest } from '../../types/policy.js';

/** The lines, and the arguments that they show in full. */
type ShownChange = { covers: string[]; lines: DiffLine[] };
/** Reads the current text of a file; empty if there is no file. */
export type ReadText = (path: string) => Promise<string>;

/** Texts longer than this get no diff. */
const MAX_TEXT_CHARS = 1_000_000;
/** The last line of a truncated diff. */
const CUT = '\n[truncated]\n';
/** A removed file with more lines is summarised by its line count. */
const MAX_REMOVED_LINES = 400;

/** @returns no lines if the arguments show the change already */
export async function changeOf(
  request: Pick<ApprovalRequest, 'tool' | 'path' | 'args'>,
  read: ReadText,
): Promise<ShownChange> {
  const { covers, lines } = await changeIn(request, read);
  return { covers, lines: lines.map(({ sign, text }) => ({ sign, text: visibleLine(text) })) };
}

async function changeIn(
  { tool, path, args }: Pick<ApprovalRequest, 'tool' | 'path' | 'args'>,
  read: ReadText,
): Promise<ShownChange> {
  const values: Record<string, unknown> = typeof args === 'object' && args !== null ? args : {};
  const text = (name: string) => (typeof values[name] === 'string' ? String(values[name]) : undefined);
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
  const name = agentToolRow(tool)?.lines;
  const whole = name === undefined ? undefined : text(name);
  if (name === undefined || whole === undefined || whole.length > MAX_TEXT_CHARS) return NO_CHANGE;
  const lines = linesOf(whole);
  return {
    covers: [name],
    lines: lines.map((line) => (tool === 'apply_diff' ? signed(line) : { sign: ' ', text: line })),
  };
}

const NO_CHANGE: ShownChange = { covers: [], lines: [] };

/** A diff that replaces arguments in the display; no change if there is no complete diff. */
async function covering(covers: string[], before: string, after: string): Promise<ShownChange> {
  const lines = await lineDiff(before, after);
  return lines.length === 0 ? NO_CHANGE : { covers, lines };
}

/** @param text of the removed file */
function removedLines(text: string): DiffLine[] {
  if (text.length > MAX_TEXT_CHARS) return [{ sign: '…', text: `${text.length} characters are removed` }];
  const lines = linesOf(text);
  if (lines.length > MAX_REMOVED_LINES) return [{ sign: '…', text: `${lines.length} lines are removed` }];
  return lines.map((line) => ({ sign: '-', text: line }));
}

/**
 * The removed and added lines of a change, with context.
 * @returns none if nothing differs or the diff is too long
 */
export async function lineDiff(before: string, after: string): Promise<DiffLine[]> {
  if (before.length + after.length > MAX_TEXT_CHARS) return [];
  const [old, now] = [before, after].map((text) => Buffer.from(text));
  const diff = unwrap(await native().unifiedDiff('file', old, now)) as string;
  const start = diff.indexOf('\n@@ ');
  if (start < 0 || diff.endsWith(CUT)) return [];
  return linesOf(diff.slice(start + 1)).flatMap(hunkLine);
}

/** @param line of a hunk, or its heading */
function hunkLine(line: string): DiffLine[] {
  if (line.startsWith('@@ ')) return /^@@ -[01][, ]/.test(line) ? [] : [{ sign: '…', text: '' }];
  if (line.startsWith('\\')) return [{ sign: '…', text: 'no newline at end of file' }];
  return [{ sign: line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ', text: line.slice(1) }];
}

/** @param line of a diff */
function signed(line: string): DiffLine {
  const [sign] = line;
  if (sign === '+' || sign === '-') return { sign, text: line.slice(1) };
  return { sign: ' ', text: line };
}

function linesOf(text: string) {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}
