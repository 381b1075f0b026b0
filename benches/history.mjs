/**
 * `benches/history.json`: the key figures of each release, as ratios against a peer in the same run, so that different machines
 * are comparable. `npm run bench -- record <version>` takes them from `benches/results.json`.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../tools/markdown_table.mjs';
import { lineChart } from '../tools/svg.mjs';
import { readVersion } from '../tools/versions.mjs';

/**
 * @typedef {import('./results.mjs').Results} Results
 * @typedef {{ bench: string, group: string, name: string, at?: number }} Place of a measure in the results
 * @typedef {{ version: string, commit: string, date: string, machine: Results['machine'], node: string, figures: Record<string, number> }} Entry
 */

const BEGIN = '<!-- history: written by npm run bench record -->';
const END = '<!-- end of history -->';
const OURS = '@tgp/core, process';

/** @param {string} group @param {string} name @returns {Place} */
const warm = (group, name) => ({ bench: 'warm_exec', group, name });

/**
 * Numerator and denominator of each ratio; less is better.
 * @type {Record<string, [Place, Place]>}
 */
const FIGURES = {
  'warm run / isolated-vm, fresh isolate': [
    warm('turns of 25', OURS),
    warm('turns of 25', 'isolated-vm, fresh isolate'),
  ],
  'warm run / quickjs-emscripten': [warm('turns of 25', OURS), warm('turns of 25', 'quickjs-emscripten')],
  'warm run / node:vm': [warm('turns of 25', OURS), warm('turns of 25', 'node:vm, fresh context (no isolation)')],
  'run in a row / quickjs-emscripten': [warm('turns of 1000', OURS), warm('turns of 1000', 'quickjs-emscripten')],
  'run with ledger and 50 rules / without': [
    { bench: 'gate', group: 'warm run', name: 'ledger and 50 rules' },
    { bench: 'gate', group: 'warm run', name: 'neither ledger nor rules' },
  ],
  'find among 10 000 tools / FTS5': [
    { bench: 'registry', group: 'over tools', name: 'find', at: 10_000 },
    { bench: 'registry', group: 'over tools', name: 'find, FTS5', at: 10_000 },
  ],
};

/**
 * The key figures of a run.
 * @param {Results} results
 * @returns {Record<string, number>}
 */
export function keyFigures({ benches }) {
  const found = (/** @type {Place} */ { bench, group, name, at }) =>
    benches[bench]?.failed
      ? undefined
      : benches[bench]?.measures.find((one) => one.group === group && one.name === name && one.at === at)?.median;
  return Object.fromEntries(
    Object.entries(FIGURES).flatMap(([key, [ours, peer]]) => {
      const [above, below] = [found(ours), found(peer)];
      return above === undefined || !below ? [] : [[key, Number((above / below).toPrecision(4))]];
    }),
  );
}

/**
 * The history with these results appended, or replacing the same version.
 * @param {Entry[]} entries
 * @param {string} version
 * @param {Results} results
 * @returns {Entry[]}
 */
export function withEntry(entries, version, results) {
  const dates = Object.values(results.benches).map(({ date }) => date);
  const entry = {
    version,
    commit: results.versions.commit,
    date: dates.sort().at(-1)?.slice(0, 10) ?? '',
    machine: results.machine,
    node: results.versions.node,
    figures: keyFigures(results),
  };
  const at = entries.findIndex((each) => each.version === version);
  return at === -1 ? [...entries, entry] : entries.with(at, entry);
}

/** @param {string} root */
const fileIn = (root) => join(root, 'benches', 'history.json');

/** @param {string} root @returns {Entry[]} */
export function readHistory(root) {
  return existsSync(fileIn(root)) ? JSON.parse(readFileSync(fileIn(root), 'utf8')) : [];
}

/**
 * @param {string} root
 * @param {string[]} args
 * @returns {number} the exit code
 */
export function record(root, args) {
  const [version = ''] = args;
  /** @type {Results} */
  const results = JSON.parse(readFileSync(join(root, 'benches', 'results.json'), 'utf8'));
  // Measurements between releases are named after the commit.
  if (args.length !== 1 || (readVersion(version) === undefined && version !== results.versions.commit)) {
    process.stderr.write(
      `"${args.join(' ')}" is neither a version nor ${results.versions.commit}, the commit of benches/results.json.\nUsage: npm run bench -- record <version>\n`,
    );
    return 2;
  }
  const entries = withEntry(readHistory(root), version, results);
  const missing = Object.keys(FIGURES).filter(
    (key) => entries.find((entry) => entry.version === version)?.figures[key] === undefined,
  );
  writeFileSync(fileIn(root), `${JSON.stringify(entries, undefined, 2)}\n`);
  process.stdout.write(`Recorded ${version}, measured at ${results.versions.commit}: ${fileIn(root)}\n`);
  if (missing.length > 0) process.stdout.write(`benches/results.json does not have: ${missing.join('; ')}\n`);
  return 0;
}

/** @param {Entry[]} entries */
export function historyChart(entries) {
  const last = entries.at(-1);
  /** @type {Record<string, [number, number][]>} */
  const series = {};
  for (const [at, { figures }] of entries.entries()) {
    for (const [name, value] of Object.entries(figures)) {
      series[name] ??= [];
      series[name].push([at, value]);
    }
  }
  return lineChart({
    title: 'Key figures by release, as ratios in one run',
    about: 'Less is better; 1 is level with what it is divided by.',
    source: last === undefined ? '' : `${last.version}: ${last.machine.cores} cores, ${last.machine.cpu}, ${last.date}`,
    x: { name: 'release', names: entries.map(({ version }) => version) },
    y: { name: 'times', from: 0 },
    series,
  });
}

/**
 * The page with a new table; unchanged if it has no markers.
 * @param {string} page
 * @param {Entry[]} entries
 */
export function withHistory(page, entries) {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start === -1 || end < start) return page;
  const head = ['figure', ...entries.map(({ version }) => version)];
  const rows = Object.keys(FIGURES).map((key) => [key, ...entries.map(({ figures }) => String(figures[key] ?? ''))]);
  const about = entries.map(
    ({ version, commit, date, machine, node }) =>
      `${version}: ${date}, commit ${commit}, ${machine.cpu}, ${machine.cores} cores, Node ${node}.`,
  );
  const block = `![Chart of the key figures by release](charts/history.svg)\n\n${table(head, rows)}\n\n${about.join('\n')}`;
  return `${page.slice(0, start)}${BEGIN}\n\n${block}\n\n${page.slice(end)}`;
}
