/**
 * The source of the third-party SQL parser, compared with what bounds it. Needs the downloaded crates, so `npm run arch` omits it.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { unmeteredMethods } from '../helpers/foreign_text_rules.js';
import { sourceTree } from '../helpers/source_tree.js';

/** @typedef {{ name: string, manifest_path: string }} Package */

/**
 * The packages that the workspace uses on this machine. The crates of other platforms may not have been downloaded.
 * @returns {Package[]}
 */
function packages() {
  const host = /^host: (.*)$/m.exec(run('rustc', ['-vV']))?.[1] ?? '';
  const args = ['metadata', '--format-version', '1', '--offline', '--filter-platform', host];
  return JSON.parse(run('cargo', args)).packages;
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 256 << 20 });
  if (error) throw new Error(`${program} could not be started (${error.message}). Install Rust: CONTRIBUTING.md.`);
  if (status !== 0) {
    throw new Error(
      `"${program} ${args[0]}" failed; run "cargo fetch" if a crate is not downloaded. It said:\n${stderr}`,
    );
  }
  return stdout;
}

test('the SQL parser makes no uncounted calls to its dialect', () => {
  const parsers = packages().filter(({ name }) => name === 'sqlparser');
  expect(parsers).toHaveLength(1);
  const dialect = readFileSync(join(dirname(parsers[0]?.manifest_path ?? ''), 'src', 'dialect', 'mod.rs'), 'utf8');
  const metered = sourceTree().find(({ path }) => path === 'crates/sql/src/parsing/metered_parse.rs')?.text ?? '';
  const { count, unmetered } = unmeteredMethods(dialect, metered);
  expect(count).toBeGreaterThan(100);
  expect(unmetered).toEqual([]);
  expect(unmeteredMethods(dialect, metered.replace('parse_prefix', '')).unmetered).toEqual(['parse_prefix']);
});
