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
  // Of a name that does not exist the rule says it better, and with what to use instead.
  const told = new Set(report.diagnostics.filter(({ rule }) => rule === 'no-forbidden-globals').map(placeOf));
  const isTold = (/** @type {{ message: string } & Place} */ found) =>
    found.message.startsWith('Cannot find name') && told.has(placeOf(found));
  const untold = types.diagnostics.filter((found) => !isTold(found));
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
