/**
 * Runs the tests affected by a change, in about three minutes: `npm run test:changed [-- <git ref>] [--list]`. Without a ref the
 * change is all uncommitted work; with one, everything since that commit. `--list` only lists the tests.
 */

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readOptions } from '../tools/options.mjs';
import { announce, capture, captureIn, localBin, ROOT, run, StepFailed, whenStarted } from '../tools/process.mjs';
import { readSeconds } from './slow_tests.mjs';
import { selectTests } from './test_selection.mjs';

const USAGE = 'Usage: npm run test:changed -- [git ref] [--list]';
/** The time budget, for both processors together. */
const BUDGET_SECONDS = 300;

/** @param {string} ref */
function changedFiles(ref) {
  const lines = (/** @type {string[]} */ args) => captureIn(ROOT, 'git', args).split('\n').filter(Boolean);
  const tracked = lines(['diff', '--name-only', '--no-renames', ref]);
  return [...new Set([...tracked, ...lines(['ls-files', '--others', '--exclude-standard'])])];
}

/** @returns {import('./test_selection.mjs').Package[]} */
function workspacePackages() {
  const metadata = capture('cargo', ['metadata', '--no-deps', '--offline', '--format-version', '1']);
  if (metadata === undefined)
    throw new StepFailed('"cargo metadata" failed; the packages of the workspace could not be read.');
  return JSON.parse(metadata).packages.map((/** @type {any} */ { name, manifest_path, dependencies }) => ({
    name,
    folder: relative(ROOT, join(manifest_path, '..')),
    dependencies: dependencies.map((/** @type {{ name: string }} */ dependency) => dependency.name),
  }));
}

/** @returns {import('./test_selection.mjs').Source[]} */
function scriptSources() {
  return captureIn(ROOT, 'git', [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '*.js',
    '*.mjs',
    '*.cjs',
    '*.ts',
  ])
    .split('\n')
    .filter((path) => path !== '' && !path.startsWith('vendor/'))
    .flatMap((path) => {
      try {
        return [{ path, text: readFileSync(join(ROOT, path), 'utf8') }];
      } catch {
        return []; // It was deleted.
      }
    });
}

await whenStarted(import.meta.url, async () => {
  const options = { list: { type: /** @type {const} */ ('boolean'), default: false } };
  const { values, positionals } = readOptions({ allowPositionals: true, options }, USAGE);
  const [ref = 'HEAD'] = positionals;
  const changed = changedFiles(ref);
  if (changed.length === 0) {
    process.stdout.write(`Nothing has changed since ${ref}.\n`);
    return;
  }
  const { crates, files, leftOut, rebuild } = selectTests({
    changed,
    packages: workspacePackages(),
    sources: scriptSources(),
    seconds: readSeconds(),
    budget: BUDGET_SECONDS,
  });
  announce(`${changed.length} changed files: ${crates.length} crates, ${files.length} test files`);
  if (leftOut.length > 0) process.stdout.write(`Left out for time; npm test runs them: ${byFolder(leftOut)}\n`);
  if (values.list) {
    const lines = [...crates.map((name) => `crate ${name}`), ...files, ...leftOut.map((path) => `left out ${path}`)];
    process.stdout.write(`${lines.join('\n')}\n`);
    return;
  }
  const steps = [
    ...(rebuild ? [() => run('npm', ['run', 'build'])] : []),
    ...(crates.length > 0 ? [() => run(process.execPath, nextest(crates))] : []),
    () => run('npm', ['run', 'typecheck']),
    ...(files.length > 0 ? [() => run(localBin('vitest'), ['run', ...files])] : []),
  ];
  for (const step of steps) step();
});

/** @param {string[]} paths of test files */
function byFolder(paths) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const path of paths) {
    const folder = path.split('/').slice(1, -1).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, count]) => `${folder} (${count})`).join(', ');
}

/** @param {string[]} crates */
function nextest(crates) {
  const chosen = crates.flatMap((name) => ['-p', name]);
  return [join(ROOT, 'scripts', 'cargo.mjs'), 'nextest', 'run', ...chosen];
}
