/** Generates the tables of `docs/benchmarks.md`, between its markers. */

import { table } from '../tools/markdown_table.mjs';

/** @typedef {import('./results.mjs').Results} Results */
/** @typedef {import('./record.mjs').Recorded} Recorded */

const BEGIN = '<!-- figures: written by npm run bench -->';
const END = '<!-- end of figures -->';

/** The chart of a bench, in `docs/charts/`. @type {Record<string, string>} */
const CHARTS = {
  warm_exec: 'warm_run.svg',
  kill_matrix: 'kill_matrix.svg',
  workers: 'workers.svg',
  registry: 'tools.svg',
  kernels: 'kernels.svg',
};

/**
 * The page with new figures; appended if it has no markers yet.
 * @param {string} page
 * @param {Results} results
 * @param {string[]} [drawn] names of the existing charts
 */
export function withFigures(page, results, drawn = []) {
  const block = `${BEGIN}\n\n${figures(results, drawn)}\n${END}`;
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start === -1 || end < start) return `${page.trimEnd()}\n\n${block}\n`;
  return page.slice(0, start) + block + page.slice(end + END.length);
}

/** @param {number | undefined} value */
export function shown(value) {
  if (value === undefined || !Number.isFinite(value)) return '';
  if (value >= 1000) return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
  return String(Number(value.toPrecision(3)));
}

/** @param {Results} results @param {string[]} drawn */
function figures({ machine, versions, quick, benches }, drawn) {
  const about = [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${versions.node}, commit ${versions.commit}.`,
    quick ? 'A quick run: fewer rounds, so wide intervals.' : '',
    'A median stands with its 95 % confidence interval by bootstrap; n is the number of measurements.',
  ];
  const parts = ['## Figures of the last run', about.filter(Boolean).join(' ')];
  for (const [name, bench] of Object.entries(benches).sort(([one], [other]) => one.localeCompare(other))) {
    if (bench.measures.length === 0) continue;
    parts.push(
      `### \`${name}\``,
      `${bench.date.slice(0, 16).replace('T', ' ')}, ${Math.round(bench.seconds)} s, load ${bench.load}.`,
    );
    const chart = CHARTS[name];
    if (chart !== undefined && drawn.includes(chart)) parts.push(`![Chart of ${name}](charts/${chart})`);
    if (name === 'kill_matrix') parts.push(killMatrix(bench.measures));
    else parts.push(...Object.values(grouped(bench.measures)).map(measured));
  }
  return `${parts.join('\n\n')}\n`;
}

/** @param {Recorded[]} measures */
function grouped(measures) {
  /** @type {Record<string, Recorded[]>} */
  const groups = {};
  for (const measure of measures) {
    const key = measure.group ?? '';
    groups[key] ??= [];
    groups[key].push(measure);
  }
  return groups;
}

/** @param {Recorded[]} measures */
function measured(measures) {
  const placed = measures.some(({ at }) => at !== undefined);
  const head = [measures[0]?.group ?? '', ...(placed ? ['at'] : []), 'median', '95 % interval', 'p99', 'n', 'besides'];
  const rows = measures.map(({ name, at, unit = '', n, median, p99, low, high, facts = {} }) => [
    name,
    ...(placed ? [shown(at)] : []),
    n === undefined ? '' : `${shown(median)} ${unit}`,
    n === undefined || n < 2 ? '' : `${shown(low)} to ${shown(high)}`,
    n === undefined || n < 2 ? '' : shown(p99),
    shown(n),
    Object.entries(facts)
      .map(([key, value]) => `${key} ${typeof value === 'number' ? shown(value) || value : value}`)
      .join(', '),
  ]);
  return table(head, rows);
}

/** @param {Recorded[]} measures */
function killMatrix(measures) {
  const ends = [
    'ok',
    'typed',
    'host died',
    'host hung',
    'over its memory',
    'memory not back',
    'next run bad',
    'too late',
    'wrong answer',
    'n/a',
  ];
  const rows = measures.map(({ name, facts = {}, median }) => [
    name,
    ...ends.map((end) => String(facts[end] ?? '')),
    `${shown(Number(facts.mostMb))} MB`,
    `${shown(median)} ms`,
  ]);
  return table(['sandbox', ...ends, 'most memory', 'answer, median'], rows);
}
