/**
 * @typedef {import('../../index.js').CheckResult} CheckResult
 * @typedef {Omit<import('../boundary/crossing.js').CheckReport, 'types'>} NativeReport
 * @typedef {{ line: number, column: number, endLine: number, endColumn: number }} Place
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
  // What a rule has found to be an error at the same place says it better, and with what to write instead.
  const told = new Set(report.diagnostics.filter(({ severity }) => severity === 'error').map(placeOf));
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
