/** Builds the worktree and runs its tests. Only a failed test counts; a failed build or suite start proves nothing. */

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../../tools/process.mjs';
import { tallyOfJunit } from '../test.mjs';
import { CARGO_TARGET, LOGS, TREE } from './scratch_tree.mjs';

/**
 * @typedef {import('../promises.mjs').BrokenPromise} BrokenPromise
 * @typedef {{ name: string, assertionResults: { status: string, fullName: string }[] }} VitestFile
 */

/** Relative to the workspace, independent of Cargo's target folder. */
const JUNIT = join(TREE, 'target', 'nextest', 'default', 'junit.xml');
const CARGO = 'scripts/cargo.mjs';
const NEXTEST = ['nextest', 'run', '--no-fail-fast', '--config-file', 'scripts/nextest.toml'];

/** The guarantee could not be tested. */
export class CannotRun extends Error {}

/**
 * The project's own build, or a part of it.
 * @param {string} tree
 * @param {string} name of the log
 * @param {'build' | 'build:js'} job
 */
export function build(tree, name, job) {
  const code = runNode(tree, name, ['scripts/run.mjs', job]);
  if (code !== 0) throw new CannotRun(`the build ends with exit code ${code}: ${logOf(name)}`);
}

/**
 * @param {string} tree
 * @param {string} name of the log
 * @param {BrokenPromise[] | undefined} entries whose tests are run; all of `npm test` where there are none
 * @returns {string[]} the tests that failed
 */
export function runTests(tree, name, entries) {
  return entries === undefined ? runAll(tree, name) : runNamed(tree, name, entries);
}

/**
 * @param {string} tree
 * @param {string} name
 */
function runAll(tree, name) {
  const report = join(tree, 'target', 'vitest.json');
  for (const path of [report, JUNIT]) rmSync(path, { force: true });
  const code = runNode(tree, name, ['scripts/run.mjs', 'test']);
  const failed = [...failedInVitest(tree, report, name), ...failedInJunit(name)];
  if (failed.length === 0 && code !== 0) throw new CannotRun(`npm test fails without a failed test: ${logOf(name)}`);
  return failed;
}

/**
 * @param {string} tree
 * @param {string} name
 * @param {BrokenPromise[]} entries
 */
function runNamed(tree, name, entries) {
  const failed = [];
  const files = [...new Set(entries.flatMap(({ tests }) => tests))];
  if (files.length > 0) {
    const report = join(LOGS, `${name}.json`);
    const vitest = join(tree, 'node_modules', 'vitest', 'vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = runNode(tree, name, [vitest, 'run', ...files, ...reporters]);
    failed.push(...failedInVitest(tree, report, name));
    if (failed.length === 0 && code !== 0) throw new CannotRun(`no test ran and failed: ${logOf(name)}`);
  }
  const crates = entries.flatMap(({ cargo }) => (cargo ? [cargo] : []));
  // One is enough.
  return failed.length > 0 || crates.length === 0 ? failed : runCrates(tree, name, crates);
}

/**
 * @param {string} tree
 * @param {string} name
 * @param {{ package: string, filter: string }[]} crates
 */
function runCrates(tree, name, crates) {
  rmSync(JUNIT, { force: true });
  const packages = [...new Set(crates.map((crate) => crate.package))].flatMap((crate) => ['-p', crate]);
  const filters = crates.map((crate) => `(package(${crate.package}) & test(${crate.filter}))`).join(' | ');
  const code = runNode(tree, name, [CARGO, ...NEXTEST, ...packages, '-E', filters]);
  const failed = failedInJunit(name);
  if (failed.length === 0 && code !== 0) throw new CannotRun(`no Rust test ran and failed: ${logOf(name)}`);
  return failed;
}

/**
 * @param {string} tree
 * @param {string} report
 * @param {string} name
 * @returns {string[]}
 */
function failedInVitest(tree, report, name) {
  if (!existsSync(report)) throw new CannotRun(`vitest left no report: ${logOf(name)}`);
  /** @type {{ testResults: VitestFile[] }} */
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.flatMap(({ name: file, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    return failed.map(({ fullName }) => `${relative(tree, file)}: ${fullName.trim()}`);
  });
}

/** @param {string} name */
function failedInJunit(name) {
  if (!existsSync(JUNIT)) throw new CannotRun(`nextest left no report: ${logOf(name)}`);
  return tallyOfJunit(readFileSync(JUNIT, 'utf8')).names;
}

/** @param {string} name */
function logOf(name) {
  return join(LOGS, `${name}.log`);
}

/**
 * Runs a script in the worktree, and appends its output to a log.
 * @param {string} tree
 * @param {string} name
 * @param {string[]} args
 * @returns {number} its exit code
 */
function runNode(tree, name, args) {
  const log = openSync(logOf(name), 'a');
  try {
    const env = {
      ...process.env,
      CARGO_TARGET_DIR: CARGO_TARGET,
      // The same archive path as in the main tree: with another path, cargo would compile V8's crate again.
      RUSTY_V8_MIRROR: join(ROOT, 'vendor', 'v8'),
    };
    const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', log, log]);
    return spawnSync(process.execPath, args, { cwd: tree, env, stdio }).status ?? 1;
  } finally {
    closeSync(log);
  }
}
