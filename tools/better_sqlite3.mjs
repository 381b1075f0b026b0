/** Prepares `better-sqlite3`, the only package of the tests and benchmarks whose addon npm does not install prebuilt. */

import { canInstall, installPackages, missingPrograms } from './debian_packages.mjs';
import { announce, capture, StepFailed, status } from './process.mjs';

const NAME = 'better-sqlite3';
/** A program that fails without the addon. */
const USE = `new (require("${NAME}"))(":memory:")`;

/** Programs that compile the addon if its prebuilt binary could not be downloaded. */
const COMPILERS = [
  { program: 'python3', packages: ['python3'] },
  { program: 'make', packages: ['make'] },
  { program: 'g++', packages: ['g++'] },
];

/** Runs the package's install script, which downloads or compiles the addon, unless the addon works. */
export function ensureBetterSqlite3() {
  const works = () => capture(process.execPath, ['-e', USE]) !== undefined;
  if (works()) return;
  announce(`Preparing ${NAME}`);
  if (status('npm', ['rebuild', NAME]) === 0 && works()) return;
  const missing = missingPrograms(COMPILERS).flatMap((entry) => entry.packages);
  if (missing.length > 0 && canInstall()) {
    installPackages(missing);
    if (status('npm', ['rebuild', NAME]) === 0 && works()) return;
  }
  throw new StepFailed(
    `${NAME} could not be downloaded or compiled. Install Python, make and a C++ compiler, then run this again.`,
  );
}
