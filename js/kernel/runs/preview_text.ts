/** Formats the preview of a dry run as text, for people and models. */

import type { Moved } from '../../boundary/crossing.js';
import type { DryRunResult } from '../../types/dry_run.js';

/** Maximum lengths of the text and its parts. */
const MAX_CHARS = 12_000;
const MAX_DIFF = 4_000;
const MAX_LINE = 300;
const MAX_LISTED = 20;

type Preview = Omit<DryRunResult, 'text' | 'dryRun'>;

/** @param more how many refusals are not listed, and the answer of a file write */
export function previewText(
  { diffs, sql, requests, calls, stopped, result }: Preview,
  { leftOut = 0, written = {} }: { leftOut?: number; written?: Partial<Moved> } = {},
) {
  const refused = requests.length + calls.length + leftOut;
  const changes = diffs.length + sql.length + refused;
  const parts = ['This is a dry run: nothing was changed.'];
  if (changes === 0 && stopped === undefined) parts.push('The call would change nothing.');
  if (diffs.length > 0)
    parts.push(`${files(diffs.length)} would change:`, ...listed(diffs.map(({ diff }) => shortDiff(diff.trimEnd()))));
  if (sql.length > 0) {
    parts.push(
      'SQL that was run and rolled back:',
      ...listed(sql.map((statement) => `- ${oneLine(statement.sql)} (${effectOf(statement)})`)),
    );
  }
  if (refused > 0) {
    parts.push(
      'Refused by the dry run, and not done:',
      ...listed(
        [
          ...requests.map(({ method, url }) => `- ${oneLine(`${method} ${url}`)}`),
          ...calls.map(({ name, args }) => `- ${oneLine(`tgp.${name}(${args.map(shown).join(', ')})`)}`),
        ],
        leftOut,
      ),
    );
  }
  parts.push(...reportOf(written));
  if (result !== undefined) parts.push(`Its result: ${oneLine(shown(result))}`);
  if (stopped !== undefined) {
    parts.push(`It stopped there: ${oneLine(stopped.message)} [${stopped.code}]`);
  } else if (refused > 0) {
    parts.push('After a refusal, a real run may behave differently.');
  }
  return bounded(parts.join('\n'));
}

/** Findings and notes about files that would be written. */
function reportOf({ findings = [], problem, relinked = [], mentions = [], similar = [] }: Partial<Moved>) {
  return [
    ...findings.map((finding) => `Finding: ${oneLine(finding)}`),
    ...(problem === undefined ? [] : [oneLine(problem)]),
    ...(relinked.length > 0 ? [`Imports would follow in ${relinked.join(', ')}.`] : []),
    ...(mentions.length > 0 ? [`Still name the path as text: ${mentions.join(', ')}.`] : []),
    ...(similar.length > 0 ? [`Do the same job: ${similar.map(({ path }) => path).join(', ')}.`] : []),
  ];
}

/**
 * The first lines of a list, and the number of the others.
 * @param more that are not in it
 */
function listed(lines: string[], more = 0) {
  const rest = Math.max(0, lines.length - MAX_LISTED) + more;
  return [...lines.slice(0, MAX_LISTED), ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

function shortDiff(diff: string) {
  if (diff.length <= MAX_DIFF) return diff;
  const end = diff.lastIndexOf('\n', MAX_DIFF);
  return `${diff.slice(0, end > 0 ? end : MAX_DIFF).toWellFormed()}\n[${diff.length} characters in total]`;
}

function effectOf({ affected, mayWrite }: Preview['sql'][number]) {
  return mayWrite ? 'calls a function that may write' : rows(affected);
}

function rows(count: number) {
  return count === 1 ? '1 row' : `${count} rows`;
}

function files(count: number) {
  return count === 1 ? 'One file' : `${count} files`;
}

function shown(value: unknown) {
  return JSON.stringify(value) ?? 'undefined';
}

function oneLine(text: string) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line;
}

function bounded(text: string) {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS).toWellFormed()}\n[${text.length} characters in total; the full lists are in the preview]`;
}
