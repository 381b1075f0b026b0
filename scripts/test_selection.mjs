/** Selects the tests affected by a change: pure functions for scripts/changed_tests.mjs. */

import { posix } from 'node:path';

/**
 * @typedef {{ name: string, folder: string, dependencies: string[] }} Package a package of the Cargo workspace; `folder` is
 * relative to the repository, '' for its root; `dependencies` are names
 * @typedef {{ path: string, text: string }} Source
 * @typedef {{ crates: string[], files: string[], leftOut: string[], rebuild: boolean }} Selection `files`: test files in the
 * order of their importance; `leftOut`: further affected tests that do not fit into the time budget
 */

/** A few fast test files that together cover every layer. */
export const SMOKE = [
  '__test__/architecture.test.js',
  '__test__/errors.test.js',
  '__test__/e2e/bootstrap.test.js',
  '__test__/kernel/files.test.js',
  '__test__/kernel/run_code.test.js',
  '__test__/sandbox/tool_forms.test.js',
  '__test__/sql/exec_sql.test.js',
  '__test__/git/commit_notes.test.js',
  '__test__/mcp/server.test.js',
];

/**
 * Test folders of a part, by the name of its folder in `js/`, `src/` or `crates/`, where the names differ.
 * @type {Record<string, string[]>}
 */
const FOLDERS = {
  boundary: ['kernel', 'config'],
  binding: ['kernel', 'config'],
  bundle: ['sandbox'],
  compile: ['check', 'sandbox'],
  embed: ['registry'],
  files: ['vfs', 'kernel'],
  forged: ['sdk', 'registry'],
  net: ['sandbox'],
  programs: ['agent_tools'],
  prompt: ['kernel'],
  sandbox: ['sandbox', 'process'],
  state: ['tests'],
  tool_shape: ['sdk', 'registry'],
  types_check: ['check'],
  std: ['sandbox', 'tests'],
  shims: ['sandbox'],
  examples: ['examples'],
  bin: ['cli'],
};

/** The assumed duration of a file that was not measured. */
export const UNKNOWN_SECONDS = 4;
/** The part of the time budget for building the addon and testing crates. */
export const RUST_SECONDS = 180;
/** Files that import all of `js/`: tests that reach a change only through them have a lower priority. */
const ENTRIES = ['index.js', 'js/index.ts', 'js/mcp.ts', 'bin/tgp.js', 'js/kernel/tgp.ts'];
/** Changes of these can touch any test file. */
const EVERYTHING = /^(?:package(?:-lock)?\.json|vitest\.config\.js|__test__\/helpers\/global_setup\.js)$/;

/**
 * The packages with changed files, and the packages that depend on them.
 * @param {string[]} changed paths relative to the repository
 * @param {Package[]} packages
 */
export function changedCrates(changed, packages) {
  const byDepth = packages.toSorted((one, other) => other.folder.length - one.folder.length);
  const rust = changed.filter(isRust);
  const touched = new Set(
    rust.flatMap((path) => byDepth.find(({ folder }) => folder === '' || path.startsWith(`${folder}/`))?.name ?? []),
  );
  for (let size = -1; size !== touched.size; ) {
    size = touched.size;
    for (const { name, dependencies } of packages)
      if (dependencies.some((used) => touched.has(used))) touched.add(name);
  }
  return packages.map(({ name }) => name).filter((name) => touched.has(name));
}

/** @param {string} path */
function isRust(path) {
  return /\.rs$|(?:^|\/)Cargo\.(?:toml|lock)$|^(?:src|crates)\//.test(path);
}

/**
 * @param {object} change
 * @param {string[]} change.changed paths relative to the repository
 * @param {Package[]} change.packages
 * @param {Source[]} change.sources the repository's JavaScript and TypeScript files
 * @param {Record<string, number>} change.seconds how long test files took when they last ran
 * @param {number} change.budget seconds, of both processors together
 * @returns {Selection}
 */
export function selectTests({ changed, packages, sources, seconds, budget }) {
  const imports = importsOf(sources);
  const tests = sources.map(({ path }) => path).filter((path) => path.endsWith('.test.js'));
  const ranked = new Set(
    [
      changed,
      tests.filter((path) => reaches(path, changed, imports, ENTRIES)),
      namingTests(changed, sources, tests, imports),
      SMOKE,
      tests.filter((path) => changed.some((file) => foldersOf(file).includes(path.split('/')[1] ?? ''))),
      tests.filter((path) => changed.some(isEverywhere) || reaches(path, changed, imports, [])),
    ]
      .flat()
      .filter((path) => tests.includes(path) && !path.startsWith('__test__/long/')),
  );
  const crates = changedCrates(changed, packages);
  let left = crates.length > 0 ? budget - RUST_SECONDS : budget;
  /** @type {string[]} */
  const leftOut = [];
  const files = [...ranked].filter((path) => {
    const cost = seconds[path] ?? UNKNOWN_SECONDS;
    // A changed test always runs.
    const fits = changed.includes(path) || cost <= left;
    if (fits) left -= cost;
    else leftOut.push(path);
    return fits;
  });
  return { crates, files, leftOut, rebuild: changed.some(needsBuild) };
}

/** @param {string} path */
function isEverywhere(path) {
  return isRust(path) || EVERYTHING.test(path);
}

/** @param {string} path */
function needsBuild(path) {
  return isRust(path) || /^(?:std|shims|js|sandbox)\/|^[^/]*\.d\.ts$|^tsconfig(?:\.build)?\.json$/.test(path);
}

/**
 * The test folders that belong to a file's part.
 * @param {string} path
 */
function foldersOf(path) {
  const part = /^(?:js|src|crates)\/([^/.]+)\//.exec(path)?.[1] ?? /^(std|shims|examples|bin)\//.exec(path)?.[1];
  return part === undefined ? [] : (FOLDERS[part] ?? [part]);
}

/**
 * Test files that mention a changed non-JavaScript file, directly or in an import: documents, fixtures, workflows.
 * @param {string[]} changed
 * @param {Source[]} sources
 * @param {string[]} tests
 * @param {Map<string, string[]>} imports
 */
function namingTests(changed, sources, tests, imports) {
  const others = changed.filter((path) => !imports.has(path) && !isRust(path));
  const naming = sources
    .filter(({ text }) => others.some((path) => text.includes(path) || text.includes(`'${posix.basename(path)}'`)))
    .map(({ path }) => path);
  return tests.filter((path) => reaches(path, naming, imports, ENTRIES));
}

/**
 * Whether a file is, or imports, one of some files.
 * @param {string} from
 * @param {string[]} targets
 * @param {Map<string, string[]>} imports
 * @param {string[]} closed files whose imports do not count
 */
function reaches(from, targets, imports, closed) {
  const seen = new Set([from]);
  for (const path of seen) {
    if (targets.includes(path)) return true;
    if (!closed.includes(path)) for (const next of imports.get(path) ?? []) seen.add(next);
  }
  return false;
}

/**
 * The files that a file imports or mentions by a relative path, such as programs it starts.
 * @param {Source[]} sources
 * @returns {Map<string, string[]>}
 */
export function importsOf(sources) {
  const known = new Set(sources.map(({ path }) => path));
  const named = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bURL\(\s*|\bresolve\(\s*)(['"`])(\.{1,2}\/[^'"`]+)\1/g;
  return new Map(
    sources.map(({ path, text }) => [
      path,
      [...text.matchAll(named)]
        .map(([, , target = '']) => sourceOf(posix.join(posix.dirname(path), target)))
        .filter((target) => known.has(target)),
    ]),
  );
}

/**
 * The TypeScript source of a built module, or of one that a source names by its built name.
 * @param {string} path
 */
function sourceOf(path) {
  return path.replace(/^(?:dist|js)\/(.*)\.js$/, 'js/$1.ts');
}
