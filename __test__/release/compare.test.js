/** `npm run bench -- compare`: its decisions from given figures, without measurements. */

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readTicks, stolenTime, useBetween, warnings } from '../../benches/compare/machine.mjs';
import { JOBS, jobsOf, METRICS } from '../../benches/compare/metrics.mjs';
import { compareOptions, UsageError } from '../../benches/compare/options.mjs';
import { centre, compareRounds, intervalOfCentre, median, studentT, verdict } from '../../benches/compare/ratio.mjs';
import { compareMetrics, conclusion, needMoreRounds, reportTable } from '../../benches/compare/report.mjs';
import { Rounds, sliceOrder } from '../../benches/compare/rounds.mjs';
import { numbers } from '../../tools/statistics.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SEEDS = 25;

/** @param {number} seed a normal distribution */
function normal(seed) {
  const random = numbers(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Rounds of a shared machine: its speed drifts, every figure has noise of its own, and some were disturbed.
 * @param {{ seed: number, rounds: number, slowdown: number }} how
 */
function noisyRounds({ seed, rounds, slowdown }) {
  const [random, deviation] = [numbers(seed * 7919), normal(seed * 104729)];
  /** @type {[number[], number[]]} */
  const sides = [[], []];
  for (let round = 0; round < rounds; round++) {
    const speed = 0.5 + 0.3 * Math.sin(round / 3);
    for (const [at, factor] of [1, slowdown].entries()) {
      const disturbed = random() < 0.05 ? 1.5 : 1;
      sides[at]?.push(speed * factor * disturbed * Math.exp(0.05 * deviation()));
    }
  }
  return sides;
}

/** The verdicts of many comparisons: how often each. @param {number} slowdown @param {number} rounds */
function verdicts(slowdown, rounds) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (let seed = 1; seed <= SEEDS; seed++) {
    const compared = compareRounds(...noisyRounds({ seed, rounds, slowdown }));
    const name = compared === undefined ? 'nothing' : verdict(compared);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('the ratio', () => {
  it('is the centre of the ratios of rounds, independent of the speed of the machine in each', () => {
    const base = [1, 2, 4, 8, 16];
    const compared = compareRounds(
      base,
      base.map((value) => value * 1.25),
    );
    expect(compared).toMatchObject({ rounds: 5, base: 4, fresh: 5 });
    expect(compared?.ratio).toBeCloseTo(1.25);
    expect(compared?.low).toBeCloseTo(1.25);
    expect(compared?.high).toBeCloseTo(1.25);
  });

  it('skips rounds without figures of both builds, and is undefined without rounds', () => {
    expect(compareRounds([1, Number.NaN, 2], [1, 1, Number.NaN])?.rounds).toBe(1);
    expect(compareRounds([Number.NaN], [1])).toBeUndefined();
    expect(compareRounds([], [])).toBeUndefined();
  });

  it('is not affected by one disturbed round', () => {
    expect(centre([1, 1, 1, 1, 1, 1, 100])).toBe(1);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('has an interval that contains the true value in 95 of 100 comparisons, also with few rounds', () => {
    for (const rounds of [5, 12]) {
      let held = 0;
      for (let seed = 1; seed <= 100; seed++) {
        const deviation = normal(seed * 31);
        const [low, high] = intervalOfCentre(Array.from({ length: rounds }, deviation));
        if (low <= 0 && 0 <= high) held++;
      }
      expect(held, `${rounds} rounds`).toBeGreaterThan(88);
    }
    expect(studentT(4)).toBeCloseTo(2.776, 1);
    expect(studentT(15)).toBeCloseTo(2.131, 2);
  });

  it('has the same interval for the same figures', () => {
    const [base, fresh] = noisyRounds({ seed: 3, rounds: 8, slowdown: 1 });
    expect(compareRounds(base, fresh)).toEqual(compareRounds(base, fresh));
  });
});

describe('the verdict', () => {
  it.each([
    [{ rounds: 16, ratio: 1.15, low: 1.05, high: 1.25 }, 'LOSS'],
    [{ rounds: 16, ratio: 1.1, low: 1.001, high: 1.2 }, 'LOSS'],
    [{ rounds: 16, ratio: 1.3, low: 0.98, high: 1.7 }, 'unclear'],
    [{ rounds: 16, ratio: 1.09, low: 1.08, high: 1.099 }, 'no loss'],
    [{ rounds: 16, ratio: 1.0, low: 0.97, high: 1.12 }, 'unclear'],
    [{ rounds: 16, ratio: 0.8, low: 0.7, high: 0.9 }, 'gain'],
    [{ rounds: 16, ratio: 0.8, low: 0.6, high: 1.05 }, 'no loss'],
    [{ rounds: 4, ratio: 1.5, low: 1.4, high: 1.6 }, 'unclear'],
  ])('of %j is %s', (compared, expected) => {
    expect(verdict(compared)).toBe(expected);
  });

  it('finds a slowdown of 15 % in the noise of a shared machine', () => {
    // As many rounds as a full comparison has with its repetition.
    expect(verdicts(1.15, 32).LOSS).toBeGreaterThanOrEqual(SEEDS - 1);
  });

  it('finds no loss and no gain between equal builds', () => {
    for (const rounds of [5, 16, 32]) {
      const { LOSS = 0, gain = 0 } = verdicts(1, rounds);
      expect([LOSS, gain], `${rounds} rounds`).toEqual([0, 0]);
    }
  });
});

describe('the report', () => {
  const [first, second] = METRICS;
  /** @param {number} times */
  const figures = (times) => ({ base: [1, 1, 1, 1, 1, 1], fresh: [1, 1, 1, 1, 1, 1].map((value) => value * times) });

  it('ends with 1 for a loss, and repeats metrics with a possible loss', () => {
    const rows = compareMetrics(METRICS, { [first?.key ?? '']: figures(1.2), [second?.key ?? '']: figures(1) });
    expect(rows.map(({ verdict }) => verdict)).toEqual(['LOSS', 'no loss']);
    expect(needMoreRounds(rows).map(({ key }) => key)).toEqual([first?.key]);
    expect(conclusion(rows, [])).toMatchObject({ code: 1, text: expect.stringContaining(first?.key ?? '') });
    expect(reportTable(rows)).toMatch(/1 ms +\| 1\.2 ms +\| 1\.200 +\| 1\.200 to 1\.200 +\| 6 +\| LOSS/);
  });

  it('ends with 0 if a commit is compared with itself', () => {
    const rows = compareMetrics(METRICS, Object.fromEntries(METRICS.map(({ key }) => [key, figures(1)])));
    expect(rows).toHaveLength(METRICS.length);
    expect(conclusion(rows, [])).toEqual({ code: 0, text: 'No loss was found.' });
  });

  it('ends with 3 if the new build cannot be measured, and reports a job that the base cannot do', () => {
    const rows = compareMetrics(METRICS, { [first?.key ?? '']: figures(1) });
    expect(conclusion(rows, [{ job: 'check', side: 'fresh', why: 'x' }]).code).toBe(3);
    expect(conclusion(rows, [{ job: 'check', side: 'base', why: 'x' }])).toMatchObject({
      code: 0,
      text: expect.stringContaining('the base cannot do "check"'),
    });
    expect(conclusion([], []).code).toBe(3);
  });
});

describe('the arguments', () => {
  it('are a commit, options and names of metrics', () => {
    expect(compareOptions(['main~1'])).toMatchObject({ ref: 'main~1', quick: false, rounds: 16, limited: true });
    expect(compareOptions(['v1', '--quick'])).toMatchObject({ quick: true, rounds: 5 });
    const { metrics, rounds, limited } = compareOptions(['--rounds', '7', 'v1', 'warm', 'pss']);
    expect(metrics.map(({ key }) => key)).toEqual(['warm_run', 'host_pss', 'worker_pss']);
    expect([rounds, limited]).toEqual([7, false]);
    expect(jobsOf(metrics)).toEqual(['warm', 'memory']);
    expect(jobsOf(METRICS)).toEqual(Object.keys(JOBS));
  });

  it.each([[], ['v1', '--fast'], ['v1', '--rounds', '1'], ['v1', '--rounds', 'many'], ['v1', 'unheard_of']])(
    'are refused: %j',
    (...args) => {
      expect(() => compareOptions(args.filter((arg) => arg !== undefined))).toThrow(UsageError);
    },
  );

  it('end the command with 2 and the usage if they are invalid', async () => {
    for (const args of [[], ['no-such-commit'], ['HEAD', '--fast']]) {
      const ended = promisify(execFile)(process.execPath, ['benches/run.mjs', 'compare', ...args], { cwd: ROOT });
      await expect(ended).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: npm run bench') });
    }
  });
});

describe('the machine', () => {
  it('is not idle if other processes use it or its hypervisor steals time', () => {
    const [from, to] = ['cpu  10 0 10 80 0 0 0 0 0 0\ncpu0 1', 'cpu  40 0 20 120 10 0 0 10 0 0\n'].map(readTicks);
    const use = useBetween(from, to);
    expect(use).toEqual({ busy: expect.closeTo(0.4), stolen: expect.closeTo(0.1) });
    expect(warnings(use, 1.5)).toHaveLength(3);
    expect(warnings({ busy: 0.01, stolen: 0 }, 0.1)).toEqual([]);
    expect(stolenTime(use)).toContain('10 %');
    expect(stolenTime({ busy: 1, stolen: 0 })).toBeUndefined();
    expect(warnings(useBetween(undefined, undefined), 0)).toEqual([]);
  });
});

describe('the rounds', () => {
  it('report a build that does not start', async () => {
    const folder = await tempRoot();
    const rounds = new Rounds({ base: join(folder, 'none'), fresh: ROOT }, folder, true);
    await expect(rounds.prepare()).rejects.toThrow(/^The base does not start: .*ENOENT/);
  });

  it('give both builds each position equally often', () => {
    expect(sliceOrder(0, 2)).toEqual(['base', 'fresh', 'fresh', 'base']);
    expect(sliceOrder(1, 2)).toEqual(['fresh', 'base', 'base', 'fresh']);
    expect(sliceOrder(0, 1)).toEqual(['base', 'fresh']);
    expect(sliceOrder(1, 1)).toEqual(['fresh', 'base']);
  });

  /** A package that adds one. @param {string} checked the result of `check_tool` */
  async function stubTree(checked) {
    const tree = await tempRoot();
    const source = `export class TGP {
      async exec(path, { n } = {}) { return { result: n === undefined ? 300 : n + 1 }; }
      async shutdown() {}
    }
    export const tgpTools = () => ({ write_file: { execute: async () => ({}) }, check_tool: { execute: async () => ${checked} } });`;
    await writeFile(join(tree, 'package.json'), '{ "type": "module" }');
    await writeFile(join(tree, 'index.js'), source);
    return tree;
  }

  it('measure each metric of both builds, and skip a job that one of them cannot do', async () => {
    const folder = await tempRoot();
    const base = await stubTree('Promise.reject(new Error("no check here"))');
    const trees = { base, fresh: await stubTree('({ valid: true })') };
    const rounds = new Rounds(trees, folder, true);
    await rounds.prepare();
    for (let round = 0; round < 2; round++) await rounds.measure(jobsOf(METRICS));
    expect(rounds.failures).toEqual([{ job: 'check', side: 'base', why: 'Error: no check here' }]);
    const linux = process.platform === 'linux';
    const measured = METRICS.filter(({ key }) => key !== 'check').map(({ key }) => key);
    for (const key of measured) {
      expect(rounds.figures[key]?.base, key).toHaveLength(2);
      expect(rounds.figures[key]?.fresh, key).toHaveLength(2);
      if (linux)
        expect(
          rounds.figures[key]?.fresh.every((value) => value >= 0),
          key,
        ).toBe(true);
    }
  });
});
