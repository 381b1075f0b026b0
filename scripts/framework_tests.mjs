/** Tests the packed packages in every framework and runtime, and writes the page of resource usage. Takes minutes. */

import { localBin, status } from '../tools/process.mjs';

process.exitCode = status(localBin('vitest'), ['run', '__test__/long/frameworks', ...process.argv.slice(2)], {
  TGP_FRAMEWORKS: 'all',
  TGP_LONG_TESTS: '1',
});
