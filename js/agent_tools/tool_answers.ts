/** Results of the kernel tools for models: pages, advice and line positions. */

import type { Patched } from '../boundary/crossing.js';
import { firstThatFit, listPage, Page } from '../tool_shape/pages.js';
import { beginning, jsonLength } from '../tool_shape/preview.js';
import type { CheckResult } from '../types/kernel.js';
import type { TestResult } from '../types/tests.js';
import type { PatchFileResult, QueryGraphResult, SearchFilesResult } from '../types/tools.js';

/** The page of `list_files`: as many paths as fit, after a given one. */
export function pathsPage(
  paths: string[],
  { limit, after }: { limit: number | undefined; after: string | undefined },
): Page {
  const rest = after === undefined ? paths : following(paths, after);
  const noted = ({ shown: count, last }: { shown: number; last: string | undefined }) =>
    `[${count} of ${rest.length} paths. Continue with after: ${JSON.stringify(last)}, or list a subfolder.]`;
  return listPage(rest, noted, limit);
}

function following(paths: string[], after: string) {
  const at = paths.indexOf(after);
  // The file may have been removed since.
  return at >= 0 ? paths.slice(at + 1) : paths.filter((path) => path > after);
}

/** The note at the end of a truncated list. */
export function fewer(advice: string) {
  return ({ shown, total }: { shown: number; total: number }) => ({
    notice: `${shown} of ${total} are shown. ${advice}`,
  });
}

/** The page of `search_files`: as many matches as fit. */
export function matchesPage(found: SearchFilesResult): Page {
  return new Page((maxChars) => {
    const { kept, isWhole } = firstThatFit(found.matches, maxChars);
    if (isWhole) return found;
    const notice = `${kept.length} of ${found.matches.length} matches are shown. Narrow the search with glob or a longer pattern.`;
    return { ...found, matches: kept, truncated: true, notice };
  });
}

/** The page of `query_graph`: as many rows or commits as fit, or the beginning of each list of an impact. */
export function graphPage(answer: QueryGraphResult): Page {
  return new Page((maxChars) => {
    if (jsonLength(answer, maxChars) <= maxChars) return answer;
    if ('results' in answer) {
      const { results } = answer;
      const { kept } = firstThatFit(results, maxChars);
      const notice = `${kept.length} of ${results.length} rows are shown. Return fewer columns, or add conditions, LIMIT or SKIP.`;
      return { results: kept, notice };
    }
    if ('history' in answer) {
      const { kept } = firstThatFit(answer.history, maxChars);
      return { history: kept, notice: `${kept.length} of ${answer.history.length} commits are shown, the newest.` };
    }
    const { importers, callers, tests, runs, ...rest } = answer;
    const some = (items: unknown[]) => firstThatFit(items, maxChars / 5).kept;
    const counts = `${importers.length} importers, ${callers.length} callers, ${tests.length} tests`;
    const notice = `There are ${counts}; the nearest are shown.`;
    const shown = { importers: some(importers), callers: some(callers), tests: some(tests), runs: some(runs) };
    return { ...rest, ...shown, truncated: true, notice };
  });
}

/** The page of `check_tool`: as many errors and findings as fit. */
export function findingsPage(report: CheckResult): Page {
  return new Page((maxChars) => {
    // Errors are in the result twice, as text and as data.
    const errors = firstThatFit(report.errors, maxChars / 4);
    const diagnostics = firstThatFit(report.diagnostics, maxChars / 2);
    if (errors.isWhole && diagnostics.isWhole) return report;
    const truncation = `${diagnostics.kept.length} of ${report.diagnostics.length} findings are shown. Fix these and check again.`;
    const notice = report.notice === undefined ? truncation : `${report.notice} ${truncation}`;
    return { ...report, errors: errors.kept, diagnostics: diagnostics.kept, notice };
  });
}

/** A page of cases, those that failed first. */
export function testPage({ files: _, text, cases, tests, ...rest }: TestResult): Page {
  return new Page((maxChars) => {
    const answer = { ...rest, text, cases, tests };
    if (jsonLength(answer, maxChars) <= maxChars) return answer;
    const sorted = [...cases.filter(({ ok }) => !ok), ...cases.filter(({ ok }) => ok)];
    const shown = firstThatFit(sorted, maxChars / 4).kept;
    const notice = `${shown.length} of ${cases.length} cases are shown, those that failed first. Test one tool at a time.`;
    return {
      ...rest,
      text: beginning(text, maxChars / 4),
      cases: shown,
      tests: firstThatFit(tests, maxChars / 8).kept,
      notice,
    };
  });
}

/** The result of `patch_file`, with advice if the text occurs more than once. */
export function patchReport({ line, ...patched }: Patched): Omit<PatchFileResult, 'success'> {
  if (patched.matches === 1) return patched;
  const advice = `The text occurs ${patched.matches} times; only the first, at line ${line}, was changed. To change another one, include more of its surrounding lines in search, one occurrence at a time.`;
  return { ...patched, advice };
}

/** Adds line numbers to the first block of a diff, unless it has them. */
export function withPlace(diff: string, start: number | undefined, end: number | undefined) {
  if (start === undefined) return diff;
  const head = [`:start_line:${start}`, ...(end === undefined ? [] : [`:end_line:${end}`]), '-------'].join('\n');
  return diff.replace(/^(<{5,}[ \t]*SEARCH[ \t]*\r?\n)(?!\s*:start_line:)/m, (marker) => `${marker}${head}\n`);
}
