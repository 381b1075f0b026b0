/** Formats test results as text: failures first, with bounded length. */

import type { TestCase, TestFileResult, TestResult } from '../../types/tests.js';

type TestReport = Omit<TestResult, 'text'>;

const MAX_FAILURES = 20;
const MAX_CHARS = 12_000;
const MAX_PART = 1_500;
const MAX_SPANS = 20;

/**
 * @param path of the requested tests
 * @param isHeld whether the caller must write tests first
 */
export function testText(path: string | undefined, result: TestReport, isHeld: boolean) {
  if (result.files.length === 0) return noTests(path);
  const failures = result.files.flatMap((file) => [
    ...(file.reason === undefined ? [] : [whole(file)]),
    ...file.cases.filter(({ ok }) => !ok).map((one) => failure(file.path, one)),
  ]);
  const shown: string[] = [];
  let room = MAX_CHARS;
  for (const text of failures.slice(0, MAX_FAILURES)) {
    if (text.length > room) break;
    shown.push(text);
    room -= text.length;
  }
  const left = failures.length - shown.length;
  if (left > 0) shown.push(`… and ${left} more.`);
  return [...shown, [...coverage(result), summary(result), ...doubts(result, isHeld)].join('\n')].join('\n\n');
}

function noTests(path: string | undefined) {
  const where = path === undefined ? 'tools/' : path;
  const meant = /^(?:\.?\/|tools(?:\/|$))/.test(where) ? '' : ` Did you mean tools/${where}?`;
  return `There are no tests in ${where}.${meant} Tests of tools/a/b.ts are in tools/a/b.test.ts: import { describe, expect, test } from '@tgp/std/test'.`;
}

function whole({ path, reason }: TestFileResult) {
  const at = reason?.line === undefined ? '' : ` at ${reason.file ?? path}:${reason.line}`;
  return `FAIL ${path} (${reason?.kind}${at})\n${indented(reason?.message ?? '')}`;
}

function failure(path: string, { name, line, at, message, diff }: TestCase) {
  const place = line === undefined ? path : `${path}:${line}`;
  return [
    `FAIL ${place} ${name}`,
    ...(message === undefined ? [] : [indented(message)]),
    ...(at === undefined ? [] : [indented(`at ${at}`)]),
    ...(diff === undefined ? [] : [indented(diff)]),
  ].join('\n');
}

function coverage({ files }: TestReport) {
  return files.flatMap(({ tool, coverage: report }) => {
    if (tool === undefined || report === undefined) return [];
    const { lines, uncovered } = report;
    const missing = uncovered.length === 0 ? '' : `; not ${spans(uncovered)}`;
    return [`${tool.path}: ${lines.covered} of ${lines.total} lines ran${missing}`];
  });
}

/**
 * Numbers as ranges: `3, 7-9`.
 * @param numbers in order
 */
function spans(numbers: number[]) {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  const shown = found.slice(0, MAX_SPANS).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return [...shown, ...(found.length > MAX_SPANS ? ['…'] : [])].join(', ');
}

const DOUBTS: Record<string, string | undefined> = {
  empty: 'it has no cases',
  left_out: 'cases are left out (skip, only, todo)',
  hollow: 'cases have no expectation',
  flaky: 'it passed and failed with the same content',
  vacuous: 'it passes without the tool',
};

/** Reasons that apply only to callers who must write tests first. */
const HELD: Record<string, string | undefined> = {
  unproven: 'it has never failed',
  weakened: 'cases that passed before were removed',
};

/** Tests that pass without being meaningful. */
function doubts({ files }: TestReport, isHeld: boolean) {
  return files.flatMap(({ path, ok, state }) => {
    const reason = (ok && state?.reason) || '';
    const doubt = DOUBTS[reason] ?? (isHeld ? HELD[reason] : undefined);
    return doubt === undefined ? [] : [`${path} passes and does not count as green: ${doubt}.`];
  });
}

function summary({ passed, failed, skipped, files }: TestReport) {
  const counts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return `${counts.join(', ')} in ${files.length} ${files.length === 1 ? 'file' : 'files'}.`;
}

function indented(text: string) {
  const cut = text.length > MAX_PART ? `${text.slice(0, MAX_PART).toWellFormed()}…` : text;
  return cut
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n');
}
