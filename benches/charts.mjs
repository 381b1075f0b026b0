/** Generates the charts of `docs/charts/` from the results. */

import { dotChart, HUE, lineChart, short, stackChart } from '../tools/svg.mjs';

/** @typedef {import('./results.mjs').Results} Results */
/** @typedef {import('./record.mjs').Recorded} Recorded */

/** The outcomes of the kill matrix, and their hues. */
const ENDS = {
  ok: HUE.green,
  'host died': HUE.red,
  'host hung': HUE.pink,
  'over its memory': HUE.amber,
  'memory not back': HUE.yellow,
  'next run bad': HUE.brown,
  'too late': HUE.violet,
  'wrong answer': HUE.cyan,
  'n/a': HUE.grey,
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
    hues: ENDS,
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

/** The series of the benchmark, as its chart names them. */
const MEMORY = {
  'booted: host': 'booted',
  'booted and ran a tool: host': 'after a run, without the worker',
  'booted and ran a tool: with workers': 'after a run, with the worker',
};

/** @param {Results} results */
function kernels(results) {
  const measured = curves(measures(results, 'kernels'));
  const entries = Object.entries(MEMORY).flatMap(([name, shown]) =>
    measured[name] === undefined ? [] : [/** @type {const} */ ([shown, measured[name]])],
  );
  if (entries.length === 0) return undefined;
  const [booted, , working] = Object.keys(MEMORY).map((name) => perKernel(measured[name] ?? []));
  const message =
    booted === undefined || working === undefined
      ? 'Memory of many kernels in one process'
      : `A kernel takes ${short(booted)} MB, and ${short(working)} MB as long as it keeps a worker`;
  return lineChart({
    title: message,
    about: 'Resident memory of 1 to 100 kernels in one process, beyond that before the first. Both axes logarithmic.',
    source: taken(results, 'kernels'),
    x: { name: 'kernels', scale: 'log' },
    y: { name: 'MB', scale: 'log' },
    series: Object.fromEntries(entries),
  });
}

/**
 * What each further kernel adds.
 * @param {[number, number][]} points
 */
function perKernel(points) {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  return Number(((last[1] - first[1]) / (last[0] - first[0])).toPrecision(2));
}
