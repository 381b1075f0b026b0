/**
 * `npm run bench -- compare <git ref>`: this tree against the build of another commit. `docs/benchmarks.md` explains the verdict.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StepFailed } from '../../tools/process.mjs';
import { loadPerCore, stolenTime, ticks, useBetween, warnings, watchIdle } from './machine.mjs';
import { jobsOf } from './metrics.mjs';
import { compareOptions, USAGE, UsageError } from './options.mjs';
import { JobFailed } from './probe_process.mjs';
import { MIN_ROUNDS } from './ratio.mjs';
import { compareMetrics, conclusion, needMoreRounds, reportTable } from './report.mjs';
import { Rounds } from './rounds.mjs';
import { buildCommit, buildCurrentTree, commitOf, commitTitle, currentTitle, FOLDER } from './trees.mjs';

/** No round starts after this time, unless `--rounds` sets their number. */
const LIMIT_MS = { full: 7 * 60_000, quick: 100_000 };
/** The share of the time for the first rounds; the rest is for repeated measurements. */
const FIRST_SHARE = 0.6;

/** @param {string} text */
const print = (text) => process.stdout.write(`${text}\n`);

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function compare(args) {
  try {
    const options = compareOptions(args);
    const commit = commitOf(options.ref);
    const load = loadPerCore();
    const trees = { fresh: buildCurrentTree(), base: buildCommit(commit) };
    return await compareTrees(trees, {
      ...options,
      load,
      titles: { base: commitTitle(commit), fresh: currentTitle() },
    });
  } catch (error) {
    const code =
      error instanceof UsageError ? 2 : error instanceof StepFailed || error instanceof JobFailed ? 3 : undefined;
    if (code === undefined) throw error;
    process.stderr.write(`${/** @type {Error} */ (error).message}\n${code === 2 ? `\n${USAGE}\n` : ''}`);
    return code;
  }
}

/**
 * @param {Record<import('./rounds.mjs').Side, string>} trees
 * @param {import('./options.mjs').CompareOptions & { load: number, titles: { base: string, fresh: string } }} options
 */
async function compareTrees(trees, { quick, rounds, limited, metrics, load, titles }) {
  print(`\nbase: ${titles.base}\nnew:  ${titles.fresh}`);
  const others = warnings(await watchIdle(), load);
  if (others.length > 0) print(`\nThe machine is not idle: ${others.join('; ')}. Expect wide intervals.`);
  const folder = mkdtempSync(join(tmpdir(), 'tgp-compare-'));
  try {
    const measured = new Rounds(trees, folder, quick);
    if (metrics.some(({ job }) => job === 'cold')) await measured.prepare();
    const [begun, from] = [performance.now(), ticks()];
    const limit = limited ? LIMIT_MS[quick ? 'quick' : 'full'] : Number.POSITIVE_INFINITY;
    await repeat(measured, metrics, { rounds, least: MIN_ROUNDS, until: begun + FIRST_SHARE * limit });
    const open = needMoreRounds(compareMetrics(metrics, measured.figures));
    if (open.length > 0) {
      print(`\nA second look at ${open.map(({ key }) => key).join(', ')}`);
      await repeat(measured, open, { rounds, least: 0, until: begun + limit });
    }
    return report(measured, metrics, {
      titles,
      seconds: (performance.now() - begun) / 1000,
      stolen: stolenTime(useBetween(from, ticks())),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Rounds} measured
 * @param {import('./metrics.mjs').Metric[]} metrics
 * @param {{ rounds: number, least: number, until: number }} how `least` rounds there are also when the time is over
 */
async function repeat(measured, metrics, { rounds, least, until }) {
  for (let round = 0; round < rounds; round++) {
    if (round >= least && performance.now() > until) {
      print(`  The time is over after ${round} of ${rounds} rounds.`);
      return;
    }
    const started = performance.now();
    await measured.measure(jobsOf(metrics));
    print(`  round ${round + 1} of ${rounds}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

/**
 * @param {Rounds} measured
 * @param {import('./metrics.mjs').Metric[]} metrics
 * @param {{ titles: { base: string, fresh: string }, seconds: number, stolen: string | undefined }} about
 */
function report({ figures, failures }, metrics, { titles, seconds, stolen }) {
  const rows = compareMetrics(metrics, figures);
  const { text, code } = conclusion(rows, failures);
  print(`\n${reportTable(rows)}\n`);
  if (stolen !== undefined) print(stolen);
  print(text);
  const file = join(FOLDER, 'last.json');
  mkdirSync(FOLDER, { recursive: true });
  const all = { date: new Date().toISOString(), ...titles, seconds, rows, failures, figures };
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
  print(`\nMeasured in ${Math.round(seconds)} s. The figures of each round: ${file}`);
  return code;
}
