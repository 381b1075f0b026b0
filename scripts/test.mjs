/** Runs all tests; the last line has the numbers of passed and failed tests. */

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { announce, localBin, ROOT, status } from '../tools/process.mjs';
import { readSeconds, slowest, timingsOfJunit, timingTable } from './slow_tests.mjs';

/** @typedef {{ passed: number, failed: number, names: string[] }} Tally `names`: what failed, a line each. */

/** How many of the slowest tests are listed. */
const LISTED_FILES = 20;
const LISTED_RUST_TESTS = 5;

const VITEST_REPORT = join(ROOT, 'target', 'vitest.json');
/** The output of nextest (scripts/nextest.toml, default profile), relative to the workspace, not to Cargo's target folder. */
const NEXTEST_REPORT = join(ROOT, 'target', 'nextest', 'default', 'junit.xml');

/** @returns {Tally} */
export function test() {
  const suites = [typecheck(), nextest(), vitest()];
  return {
    passed: suites.reduce((sum, suite) => sum + suite.passed, 0),
    failed: suites.reduce((sum, suite) => sum + suite.failed, 0),
    names: suites.flatMap((suite) => suite.names),
  };
}

/** The slowest tests of this run. */
export function slowTests() {
  const files = Object.entries(readSeconds()).map(([name, seconds]) => ({ name, seconds }));
  const rust = readIfThere(NEXTEST_REPORT, timingsOfJunit) ?? [];
  return [
    timingTable('The slowest Node test files:', slowest(files, LISTED_FILES)),
    timingTable('The slowest Rust tests:', slowest(rust, LISTED_RUST_TESTS)),
  ].join('');
}

/**
 * @template T
 * @param {string} path
 * @param {(text: string) => T} read
 * @returns {T | undefined}
 */
function readIfThere(path, read) {
  try {
    return read(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Of the package, and of the scripts of a guest's realm. */
const PROJECTS = ['tsconfig.json', 'tsconfig.guest.json'];

/** Type checking is not a test suite: it counts only if it fails. */
function typecheck() {
  announce('Types');
  const failed = PROJECTS.filter((project) => status(localBin('tsc'), ['-p', project]) !== 0);
  return { passed: 0, failed: failed.length, names: failed.map((project) => `types of ${project}`) };
}

function nextest() {
  announce('Rust tests');
  rmSync(NEXTEST_REPORT, { force: true });
  const code = status('cargo', [
    'nextest',
    'run',
    '--workspace',
    '--no-fail-fast',
    '--config-file',
    'scripts/nextest.toml',
  ]);
  return settle(code, () => tallyOfJunit(readFileSync(NEXTEST_REPORT, 'utf8')));
}

function vitest() {
  announce('Node tests');
  mkdirSync(join(ROOT, 'target'), { recursive: true });
  rmSync(VITEST_REPORT, { force: true });
  const reporters = [
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`],
    `--reporter=${join(ROOT, 'scripts', 'slow_tests.mjs')}`,
  ];
  const code = status(localBin('vitest'), ['run', ...reporters]);
  return settle(code, () => tallyOfVitest(readFileSync(VITEST_REPORT, 'utf8')));
}

/**
 * The counts of a suite. A suite that failed without a failed test, wrote no report or ran nothing counts as one failure.
 * @param {number} code
 * @param {() => Tally} read
 * @returns {Tally}
 */
export function settle(code, read) {
  /** @type {Tally} */
  let tally;
  try {
    tally = read();
  } catch {
    tally = { passed: 0, failed: 1, names: ['a suite that left no report'] };
  }
  const unexplained = tally.failed === 0 && (code !== 0 || tally.passed === 0);
  return unexplained ? { ...tally, failed: 1, names: [`a suite that ended with ${code}`] } : tally;
}

/**
 * @param {string} xml
 * @returns {Tally}
 */
export function tallyOfJunit(xml) {
  const root = /<testsuites\b[^>]*>/.exec(xml)?.[0] ?? '';
  const [tests, failures, errors] = ['tests', 'failures', 'errors'].map((name) => {
    const value = new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1];
    if (value === undefined) throw new Error(`The report has no "${name}".`);
    return Number(value);
  });
  const failed = Number(failures) + Number(errors);
  const names = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<(?:failure|error)\b/g)].map(([, name]) =>
    String(name),
  );
  return { passed: Number(tests) - failed, failed, names };
}

/**
 * @param {string} json
 * @returns {Tally}
 */
export function tallyOfVitest(json) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(json);
  return { passed: numPassedTests, failed: numFailedTests, names: testResults.flatMap(failuresOf) };
}

/**
 * @param {{ name: string, status: string, message?: string, assertionResults: { status: string, fullName: string, failureMessages?: string[] }[] }} file
 * @returns {string[]}
 */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : [];
  return failed.map((test) => `${file}: ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`);
}

/** @param {string} [text] */
function firstLine(text = '') {
  return text.split('\n', 1)[0]?.slice(0, 300) ?? '';
}
