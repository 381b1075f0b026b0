/** Checks the spelling with `typos`, installed as a prebuilt program from PyPI. */

import { join } from 'node:path';
import { installPackages } from '../tools/debian_packages.mjs';
import { announce, capture, ROOT, run, StepFailed, status } from '../tools/process.mjs';

/** Pinned: a later word list could fail an unchanged tree. */
const VERSION = '1.51.1';
const HOME = join(ROOT, 'target', 'typos');
const BIN = join(HOME, process.platform === 'win32' ? 'Scripts' : 'bin');
const PROGRAM = join(BIN, 'typos');

try {
  ensureTypos();
  process.exitCode = status(PROGRAM, []);
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  process.stderr.write(`${error.message}\nInstall Python 3 with its venv module, then run this again.\n`);
  process.exitCode = 1;
}

function ensureTypos() {
  if (capture(PROGRAM, ['--version'])?.includes(VERSION)) return;
  announce(`Installing typos ${VERSION}`);
  // A machine may lack Python, and Debian's lacks this module.
  if (capture('python3', ['-m', 'venv', HOME]) === undefined) {
    installPackages(['python3', 'python3-venv']);
    run('python3', ['-m', 'venv', HOME]);
  }
  run(join(BIN, 'pip'), ['install', '--quiet', '--disable-pip-version-check', `typos==${VERSION}`]);
}
