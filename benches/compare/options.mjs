/** The arguments of `npm run bench -- compare`. */

import { parseArgs } from 'node:util';
import { METRICS } from './metrics.mjs';

export const USAGE = `Usage: npm run bench -- compare <git ref> [--quick] [--rounds N] [name…]

Measures this tree against the build of another commit, in alternation.

  <git ref>    the commit to compare with: a hash, a tag, main~3
  --quick      fewer and shorter rounds: two minutes instead of eight
  --rounds N   rounds, 2 to 200, however long they take; fewer than 5 decide nothing. Without it 16, or 5 with --quick
  name…        only metrics whose name contains one of these:
               ${METRICS.map(({ key }) => key).join(', ')}

Exit code 0: no loss was found. 1: a metric is at least 10 % worse, and its 95 % interval lies above 1. 2: wrong usage.
3: a tree could not be built or measured.`;

const ROUNDS = { full: 16, quick: 5 };
const [MIN_ROUNDS, MAX_ROUNDS] = [2, 200];

/** The arguments are not valid; the message has the reason. */
export class UsageError extends Error {}

/** @typedef {{ ref: string, quick: boolean, rounds: number, limited: boolean, metrics: import('./metrics.mjs').Metric[] }} CompareOptions `limited`: no round starts after the time of the mode */

/**
 * @param {string[]} args
 * @returns {CompareOptions}
 */
export function compareOptions(args) {
  const { values, positionals } = parsed(args);
  const [ref, ...names] = positionals;
  if (ref === undefined) throw new UsageError('The commit to compare with is missing.');
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds >= MIN_ROUNDS && rounds <= MAX_ROUNDS)) {
    throw new UsageError(`--rounds is not valid: ${values.rounds}. Use ${MIN_ROUNDS} to ${MAX_ROUNDS}.`);
  }
  const unknown = names.filter((name) => !METRICS.some(({ key }) => key.includes(name)));
  if (unknown.length > 0) throw new UsageError(`No metric has "${unknown.join('" or "')}" in its name.`);
  return {
    ref,
    quick: values.quick,
    rounds: rounds ?? (values.quick ? ROUNDS.quick : ROUNDS.full),
    limited: rounds === undefined,
    metrics: METRICS.filter(({ key }) => names.length === 0 || names.some((name) => key.includes(name))),
  };
}

/** @param {string[]} args */
function parsed(args) {
  try {
    return parseArgs({
      args,
      options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' } },
      allowPositionals: true,
    });
  } catch (error) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    throw new UsageError(message);
  }
}
