/**
 * `npm run fuzz`: searches for inputs that break what reads hostile text, for a minute each: paths, SQL, URLs, diffs, policies, tokens,
 * configurations, messages of workers, Git's protocol and packs. Without it the tests try the same few hundred inputs every time.
 *
 * --seconds <n>  for each property; other arguments choose tests by name
 */

import { parseArgs } from 'node:util';
import { localBin, status } from './process.mjs';

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '60' } },
  allowPositionals: true,
});
if (!(Number(values.seconds) > 0)) {
  process.stderr.write('--seconds must be a number.\n');
  process.exit(2);
}
const long = { TGP_FUZZ_SECONDS: values.seconds };
const named = positionals.map((name) => ` & test(${name})`).join('');
const rust = status(
  'cargo',
  ['nextest', 'run', '--release', '--no-fail-fast', '-E', `test(fuzz_tests)${named}`, '--no-tests=pass'],
  long,
);
const script = status(
  localBin('vitest'),
  ['run', '__test__/fuzz', ...positionals.flatMap((name) => ['-t', name]), '--passWithNoTests'],
  long,
);
process.exitCode = rust === 0 && script === 0 ? 0 : 1;
