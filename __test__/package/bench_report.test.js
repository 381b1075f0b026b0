import { describe, expect, it } from 'vitest';
import { charts } from '../../benches/charts.mjs';
import { shown, withFigures } from '../../benches/tables.mjs';
import { table } from '../../tools/markdown_table.mjs';
import { numbers, percentile, slope, summary } from '../../tools/statistics.mjs';
import { lineChart, ticks } from '../../tools/svg.mjs';

/** @param {Record<string, import('../../benches/record.mjs').Recorded[]>} measures */
const results = (measures) => ({
  quick: false,
  machine: { cpu: 'A processor', cores: 2, memoryGb: 8, system: 'Linux 6' },
  versions: { tgp: '1', node: '20', v8: '11', git: '2', commit: 'abc' },
  benches: Object.fromEntries(
    Object.entries(measures).map(([name, rows]) => [
      name,
      { date: '2026-11-16T12:00:00Z', seconds: 3, load: '0.10', failed: false, measures: rows },
    ]),
  ),
});

const SANDBOX = { name: '@tgp/core, process', group: 'turns of 25', unit: 'ms', ...summary([0.2, 0.3, 0.4]) };
const MATRIX = { name: 'peer <1> & "co"', group: 'answer', facts: { ok: 3, 'host died': 1, 'n/a': 0, bombs: 4 } };

describe('the summary of measurements', () => {
  it('has the median, the tail, and an interval that contains the median of the distribution', () => {
    let covered = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const random = numbers(seed);
      // An exponential distribution, as is typical of durations: its median is ln 2.
      const values = Array.from({ length: 200 }, () => -Math.log(1 - random()));
      const { low, high, median, n, p99 } = summary(values);
      expect(n).toBe(200);
      expect(low).toBeLessThanOrEqual(median);
      expect(high).toBeGreaterThanOrEqual(median);
      expect(p99).toBeGreaterThan(high);
      if (low <= Math.LN2 && Math.LN2 <= high) covered++;
    }
    expect(covered).toBeGreaterThan(85);
  });

  it('is deterministic, and equals the value for a single one', () => {
    const values = Array.from({ length: 50 }, (_, at) => (at * 7919) % 101);
    expect(summary(values)).toEqual(summary(values));
    expect(summary([3])).toMatchObject({ n: 1, median: 3, low: 3, high: 3, p99: 3 });
    expect(percentile([5, 1, 3], 0.5)).toBe(3);
  });

  it('has a slope', () => {
    expect(
      slope([
        [0, 1],
        [1, 3],
        [2, 5],
      ]),
    ).toBeCloseTo(2);
    expect(
      slope([
        [1, 1],
        [1, 5],
      ]),
    ).toBe(0);
  });
});

describe('the documents', () => {
  it('get the figures between their markers, and stay the same when written again', () => {
    const measured = results({ warm_exec: [SANDBOX], kill_matrix: [MATRIX] });
    const once = withFigures('# Page\n\nText.\n', measured);
    expect(once).toContain('| @tgp/core, process | 0.3 ms');
    expect(once).toContain('| peer <1> & "co"');
    expect(withFigures(once, measured)).toBe(once);
    expect(withFigures(once, measured, ['warm_run.svg'])).toContain('(charts/warm_run.svg)');
    expect(once).not.toContain('charts/');
    const later = withFigures(`${once}\n## After\n`, results({ warm_exec: [{ ...SANDBOX, median: 7 }] }));
    expect(later).toContain('Text.');
    expect(later).toContain('## After');
    expect(later).toContain('7 ms');
    expect(later).not.toContain('0.3 ms');
  });

  it('have tables with aligned columns', () => {
    expect(
      table(['a', 'b'], [['long one', '1']])
        .split('\n')
        .map((line) => line.length),
    ).toEqual([18, 18, 18]);
    expect([shown(12345.6), shown(0.00123), shown(Number.NaN), shown(undefined)]).toEqual([
      '12 346',
      '0.00123',
      '',
      '',
    ]);
  });
});

describe('the charts', () => {
  it('are drawn for the existing figures, for light and dark pages, with escaped text', () => {
    const drawn = charts(results({ warm_exec: [SANDBOX], kill_matrix: [MATRIX] }));
    expect(Object.keys(drawn)).toEqual(['warm_run.svg', 'kill_matrix.svg']);
    for (const svg of Object.values(drawn)) {
      expect(svg).toContain('prefers-color-scheme:dark');
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    }
    expect(drawn['kill_matrix.svg']).toContain('peer &lt;1&gt; &amp; &quot;co&quot;');
  });

  it('have axes with round numbers that include every value', () => {
    expect(ticks(0.3, 55, 'log')).toEqual([0.1, 1, 10, 100]);
    expect(ticks(0, 93, 'linear')).toEqual([0, 20, 40, 60, 80, 100]);
    const svg = lineChart({
      title: 't',
      about: '',
      source: '',
      x: { name: 'x' },
      y: { name: 'y' },
      series: { a: [[1, 1]] },
    });
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});
