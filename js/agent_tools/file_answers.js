/** Results of the file tools for models: pages, advice and line positions. */

import { firstThatFit, listPage, Page } from '../tool_shape/pages.js';

/** @typedef {import('../../index.js').SearchFilesResult} SearchFilesResult */

/**
 * @param {string[]} paths
 * @param {{ limit: number | undefined, after: string | undefined }} range
 * @returns {any} a page of paths
 */
export function pathsPage(paths, { limit, after }) {
  const rest = after === undefined ? paths : following(paths, after);
  const noted = (/** @type {{ shown: number, last: string | undefined }} */ { shown: count, last }) =>
    `[${count} of ${rest.length} paths. Continue with after: ${JSON.stringify(last)}, or list a subfolder.]`;
  return listPage(rest, noted, limit);
}

/**
 * @param {string[]} paths
 * @param {string} after
 */
function following(paths, after) {
  const at = paths.indexOf(after);
  // The file may have been removed since.
  return at >= 0 ? paths.slice(at + 1) : paths.filter((path) => path > after);
}

/**
 * The note at the end of a truncated list.
 * @param {string} advice
 */
export function fewer(advice) {
  return (/** @type {{ shown: number, total: number }} */ { shown, total }) => ({
    notice: `${shown} of ${total} are shown. ${advice}`,
  });
}

/**
 * @param {SearchFilesResult} found
 * @returns {any} a page of matches
 */
export function matchesPage(found) {
  return new Page((maxChars) => {
    const { kept, isWhole } = firstThatFit(found.matches, maxChars);
    if (isWhole) return found;
    const notice = `${kept.length} of ${found.matches.length} matches are shown. Narrow the search with glob or a longer pattern.`;
    return { ...found, matches: kept, truncated: true, notice };
  });
}

/**
 * @param {import('../../index.js').CheckResult} report
 * @returns {any} a page of findings
 */
export function findingsPage(report) {
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

/**
 * @param {import('../boundary/crossing.js').Patched} patched
 * @returns {Omit<import('../../index.js').PatchFileResult, 'success'>}
 */
export function patchReport({ line, ...patched }) {
  if (patched.matches === 1) return patched;
  const advice = `The text occurs ${patched.matches} times; only the first, at line ${line}, was changed. To change another one, include more of its surrounding lines in search, one occurrence at a time.`;
  return { ...patched, advice };
}

/**
 * Adds line numbers to the first block of a diff, unless it has them.
 * @param {string} diff
 * @param {number | undefined} start
 * @param {number | undefined} end
 */
export function withPlace(diff, start, end) {
  if (start === undefined) return diff;
  const head = [`:start_line:${start}`, ...(end === undefined ? [] : [`:end_line:${end}`]), '-------'].join('\n');
  return diff.replace(/^(<{5,}[ \t]*SEARCH[ \t]*\r?\n)(?!\s*:start_line:)/m, (marker) => `${marker}${head}\n`);
}
