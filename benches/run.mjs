/**
 * Runs the benchmarks whose file names contain the argument, or all: `npm run bench -- warm`. Results go to
 * `benches/results.json`; the tables of `docs/benchmarks.md` and README, and the charts of `docs/charts/`, are generated from it.
 *
 * `npm run bench -- compare <git ref>` compares this tree with another commit (`compare/compare.mjs`), and `npm run bench -- record
 * <version>` stores the figures of a release (`history.mjs`).
 *
 * --quick  fewer rounds, in less than two minutes, written to `target/bench/` instead of the documents
 * --draw   no measurements: regenerates tables and charts from the existing results
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { charts } from './charts.mjs';
import { withComparison } from './comparison.mjs';
import { historyChart, readHistory, record, withHistory } from './history.mjs';
import { fresh, isOfThisMachine, joined, load, recorded } from './results.mjs';
import { withFigures } from './tables.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'benches');

/**
 * The settings of each benchmark in a quick run; others are skipped with a note.
 * @type {Record<string, { env?: Record<string, string>, args?: string[] }>}
 */
const QUICK = {
  warm_exec: { env: { TURNS: '4', ROWS: '0' } },
  kill_matrix: { env: { BOMBS: 'an endless loop' } },
  cold_start: { env: { ROUNDS: '5' } },
  host_call: { env: { ROUNDS: '5' } },
  throughput: { env: { RUNS: '2000' } },
  flatness: { env: { RUNS: '2000' } },
  ledger: { env: { ROUNDS: '200', EVENTS: '1000' } },
  registry: { args: ['30', '100'] },
  gate: {},
  workers: {},
  kernels: {},
};

/** Jobs of another kind; each returns the exit code. @type {Record<string, (args: string[]) => Promise<number>>} */
const COMMANDS = {
  compare: async (rest) => (await import('./compare/compare.mjs')).compare(rest),
  record: async (rest) => {
    const code = record(ROOT, rest);
    if (code === 0) publishHistory();
    return code;
  },
};
const USAGE = `Usage: npm run bench -- [--quick] [--draw] [name…]
       npm run bench -- compare <git ref> [--quick] [--rounds N] [name…]
       npm run bench -- record <version>`;
const OTHER_MACHINE =
  '\nThe documents have figures of another machine, and keep them: run all benchmarks to replace them.\n';

const [command = '', ...rest] = process.argv.slice(2);
if (Object.hasOwn(COMMANDS, command)) process.exit(await COMMANDS[command]?.(rest));

const args = process.argv.slice(2);
const [quick, draw] = [args.includes('--quick'), args.includes('--draw')];
const filters = args.filter((arg) => !arg.startsWith('--'));
const unknown = args.filter((arg) => arg.startsWith('--') && !['--quick', '--draw'].includes(arg));
if (unknown.length > 0) {
  process.stderr.write(`There is no option ${unknown.join(' ')}.\n${USAGE}\n`);
  process.exit(2);
}

const results = fresh(quick);
// Some benchmarks alone, on another machine than the rest, would leave documents with figures of some benchmarks alone.
const isPartial = !draw && filters.length > 0 && !isOfThisMachine(join(FOLDER, 'results.json'), results);
const isForDocuments = !quick && !isPartial;
const out = isForDocuments ? FOLDER : join(ROOT, 'target', 'bench');
const resultsFile = join(out, 'results.json');
const names = draw
  ? []
  : readdirSync(FOLDER)
      .filter((name) => name.endsWith('.bench.mjs'))
      .map((name) => name.replace('.bench.mjs', ''))
      .filter((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)));
if (names.length === 0 && !draw) {
  process.stderr.write(`No benchmark has "${filters.join('" or "')}" in its name.\n`);
  process.exitCode = 2;
} else {
  if (!draw) prepare();
  for (const name of names) measure(name);
  publish();
}

/** Builds the addon if it is missing; benchmarks fetch the peers and weights they need. */
function prepare() {
  if (readdirSync(ROOT).some((name) => name.endsWith('.node'))) return;
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), 'build'], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** @param {string} name */
function measure(name) {
  const lesser = QUICK[name];
  if (quick && lesser === undefined) {
    process.stdout.write(`\n${name}: left out of a quick run\n`);
    return;
  }
  const place = mkdtempSync(join(tmpdir(), 'tgp-bench-out-'));
  const file = join(place, 'measures.ndjson');
  const begun = { date: new Date().toISOString(), load: load() };
  const clock = performance.now();
  process.stdout.write(`\n==> ${name}\n`);
  const { status } = spawnSync(
    process.execPath,
    [join(FOLDER, `${name}.bench.mjs`), ...(quick ? (lesser?.args ?? []) : [])],
    {
      stdio: 'inherit',
      // Files left by a killed host are removed with the folder.
      env: {
        ...process.env,
        TMPDIR: place,
        TGP_BENCH_OUT: file,
        ...(quick && { TGP_BENCH_QUICK: '1', ...lesser?.env }),
      },
    },
  );
  const failed = status !== 0;
  if (failed) process.exitCode = 1;
  results.benches[name] = { ...begun, seconds: (performance.now() - clock) / 1000, failed, measures: recorded(file) };
  rmSync(place, { recursive: true, force: true });
  // An interrupted run keeps its results so far.
  save();
}

function save() {
  mkdirSync(out, { recursive: true });
  const all = joined(resultsFile, results);
  writeFileSync(resultsFile, `${JSON.stringify(all, undefined, 2)}\n`);
  return all;
}

function publish() {
  const all = draw && existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : save();
  const pageFile = join(isForDocuments ? join(ROOT, 'docs') : out, 'benchmarks.md');
  const page = existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : '# Benchmarks\n';
  const drawn = charts(all);
  writeFileSync(pageFile, withFigures(page, all, Object.keys(drawn)));
  const folder = join(isForDocuments ? join(ROOT, 'docs') : out, 'charts');
  mkdirSync(folder, { recursive: true });
  for (const [name, svg] of Object.entries(drawn)) writeFileSync(join(folder, name), svg);
  const readme = join(ROOT, 'README.md');
  if (isForDocuments && existsSync(readme)) writeFileSync(readme, withComparison(readFileSync(readme, 'utf8'), all));
  if (isForDocuments) publishHistory();
  if (isPartial) process.stdout.write(OTHER_MACHINE);
  process.stdout.write(`\nFigures: ${resultsFile}\nTables: ${pageFile}\nCharts: ${folder}\n`);
}

/** Writes the history of releases as a chart and a table. */
function publishHistory() {
  const entries = readHistory(ROOT);
  if (entries.length === 0) return;
  const page = join(ROOT, 'docs', 'benchmarks.md');
  mkdirSync(join(ROOT, 'docs', 'charts'), { recursive: true });
  writeFileSync(join(ROOT, 'docs', 'charts', 'history.svg'), historyChart(entries));
  writeFileSync(page, withHistory(readFileSync(page, 'utf8'), entries));
}
