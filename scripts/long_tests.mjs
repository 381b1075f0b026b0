/** The tests that repeat something until one can be sure: minutes instead of seconds. */

import { localBin, status } from './process.mjs';

process.exitCode = status(
  localBin('vitest'),
  [
    'run',
    ...['__test__/process', '__test__/ledger', '__test__/agent/killed.test.js', '__test__/cli/agent.test.js'],
    ...process.argv.slice(2),
  ],
  { TGP_LONG_TESTS: '1' },
);
