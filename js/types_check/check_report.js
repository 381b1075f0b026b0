/** Merges the findings of the rules and the type checker. */

/**
 * @typedef {import('../../index.js').CheckResult} CheckResult
 * @typedef {Omit<import('../boundary/crossing.js').CheckReport, 'types'>} NativeReport
 * @typedef {{ line: number, column: number, endLine: number, endColumn: number }} Place
 */

/** Rules with a better message than the type checker's finding at the same position. */
const PREFERRED_RULES = ['no-forbidden-globals', 'missing-export'];

/**
 * One report of the findings of the rules and the type checker, in source order.
 * @param {string} path
 * @param {NativeReport} report
 * @param {import('./type_checker.js').Outcome} types
 * @returns {CheckResult}
 */
export function withTypes(path, report, types) {
  if ('notice' in types) return { ...report, typesChecked: false, notice: types.notice };
  const covered = new Set(report.diagnostics.filter(({ rule }) => PREFERRED_RULES.includes(rule)).map(placeOf));
  const others = types.diagnostics.filter((found) => !covered.has(placeOf(found)));
  const diagnostics = [...report.diagnostics, ...others].sort(
    (left, right) => left.line - right.line || left.column - right.column,
  );
  const errors = diagnostics
    .filter((found) => found.severity === 'error')
    .map((found) => `${path}:${found.line}:${found.column}: ${found.message}`);
  return { valid: errors.length === 0, errors, diagnostics, typesChecked: true };
}

/** @param {Place} found */
function placeOf({ line, column, endLine, endColumn }) {
  return `${line}:${column}:${endLine}:${endColumn}`;
}
