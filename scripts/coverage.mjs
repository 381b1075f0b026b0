/**
 * `npm run coverage`: test coverage, written to `target/coverage/`. JavaScript by V8, with the named tests, or all; Rust with
 * `--rust`, by cargo-llvm-cov, which rebuilds the crate with its own settings and needs `cargo install cargo-llvm-cov` and
 * `rustup component add llvm-tools`.
 */

import { join } from 'node:path';
import { capture, localBin, ROOT, status } from '../tools/process.mjs';

const args = process.argv.slice(2);
const names = args.filter((arg) => arg !== '--rust');
const folder = join(ROOT, 'target', 'coverage');

/** @returns {number} */
function rust() {
  if (capture('cargo', ['llvm-cov', '--version']) === undefined) {
    process.stderr.write(
      'cargo-llvm-cov is missing: cargo install cargo-llvm-cov && rustup component add llvm-tools\n',
    );
    return 1;
  }
  const job = [
    'llvm-cov',
    'nextest',
    '--workspace',
    '--ignore-filename-regex',
    '(tests?/|_tests\\.rs|/vendor/)',
    '--json',
    '--summary-only',
  ];
  const code = status('cargo', [...job, '--output-path', join(folder, 'rust.json')]);
  return code === 0 ? status('cargo', ['llvm-cov', 'report']) : code;
}

/** @returns {number} */
function script() {
  const options = [
    '--coverage.enabled',
    '--coverage.provider=v8',
    // The ES modules; those of types are empty.
    '--coverage.include=dist/**/*.js',
    '--coverage.exclude=dist/types/**',
    '--coverage.include=std/**',
    '--coverage.include=index.js',
    '--coverage.reporter=text-summary',
    '--coverage.reporter=json-summary',
    '--coverage.reporter=html',
    `--coverage.reportsDirectory=${folder}`,
    '--coverage.reportOnFailure',
  ];
  return status(localBin('vitest'), ['run', ...options, ...names]);
}

process.exitCode = args.includes('--rust') ? rust() : script();
