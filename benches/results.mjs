/** `benches/results.json`: the results with date, machine and versions. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {{ date: string, seconds: number, load: string, failed: boolean, measures: import('./record.mjs').Recorded[] }} BenchResult
 * @typedef {object} Results
 * @property {boolean} quick
 * @property {{ cpu: string, cores: number, memoryGb: number, system: string }} machine
 * @property {{ tgp: string, node: string, v8: string, git: string, commit: string }} versions
 * @property {Record<string, BenchResult>} benches
 */

/** @param {string} program @param {...string} args */
function outputOf(program, ...args) {
  try {
    return execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

/** The machine's load average of the last minute. */
export const load = () => (loadavg()[0] ?? 0).toFixed(2);

/**
 * Empty results for this machine and this build.
 * @param {boolean} quick
 * @returns {Results}
 */
export function fresh(quick) {
  const processors = cpus();
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  return {
    quick,
    machine: {
      cpu: processors[0]?.model.replace(/\s+/g, ' ') ?? 'unknown',
      cores: processors.length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release()}`,
    },
    versions: {
      tgp: version,
      node: process.versions.node,
      v8: process.versions.v8,
      git: outputOf('git', '--version').replace('git version ', ''),
      commit: outputOf('git', 'rev-parse', '--short', 'HEAD'),
    },
    benches: {},
  };
}

/**
 * Whether the results in a file were measured on the machine of these, so that both may stand in one table.
 * @param {string} file
 * @param {Results} results
 */
export function isOfThisMachine(file, results) {
  if (!existsSync(file)) return true;
  const { machine } = JSON.parse(readFileSync(file, 'utf8'));
  return JSON.stringify(machine) === JSON.stringify(results.machine);
}

/**
 * The existing results, with measures of this run replacing older ones. Figures of another machine or of a quick run are
 * dropped.
 * @param {string} file
 * @param {Results} results
 * @returns {Results}
 */
export function joined(file, results) {
  if (!existsSync(file)) return results;
  /** @type {Results} */
  const before = JSON.parse(readFileSync(file, 'utf8'));
  return before.quick === results.quick && isOfThisMachine(file, results)
    ? { ...results, benches: { ...before.benches, ...results.benches } }
    : results;
}

/**
 * The measures recorded by a benchmark.
 * @param {string} file
 * @returns {import('./record.mjs').Recorded[]}
 */
export function recorded(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
