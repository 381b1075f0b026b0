/**
 * The two trees of a comparison, built. The other commit has a Git worktree in `target/bench-compare/`, which stays: the next
 * comparison with it starts at once. Worktrees share a folder of Cargo, so that a new commit compiles little but the crate itself.
 */

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { announce, program, ROOT, StepFailed } from '../../scripts/process.mjs';
import { UsageError } from './options.mjs';

export const FOLDER = join(ROOT, 'target', 'bench-compare');
/** When this tree was last built by a comparison. */
const CURRENT = join(FOLDER, 'current_built');
/** In a worktree: its build has ended well. */
const BUILT = join('target', 'bench_compare_built.json');
const HASH_LETTERS = 12;
/** What a build is made from, in any layout of the repository. */
const SOURCES = [
  ...['.cargo', 'build.rs', 'Cargo.lock', 'Cargo.toml', 'crates', 'src', 'vendor'],
  ...['index.js', 'js', 'package-lock.json', 'sandbox', 'shims', 'std'],
];
/**
 * Crates of ours, and V8's, are not taken over from the folder of this tree: the build script of V8 leaves its archive at a path
 * of that folder, where the next version would replace it.
 */
const NOT_SHARED = /^(?:lib)?(?:tgp|v8)[-_.]/;

/** @param {string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return { ok: status === 0, text: (stdout ?? '').trim(), why: (stderr ?? '').trim() };
}

/**
 * The hash of a commit.
 * @param {string} ref
 */
export function commitOf(ref) {
  const { ok, text } = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  if (!ok) throw new UsageError(`"${ref}" is not a commit of this repository.`);
  return text;
}

/** What a tree is called in the report. @param {string} commit */
export const commitTitle = (commit) => git('log', '-1', '--format=%h %s', commit).text;

/** This tree is the commit as it stands, or has changes. */
export function currentTitle() {
  const changed = git('status', '--porcelain', '--untracked-files=no').text !== '';
  return `${commitTitle('HEAD')}${changed ? ', with changes' : ''}`;
}

/** Builds this tree when the addon is missing or older than its sources. */
export function buildCurrentTree() {
  if (isCurrent()) return ROOT;
  announce('Building this tree');
  npmBuild(ROOT, {});
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(CURRENT, '');
  return ROOT;
}

function isCurrent() {
  const addons = readdirSync(ROOT).filter((name) => name.endsWith('.node'));
  if (addons.length === 0 || !existsSync(join(ROOT, 'tgp.snapshot'))) return false;
  const built = Math.max(...[...addons.map((name) => join(ROOT, name)), CURRENT].map(changedAt));
  const sources = git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...SOURCES).text.split('\n');
  return sources.every((path) => changedAt(join(ROOT, path)) <= built);
}

/** @param {string} path */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * The tree of a commit, built; the current tree must have its npm packages.
 * @param {string} commit
 */
export function buildCommit(commit) {
  const folder = join(FOLDER, commit.slice(0, HASH_LETTERS));
  if (isBuilt(folder, commit)) return folder;
  announce(`Building ${commitTitle(commit)} in ${folder}`);
  checkOut(folder, commit);
  linkNodeModules(folder);
  standAlone(folder);
  npmBuild(folder, cargoFolders(folder, commit));
  mkdirSync(dirname(join(folder, BUILT)), { recursive: true });
  writeFileSync(join(folder, BUILT), `${JSON.stringify({ commit, date: new Date().toISOString() })}\n`);
  return folder;
}

/** @param {string} folder @param {string} commit */
function isBuilt(folder, commit) {
  const marker = join(folder, BUILT);
  return existsSync(marker) && JSON.parse(readFileSync(marker, 'utf8')).commit === commit;
}

/** @param {string} folder @param {string} commit */
function checkOut(folder, commit) {
  mkdirSync(FOLDER, { recursive: true });
  git('worktree', 'prune');
  // A build that failed goes on where it was, unless the folder is not a worktree of this commit.
  if (existsSync(join(folder, '.git')) && git('-C', folder, 'rev-parse', 'HEAD').text === commit) return;
  rmSync(folder, { recursive: true, force: true });
  const { ok, why } = git('worktree', 'add', '--force', '--detach', folder, commit);
  if (!ok) throw new StepFailed(`The worktree could not be made: ${why}`);
}

/**
 * The packages of this tree, where the lock files are equal; otherwise the build installs its own.
 * @param {string} folder
 */
function linkNodeModules(folder) {
  const [own, other] = [join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json')];
  const packages = join(ROOT, 'node_modules');
  const installed = join(packages, '.package-lock.json');
  if (existsSync(join(folder, 'node_modules')) || !existsSync(installed)) return;
  if (!readFileSync(own).equals(readFileSync(other))) return;
  symlinkSync(packages, join(folder, 'node_modules'), 'junction');
  // Or the build would take the packages for older than the lock file, and install them again, into this tree.
  const { atime, mtime } = statSync(installed);
  utimesSync(other, atime, mtime);
}

/**
 * Cargo looks for a workspace in the folders above, and would find this tree's.
 * @param {string} folder
 */
function standAlone(folder) {
  const manifest = join(folder, 'Cargo.toml');
  if (!/^\[workspace[\].]/m.test(readFileSync(manifest, 'utf8'))) appendFileSync(manifest, '\n[workspace]\n');
}

/**
 * One folder for all commits with the same archive of V8, seeded with the crates that this tree has compiled.
 * @param {string} folder
 * @param {string} commit
 * @returns {Record<string, string>} environment variables
 */
function cargoFolders(folder, commit) {
  const archive = git('rev-parse', `${commit}:vendor/v8`).text;
  const isSame = archive !== '' && archive === git('rev-parse', 'HEAD:vendor/v8').text;
  const target = join(FOLDER, `cargo-${archive.slice(0, HASH_LETTERS)}`);
  if (isSame) seed(join(ROOT, 'target', 'release'), join(target, 'release'));
  // Cargo compiles V8's crate again when this path changes.
  const mirror = join(isSame ? ROOT : folder, 'vendor', 'v8');
  return { CARGO_TARGET_DIR: target, RUSTY_V8_MIRROR: mirror };
}

/** @param {string} from @param {string} to */
function seed(from, to) {
  if (existsSync(to)) return;
  for (const name of ['.fingerprint', 'build', 'deps']) {
    if (!existsSync(join(from, name))) continue;
    cpSync(join(from, name), join(to, name), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => path.split(sep).at(-2) !== name || !NOT_SHARED.test(basename(path)),
    });
  }
}

/** @param {string} folder @param {Record<string, string>} extra */
function npmBuild(folder, extra) {
  // What npm has set for this run of it is not for the other tree.
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { command, args, shell } = program('npm', ['run', 'build']);
  const { status } = spawnSync(command, args, {
    cwd: folder,
    env: { ...own, INIT_CWD: folder, ...extra },
    stdio: 'inherit',
    shell,
  });
  if (status !== 0) throw new StepFailed(`The build in ${folder} failed.`);
}
