import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** @typedef {{ name: string, version: string, license: string | null, source: string | null }} Crate */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index';
const RULES = readFileSync(`${ROOT}/deny.toml`, 'utf8');
const ALLOWED = new Set(listed('allow'));

/**
 * A list of texts in deny.toml.
 * @param {string} key
 */
function listed(key) {
  const items = new RegExp(`^${key} = \\[([^\\]]*)\\]`, 'm').exec(RULES)?.[1] ?? '';
  return [...items.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? '');
}

/** @returns {Crate[]} everything that the lock file names, for every platform */
function crates() {
  const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--locked', '--all-features'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(metadata).packages;
}

/**
 * Whether licences of the list are sufficient: `AND` requires all, `OR` (formerly `/`) one.
 * @param {string} expression
 * @returns {boolean}
 */
function isAllowed(expression) {
  const grouped = /^(.*?)\(([^()]*)\)(.*)$/.exec(expression);
  if (grouped) {
    const inner = isAllowed(grouped[2] ?? '') ? 'MIT' : 'unknown';
    return isAllowed(`${grouped[1]}${inner}${grouped[3]}`);
  }
  return expression.split(/ OR |\//).some((choice) => choice.split(' AND ').every((name) => ALLOWED.has(name.trim())));
}

describe('the crates that are linked', () => {
  const all = crates();
  const foreign = all.filter(({ source }) => source !== null);

  it('are many, and one of them is V8', () => {
    expect(foreign.length).toBeGreaterThan(100);
    expect(foreign.map(({ name }) => name)).toContain('v8');
  });

  it('come from the registry', () => {
    expect(foreign.filter(({ source }) => source !== CRATES_IO)).toEqual([]);
    const ours = all.filter(({ source }) => source === null).map(({ name }) => name);
    const folders = readdirSync(`${ROOT}/crates`).map((name) => `tgp-${name}`);
    expect(ours.toSorted()).toEqual([...folders, 'tgp-core'].toSorted());
  });

  it('have licences that require only their notice', () => {
    const refused = foreign.filter(({ license }) => !isAllowed(license ?? ''));
    expect(refused.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  it('occur in one version, except for a list that may only shrink', () => {
    const names = foreign.map(({ name }) => name).sort();
    const twice = names.filter((name, index) => name === names[index - 1]);
    expect([...new Set(twice)]).toEqual(listed('skip'));
  });
});

describe('a licence', () => {
  it.each(['MIT', 'MIT/GPL-3.0', 'GPL-2.0 OR ISC', '(GPL-3.0 OR MIT) AND Unicode-3.0'])('passes: %s', (text) => {
    expect(isAllowed(text)).toBe(true);
  });

  it.each(['', 'GPL-3.0', 'MIT AND GPL-3.0', '(GPL-3.0 OR AGPL-3.0) AND MIT'])('is refused: %s', (text) => {
    expect(isAllowed(text)).toBe(false);
  });
});
