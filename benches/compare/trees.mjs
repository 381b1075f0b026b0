/**
 * Builds the two trees of a comparison. The other commit is a Git worktree in `target/bench-compare/`, which is kept for further
 * comparisons. Worktrees share a Cargo folder, so that a new commit compiles little more than our own crates.
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
import { announce, program, ROOT, StepFailed } from '../../tools/process.mjs';
import { UsageError } from './options.mjs';

export const FOLDER = join(ROOT, 'target', 'bench-compare');
/** The time stamp of this tree's last build by a comparison. */
const CURRENT = join(FOLDER, 'current_built');
/** A marker in a worktree: its build has succeeded. */
const BUILT = join('target', 'bench_compare_built.json');
const HASH_LETTERS = 12;
/** The inputs of a build, in any repository layout. */
const SOURCES = [
  ...['.cargo', 'build.rs', 'Cargo.lock', 'Cargo.toml', 'crates', 'src', 'vendor'],
  ...['index.js', 'js', 'package-lock.json', 'sandbox', 'shims', 'std', 'tsconfig.json', 'tsconfig.build.json'],
];
/**
 * Our own crates and V8's are not copied from this tree's folder: the build script of V8 refers to an archive in that folder,
 * which the next version would replace.
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

/** The title of a commit in the report. @param {string} commit */
export const commitTitle = (commit) => git('log', '-1', '--format=%h %s', commit).text;

/** A description of this tree: its commit, and whether it has changes. */
export function currentTitle() {
  const changed = git('status', '--porcelain', '--untracked-files=no').text !== '';
  return `${commitTitle('HEAD')}${changed ? ', with changes' : ''}`;
}

/** Builds this tree when a product is missing or older than its sources. */
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
  const products = ['tgp.snapshot', join('dist', 'index.js')];
  if (addons.length === 0 || !products.every((path) => existsSync(join(ROOT, path)))) return false;
  const built = Math.max(...[...addons.map((name) => join(ROOT, name)), CURRENT].map(changedAt));
  const sources = git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...SOURCES).text.split('\n');
  return sources.every((path) => changedAt(join(ROOT, path)) <= built);
}

/** @param {string} path */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Builds the tree of a commit; the current tree must have its npm packages installed.
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
  // A failed build is continued, unless the folder is not a worktree of this commit.
  if (existsSync(join(folder, '.git')) && git('-C', folder, 'rev-parse', 'HEAD').text === commit) return;
  rmSync(folder, { recursive: true, force: true });
  const { ok, why } = git('worktree', 'add', '--force', '--detach', folder, commit);
  if (!ok) throw new StepFailed(`The worktree could not be made: ${why}`);
}

/**
 * Links this tree's packages if the lock files are equal; otherwise the build installs its own.
 * @param {string} folder
 */
function linkNodeModules(folder) {
  const [own, other] = [join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json')];
  const packages = join(ROOT, 'node_modules');
  const installed = join(packages, '.package-lock.json');
  if (existsSync(join(folder, 'node_modules')) || !existsSync(installed)) return;
  if (!readFileSync(own).equals(readFileSync(other))) return;
  symlinkSync(packages, join(folder, 'node_modules'), 'junction');
  // Otherwise the build would consider the packages older than the lock file, and reinstall them into this tree.
  const { atime, mtime } = statSync(installed);
  utimesSync(other, atime, mtime);
}

/**
 * Cargo searches parent folders for a workspace, and would find this tree's.
 * @param {string} folder
 */
function standAlone(folder) {
  const manifest = join(folder, 'Cargo.toml');
  if (!/^\[workspace[\].]/m.test(readFileSync(manifest, 'utf8'))) appendFileSync(manifest, '\n[workspace]\n');
}

/**
 * One Cargo folder for all commits with the same V8 archive, seeded with the crates compiled by this tree.
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
  // Environment variables set by npm must not affect the other tree.
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
