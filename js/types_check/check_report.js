/**
 * @typedef {import('../../index.js').CheckResult} CheckResult
 * @typedef {Omit<import('../boundary/crossing.js').CheckReport, 'types'>} NativeReport
 * @typedef {{ line: number, column: number, endLine: number, endColumn: number }} Place
 */

/** Rules that find what the type checker finds at the same place, and say what to write instead. */
const SAY_IT_BETTER = ['no-forbidden-globals', 'missing-export'];

/**
 * What the rules and the type checker found, as one report in the order of the source.
 * @param {string} path
 * @param {NativeReport} report
 * @param {import('./type_checker.js').Outcome} types
 * @returns {CheckResult}
 */
export function withTypes(path, report, types) {
  if ('notice' in types) return { ...report, typesChecked: false, notice: types.notice };
  const told = new Set(report.diagnostics.filter(({ rule }) => SAY_IT_BETTER.includes(rule)).map(placeOf));
  const untold = types.diagnostics.filter((found) => !told.has(placeOf(found)));
  const diagnostics = [...report.diagnostics, ...untold].sort(
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
