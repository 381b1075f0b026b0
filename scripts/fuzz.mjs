/**
 * `npm run fuzz`: fuzzes the parsers of untrusted text, for a minute each: paths, SQL, URLs, diffs, policies, tokens,
 * configurations, worker messages, Git's protocol and packs. `npm test` tries only the same few hundred inputs every time.
 *
 * --seconds <n>  for each property; other arguments select properties by parts of their names. Exit code 2: no match.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithUsage, readOptions } from '../tools/options.mjs';
import { localBin, ROOT, status } from '../tools/process.mjs';

const USAGE = 'Usage: npm run fuzz -- [--seconds <n>] [name …]';
const FOLDER = '__test__/fuzz';
/** The exit code of cargo nextest if no test matches. */
const NONE = 4;
/** Valid names: without characters that nextest or vitest would interpret. */
const NAME = /^[\w -]+$/;

const { values, positionals: names } = readOptions(
  { options: { seconds: { type: 'string', default: '60' } }, allowPositionals: true },
  USAGE,
);
if (!(Number(values.seconds) > 0)) endWithUsage(USAGE, '--seconds must be a number.');
const odd = names.find((name) => !NAME.test(name));
if (odd !== undefined) endWithUsage(USAGE, `No property has "${odd}" in its name.`);

const long = { TGP_FUZZ_SECONDS: values.seconds };
const chosen = names.length === 0 ? [] : ['-t', names.join('|')];
const hasScript = names.length === 0 || titles().some((title) => names.some((name) => title.includes(name)));
const wanted = names.length === 0 ? '' : ` & (${names.map(rustFilter).join(' | ')})`;
const rust = status(
  'cargo',
  ['nextest', 'run', '--workspace', '--no-fail-fast', '--no-tests=fail', '-E', `test(fuzz_tests)${wanted}`],
  long,
);
if (rust === NONE && !hasScript) endWithUsage(USAGE, `No property has "${names.join('" or "')}" in its name.`);
const script = hasScript ? status(localBin('vitest'), ['run', FOLDER, ...chosen], long) : 0;
process.exitCode = (rust === 0 || rust === NONE) && script === 0 ? 0 : 1;

/**
 * A filter for tests with a word in their name, or of the crate with that name.
 * @param {string} name
 */
function rustFilter(name) {
  return existsSync(join(ROOT, 'crates', name, 'Cargo.toml'))
    ? `test(${name}) | package(tgp-${name})`
    : `test(${name})`;
}

/** The names of the JavaScript properties; vitest would take half a minute to report that none matches. */
function titles() {
  const files = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith('.test.js'));
  const texts = files.map((name) => readFileSync(join(ROOT, FOLDER, name), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(/^it\('([^']+)'/gm)].map((match) => String(match[1])));
}
