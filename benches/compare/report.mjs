/** The table and the conclusion of a comparison. */

import { table } from '../../tools/markdown_table.mjs';
import { shown } from '../tables.mjs';
import { compareRounds, LOSS, verdict } from './ratio.mjs';

/**
 * @typedef {import('./metrics.mjs').Metric} Metric
 * @typedef {Metric & import('./ratio.mjs').Compared & { verdict: import('./ratio.mjs').Verdict }} Row
 */

/**
 * @param {Metric[]} metrics
 * @param {import('./rounds.mjs').Figures} figures
 * @returns {Row[]} of those that both builds have figures for
 */
export function compareMetrics(metrics, figures) {
  return metrics.flatMap((metric) => {
    const compared = compareRounds(figures[metric.key]?.base ?? [], figures[metric.key]?.fresh ?? []);
    return compared === undefined ? [] : [{ ...metric, ...compared, verdict: verdict(compared) }];
  });
}

/** Losses, and what may be one: they are measured again, and all rounds count together. @param {Row[]} rows */
export const needMoreRounds = (rows) => rows.filter(({ verdict }) => verdict === 'LOSS' || verdict === 'unclear');

/** @param {number} ratio */
const times = (ratio) => (Number.isFinite(ratio) ? ratio.toFixed(3) : '');

/** @param {Row[]} rows */
export function reportTable(rows) {
  const head = ['metric', 'base', 'new', 'new / base', '95 % interval', 'rounds', 'verdict'];
  return table(
    head,
    rows.map(({ title, unit, base, fresh, ratio, low, high, rounds, verdict }) => [
      title,
      `${shown(base)} ${unit}`,
      `${shown(fresh)} ${unit}`,
      times(ratio),
      rounds < 2 ? '' : `${times(low)} to ${times(high)}`,
      String(rounds),
      verdict,
    ]),
  );
}

/**
 * @param {Row[]} rows
 * @param {import('./rounds.mjs').Failure[]} failures
 * @returns {{ text: string, code: 0 | 1 | 3 }}
 */
export function conclusion(rows, failures) {
  const named = (/** @type {string} */ wanted) =>
    rows.filter(({ verdict }) => verdict === wanted).map(({ key }) => key);
  const [losses, unclear, gains] = [named('LOSS'), named('unclear'), named('gain')];
  const broken = failures.filter(({ side }) => side === 'fresh');
  const lines = failures.map(({ job, side, why }) =>
    side === 'base'
      ? `Not compared: the base cannot do "${job}" (${why}).`
      : `FAILED: the new build cannot do "${job}" (${why}).`,
  );
  if (gains.length > 0) lines.push(`Better: ${gains.join(', ')}.`);
  if (unclear.length > 0) {
    lines.push(
      `Unclear: ${unclear.join(', ')}. The interval reaches ${times(LOSS)}; repeat with --rounds on an idle machine.`,
    );
  }
  if (losses.length > 0) lines.push(`Loss of ${Math.round(100 * (LOSS - 1))} % or more: ${losses.join(', ')}.`);
  else if (broken.length === 0 && rows.length > 0) lines.push('No loss was found.');
  if (rows.length === 0) lines.push('Nothing could be compared.');
  return { text: lines.join('\n'), code: losses.length > 0 ? 1 : broken.length > 0 || rows.length === 0 ? 3 : 0 };
}
