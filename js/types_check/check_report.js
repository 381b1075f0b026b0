/**
 * @typedef {import('../../index.js').CheckResult} CheckResult
 * @typedef {Omit<import('../boundary/crossing.js').CheckReport, 'types'>} NativeReport
 */

/**
 * What the rules and the type checker found, as one report in the order of the source.
 * @param {string} path
 * @param {NativeReport} report
 * @param {import('./type_checker.js').Outcome} types
 * @returns {CheckResult}
 */
export function withTypes(path, report, types) {
  if ('notice' in types) return { ...report, typesChecked: false, notice: types.notice };
  const diagnostics = [...report.diagnostics, ...types.diagnostics].sort(
    (left, right) => left.line - right.line || left.column - right.column,
  );
  const errors = diagnostics
    .filter((found) => found.severity === 'error')
    .map((found) => `${path}:${found.line}:${found.column}: ${found.message}`);
  return { valid: errors.length === 0, errors, diagnostics, typesChecked: true };
}
