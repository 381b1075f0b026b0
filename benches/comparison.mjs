/** Generates README's comparison table of sandboxes from the results. */

import { table } from '../tools/markdown_table.mjs';
import { shown } from './tables.mjs';

/** @typedef {import('./results.mjs').Results} Results */

const BEGIN = '<!-- comparison: written by npm run bench -->';
const END = '<!-- end of comparison -->';
const OURS = '@tgp/core, process';

/**
 * README with new figures; unchanged if there are none, or no markers.
 * @param {string} page
 * @param {Results} results
 */
export function withComparison(page, results) {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  const compared = comparison(results);
  if (start === -1 || end < start || compared === undefined) return page;
  return `${page.slice(0, start)}${BEGIN}\n\n${compared}\n\n${page.slice(end)}`;
}

/**
 * The table; undefined until both benchmarks have run.
 * @param {Results} results
 */
export function comparison({ benches, machine, versions }) {
  const warm = benches.warm_exec?.measures.filter(({ group }) => group === 'turns of 25') ?? [];
  const killed = benches.kill_matrix?.measures ?? [];
  const own = warm.find(({ name }) => name === OURS)?.median;
  if (killed.length === 0 || own === undefined) return undefined;
  const rows = killed.flatMap(({ name, facts = {} }) => {
    const run = warm.find((measure) => measure.name === name);
    if (run === undefined) return [];
    const { median = 0, low, high } = run;
    const count = (/** @type {string} */ end) => Number(facts[end] ?? 0);
    return [
      [
        name === OURS ? `**${name} (default)**` : name,
        `${count('ok')} of ${count('bombs') - count('n/a')}`,
        String(count('host died') + count('host hung')),
        `${shown(count('mostMb'))} MB`,
        `${shown(median)} ms (${shown(low)} to ${shown(high)})`,
        name === OURS ? '1' : shown(median / own),
      ],
    ];
  });
  const head = ['sandbox', 'bombs survived', 'host died or hung', 'most memory', 'a warm run, median', 'times ours'];
  const taken = [benches.kill_matrix, benches.warm_exec].map((bench) => bench?.date.slice(0, 10));
  const when = [...new Set(taken)].join(' and ');
  const about = `Measured on ${when}: ${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node ${versions.node}; in brackets the 95 % interval.`;
  return `${table(head, rows)}\n\n${about}`;
}
