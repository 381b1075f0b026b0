/** Merges the findings of the rules and the type checker. */

import type { CheckReport } from '../boundary/crossing.js';
import type { CheckResult } from '../types/kernel.js';
import type { Outcome } from './type_checker.js';

type NativeReport = Omit<CheckReport, 'types'>;
type Place = { line: number; column: number; endLine: number; endColumn: number };

/** Rules with a better message than the type checker's finding at the same position. */
const PREFERRED_RULES = ['no-forbidden-globals', 'missing-export'];

/** One report of the findings of the rules and the type checker, in source order. */
export function withTypes(path: string, report: NativeReport, types: Outcome): CheckResult {
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

function placeOf({ line, column, endLine, endColumn }: Place) {
  return `${line}:${column}:${endLine}:${endColumn}`;
}
