/** Gets a fresh machine ready: each step looks first and does nothing when there is nothing to do. */

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { announce, capture, ROOT, run, StepFailed } from './process.mjs';

/** What the build calls, and the Debian packages that bring it. */
const PROGRAMS = [
  { program: 'cc', packages: ['gcc', 'libc6-dev'] },
  { program: 'git', packages: ['git'] },
];

/** Databases that the tests start and stop themselves; their tests are skipped, with a line, where they are missing. */
const SERVERS = [
  { path: '/usr/lib/postgresql', packages: ['postgresql'] },
  { path: '/usr/sbin/mariadbd', packages: ['mariadb-server'] },
];

/** @param {{ tests: boolean }} need */
export function setup({ tests }) {
  ensurePrograms();
  ensureCargo();
  if (tests) {
    ensureServers();
    ensureNextest();
  }
  ensureNodeModules();
}

function ensurePrograms() {
  if (process.platform === 'win32') return;
  const missing = PROGRAMS.filter(({ program }) => capture(program, ['--version']) === undefined);
  if (missing.length === 0) return;
  const packages = missing.flatMap((entry) => entry.packages);
  if (capture('apt-get', ['--version']) === undefined) {
    const names = missing.map((entry) => entry.program).join(' and ');
    throw new StepFailed(
      `Missing: ${names}. Install a C compiler and Git with your package manager, then run this again.`,
    );
  }
  installPackages(packages);
}

function ensureServers() {
  // Only where it needs nobody's password: a developer's machine is not changed for tests that can be skipped.
  if (process.getuid?.() !== 0 || capture('apt-get', ['--version']) === undefined) return;
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
function installPackages(packages) {
  announce(`Installing Debian packages: ${packages.join(' ')}`);
  const prefix = process.getuid?.() === 0 ? [] : ['sudo'];
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
  run('cargo', ['install', '--locked', 'cargo-nextest']);
}

function ensureNodeModules() {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  const lock = join(ROOT, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  announce('Installing npm packages');
  // Not `npm ci`: it refuses a lock file that was made where the registry lacks some other platform's optional package.
  // This installs the locked versions as well, and leaves the lock file alone.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund']);
}
