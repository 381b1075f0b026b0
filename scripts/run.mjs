/**
 * Runs a job from a clean clone: `node scripts/run.mjs setup | build | build:js | demo | test`. Each job installs and builds what
 * it needs, and skips what exists.
 */

import { join } from 'node:path';
import { ROOT, StepFailed, status } from '../tools/process.mjs';
import { build, buildJavaScript } from './build.mjs';
import { setup } from './setup.mjs';
import { slowTests, test } from './test.mjs';

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const JOBS = {
  setup: async () => {
    setup({ tests: true });
    return 0;
  },
  build: async () => {
    setup({ tests: false });
    await build();
    return 0;
  },
  'build:js': async () => {
    await buildJavaScript();
    return 0;
  },
  demo: async (args) => {
    setup({ tests: false });
    await build();
    return status(process.execPath, [join(ROOT, 'bin', 'tgp.js'), 'demo', ...args]);
  },
  test: async () => {
    setup({ tests: true });
    await build();
    const { passed, failed, names } = test();
    process.stdout.write(slowTests());
    if (names.length > 0) process.stdout.write(`\n${names.map((failure) => `FAILED: ${failure}\n`).join('')}`);
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
    return failed === 0 && passed > 0 ? 0 : 1;
  },
};

const [name = '', ...args] = process.argv.slice(2);
const job = Object.hasOwn(JOBS, name) ? JOBS[name] : undefined;
if (job) {
  try {
    process.exitCode = await job(args);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    if (name === 'test') process.stdout.write('\n0 passed, 1 failed\n');
    process.exitCode = 1;
  }
} else {
  process.stderr.write(`Usage: node scripts/run.mjs ${Object.keys(JOBS).join(' | ')}\n`);
  process.exitCode = 2;
}
