/**
 * `npm run break-promises`: a mutation test. Breaks each guarantee of scripts/promises.mjs, one at a time, and expects a test to
 * fail. It works in a Git worktree below target/break-promises/, so the current tree does not change.
 *
 * <id> …       only these guarantees
 * --layer      only those of one layer: js compiles js/, guest and rust build the addon
 * --whole      run all of npm test instead of the tests that an entry names
 * --list       show the list and do nothing
 *
 * Exit code 1: a guarantee was broken and no test failed, or the tests fail without a change. 2: wrong arguments.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithUsage, readOptions } from '../tools/options.mjs';
import { announce, whenStarted } from '../tools/process.mjs';
import { build, CannotRun, runTests } from './promises/run_tests.mjs';
import { makeTree, removeTree, restoreTree } from './promises/scratch_tree.mjs';
import { PROMISES } from './promises.mjs';

/**
 * @typedef {import('./promises.mjs').BrokenPromise} BrokenPromise
 * @typedef {{ id: string, isFound: boolean, by: string, seconds: number }} Verdict
 */

const USAGE = 'Usage: npm run break-promises -- [--list] [--whole] [--layer js|guest|rust] [id …]';
const LAYERS = ['js', 'guest', 'rust'];
/** The maximum number of failed tests listed in the table; the others are counted. */
const SHOWN = 1;

/** @returns {{ chosen: BrokenPromise[], isWhole: boolean, isList: boolean }} */
function readArguments() {
  const { values, positionals: ids } = readOptions(
    {
      options: { list: { type: 'boolean' }, whole: { type: 'boolean' }, layer: { type: 'string' } },
      allowPositionals: true,
    },
    USAGE,
  );
  const { layer } = values;
  if (layer !== undefined && !LAYERS.includes(layer)) endWithUsage(USAGE, `There is no layer "${layer}".`);
  const unknown = ids.find((id) => !PROMISES.some((entry) => entry.id === id));
  if (unknown !== undefined) endWithUsage(USAGE, `There is no guarantee "${unknown}". --list shows all of them.`);
  const chosen = PROMISES.filter(
    (entry) => (ids.length === 0 || ids.includes(entry.id)) && (layer === undefined || entry.layer === layer),
  );
  if (chosen.length === 0) endWithUsage(USAGE, `None of these guarantees belongs to the layer "${layer}".`);
  return { chosen, isWhole: values.whole === true, isList: values.list === true };
}

/**
 * Whether the tests detect a broken guarantee.
 * @param {string} tree
 * @param {BrokenPromise} entry
 * @param {boolean} isWhole
 * @returns {Verdict}
 */
function breakOne(tree, entry, isWhole) {
  const { id } = entry;
  const started = Date.now();
  announce(`${id}: ${entry.promise}`);
  const done = (/** @type {boolean} */ isFound, /** @type {string} */ by) => {
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stdout.write(`${isFound ? 'found by' : 'NOT FOUND:'} ${by} (${seconds} s)\n`);
    return { id, isFound, by, seconds };
  };
  try {
    applyPatch(tree, entry);
    if (needsBuild(entry, isWhole)) build(tree, id, entry.layer === 'js' ? 'build:js' : 'build');
    const failed = runTests(tree, id, isWhole ? undefined : [entry]);
    return failed.length === 0 ? done(false, 'all tests pass') : done(true, summary(failed));
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    return done(false, error.message);
  } finally {
    restoreTree(tree);
  }
}

/**
 * Rust tests need no addon, and `npm test` builds it itself.
 * @param {BrokenPromise} entry
 * @param {boolean} isWhole
 */
function needsBuild({ tests }, isWhole) {
  return !isWhole && tests.length > 0;
}

/**
 * @param {string} tree
 * @param {BrokenPromise} entry
 */
function applyPatch(tree, { file, search, replace }) {
  const path = join(tree, file);
  const text = readFileSync(path, 'utf8');
  const [before, after, ...more] = text.split(search);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new CannotRun(`"search" does not occur exactly once in ${file}`);
  }
  writeFileSync(path, `${before}${replace}${after}`);
}

/** @param {string[]} failed */
function summary(failed) {
  const more = failed.length - SHOWN;
  return `${failed.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Runs the named tests without any change: if they fail anyway, they prove nothing.
 * @param {string} tree
 * @param {BrokenPromise[]} chosen
 * @param {boolean} isWhole
 */
function checkUnbroken(tree, chosen, isWhole) {
  announce('Unbroken');
  if (chosen.some((entry) => needsBuild(entry, isWhole))) build(tree, 'unbroken', 'build');
  const failed = runTests(tree, 'unbroken', isWhole ? undefined : chosen);
  if (failed.length > 0) throw new CannotRun(`The tests fail without a change: ${failed.join(', ')}`);
  restoreTree(tree);
}

/** @param {Verdict[]} verdicts */
function showTable(verdicts) {
  const width = Math.max(...verdicts.map(({ id }) => id.length));
  announce('Promises');
  for (const { id, isFound, by, seconds } of verdicts) {
    process.stdout.write(
      `${id.padEnd(width)}  ${String(seconds).padStart(4)} s  ${isFound ? '' : 'NOT FOUND: '}${by}\n`,
    );
  }
  const found = verdicts.filter(({ isFound }) => isFound).length;
  process.stdout.write(`\n${found} of ${verdicts.length} broken guarantees were detected\n`);
}

/** @param {BrokenPromise[]} chosen */
function showList(chosen) {
  const entries = chosen.map(({ id, layer, source, promise, file, tests, cargo }) => {
    const finders = [...tests, ...(cargo ? [`${cargo.package}: ${cargo.filter}`] : [])];
    return `${id} (${layer}, ${source})\n  ${promise}\n  ${file}\n  ${finders.join(', ')}\n`;
  });
  process.stdout.write(entries.join(''));
}

await whenStarted(import.meta.url, () => {
  const { chosen, isWhole, isList } = readArguments();
  if (isList) return showList(chosen);
  try {
    const tree = makeTree();
    checkUnbroken(tree, chosen, isWhole);
    const verdicts = chosen.map((entry) => breakOne(tree, entry, isWhole));
    showTable(verdicts);
    if (verdicts.some(({ isFound }) => !isFound)) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } finally {
    removeTree();
  }
});
