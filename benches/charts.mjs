/** Generates the charts of `docs/charts/` from the results. */

import { dotChart, lineChart, stackChart } from '../tools/svg.mjs';

/** @typedef {import('./results.mjs').Results} Results */
/** @typedef {import('./record.mjs').Recorded} Recorded */

/** The outcomes of the kill matrix, and their colours. */
const ENDS = {
  ok: '#059669',
  'host died': '#7f1d1d',
  'host hung': '#dc2626',
  'over its memory': '#f97316',
  'memory not back': '#f59e0b',
  'next run bad': '#a16207',
  'too late': '#c084fc',
  'wrong answer': '#7c3aed',
  'n/a': '#9ca3af',
};

/**
 * All charts with available figures, by file name.
 * @param {Results} results
 * @returns {Record<string, string>}
 */
export function charts(results) {
  const drawn = {
    'warm_run.svg': warmRun(results),
    'kill_matrix.svg': killMatrix(results),
    'workers.svg': workers(results),
    'tools.svg': tools(results),
    'kernels.svg': kernels(results),
  };
  return Object.fromEntries(Object.entries(drawn).flatMap(([name, svg]) => (svg === undefined ? [] : [[name, svg]])));
}

/** @param {Results} results @param {string} bench @param {string} [group] @returns {Recorded[]} */
function measures(results, bench, group) {
  const found = results.benches[bench]?.measures ?? [];
  return group === undefined ? found : found.filter((measure) => measure.group === group);
}

/** @param {Results} results @param {string} bench */
function taken(results, bench) {
  const { date = '' } = results.benches[bench] ?? {};
  return `${results.machine.cores} cores, ${results.machine.cpu}, Node ${results.versions.node}, ${date.slice(0, 10)}${results.quick ? ', a quick run' : ''}`;
}

/** @param {string} name */
const isOurs = (name) => name.startsWith('@tgp/core');

/** @param {Results} results */
function warmRun(results) {
  const rows = measures(results, 'warm_exec', 'turns of 25');
  if (rows.length === 0) return undefined;
  return dotChart({
    title: 'A warm run of a small tool, median',
    about: 'Milliseconds, logarithmic; less is better.',
    source: taken(results, 'warm_exec'),
    unit: 'ms',
    rows: rows.map(({ name, median = 0, low = 0, high = 0 }) => ({
      name,
      value: median,
      low,
      high,
      ours: isOurs(name),
    })),
  });
}

/** @param {Results} results */
function killMatrix(results) {
  const rows = measures(results, 'kill_matrix');
  if (rows.length === 0) return undefined;
  return stackChart({
    title: `What ${rows[0]?.facts?.bombs ?? ''} hostile programs do to a sandbox and its host`,
    about: 'Green is ended in time, host alive, memory bounded and back.',
    source: taken(results, 'kill_matrix'),
    colours: ENDS,
    rows: rows.map(({ name, facts = {} }) => ({
      name,
      ours: isOurs(name),
      caption: `${facts.ok} ok`,
      parts: Object.fromEntries(Object.keys(ENDS).map((end) => [end, Number(facts[end] ?? 0)])),
    })),
  });
}

/** @param {Recorded[]} rows @param {(name: string) => boolean} [wanted] */
function curves(rows, wanted = () => true) {
  /** @type {Record<string, [number, number][]>} */
  const series = {};
  for (const { name, at, median } of rows) {
    if (at === undefined || median === undefined || !wanted(name)) continue;
    series[name] ??= [];
    series[name].push([at, median]);
  }
  return series;
}

/** @param {Results} results */
function workers(results) {
  const series = curves(measures(results, 'workers'));
  if (Object.keys(series).length === 0) return undefined;
  return lineChart({
    title: 'Runs a second over the number of workers',
    about: 'The median of windows in which every worker has work waiting.',
    source: taken(results, 'workers'),
    x: { name: 'workers', from: 0 },
    y: { name: 'runs a second', from: 0 },
    series,
  });
}

/** @param {Results} results */
function tools(results) {
  const series = curves(measures(results, 'registry'), (name) => name !== 'rebuild');
  if (Object.values(series).every((points) => points.length < 2)) return undefined;
  return lineChart({
    title: 'Boot, search and write over the number of tools',
    about: 'Both axes logarithmic.',
    source: taken(results, 'registry'),
    x: { name: 'tools', scale: 'log' },
    y: { name: 'milliseconds', scale: 'log' },
    series,
  });
}

/** @param {Results} results */
function kernels(results) {
  const series = curves(measures(results, 'kernels'));
  if (Object.keys(series).length === 0) return undefined;
  return lineChart({
    title: 'Memory of many kernels in one process',
    about: 'More than before the first, resident.',
    source: taken(results, 'kernels'),
    x: { name: 'kernels', from: 0 },
    y: { name: 'MB', from: 0 },
    series,
  });
}
