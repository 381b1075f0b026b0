/** The error, the ledger and the log of a run whose worker ended: each has the true cause. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compromisedWorkers } from '../helpers/compromised_workers.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** What the worker does (see `compromised_worker.mjs`), and the cause with its advice. */
const ENDS = /** @type {const} */ ([
  ['an invalid message after the start', /the worker sent an invalid message and was killed\. .*do not trust the tool/],
  ['the start twice', /the worker sent an invalid message and was killed\. .*do not trust the tool/],
  ['garbage', /the worker sent an invalid message and was killed\. .*do not trust the tool/],
  ['the exit code for no memory', /exit code 71 \(out of memory\)\. .*sandbox\.memoryMb/],
  ['the exit code for a fatal error', /exit code 72 \(fatal error of V8\)\. .*very large allocations/],
  ['any exit code', /the worker process ended with exit code 3\. Try again/],
  ['half a frame and the end', /the worker process ended with exit code 0\. Try again/],
  ['a fatal signal', /SIGSEGV \(signal 11\) killed the worker process\. .*very large allocations/],
  ['a kill', /SIGKILL \(signal 9\) killed the worker process\. .*out of memory.*sandbox\.workers/],
  ['a forbidden system call', /SIGSYS \(signal 31\) killed the worker process\. .*do not trust the tool/],
  ['a closed pipe', /the worker closed its pipe or did not read from it, and was killed\. Try again/],
]);

const PROGRAM = `
  const warnings = [];
  const kernel = new TGP({
    config: { rootDir: './.tgp', sandbox: { workers: 1 }, check: 'off' },
    logger: { debug() {}, info() {}, warn: (message) => warnings.push(message), error() {} },
  });
  await tgpTools(kernel).write_file.execute({ path: 'tools/run.ts', content: 'export default (args: any) => args' });
  const report = [];
  for (const mad of JSON.parse(process.env.ENDS)) {
    warnings.length = 0;
    const error = await kernel.exec('tools/run.ts', { mad }).then(() => ({}), (thrown) => thrown);
    const result = (await kernel.ledger.tail({ limit: 10 })).findLast(({ type }) => type === 'RESULT');
    report.push({ mad, code: error.code, message: error.message, warnings: [...warnings], recorded: result?.message });
  }
  await kernel.shutdown();
  console.log(JSON.stringify(report));
`;

describe.runIf(process.platform === 'linux')('a worker that ends', () => {
  it('is reported and logged with its cause, and with advice that fits it', async () => {
    const folder = await tempRoot();
    const env = await compromisedWorkers(join(folder, 'mad'));
    const report = await runProgram(folder, PROGRAM, { ...env, ENDS: JSON.stringify(ENDS.map(([mad]) => mad)) });
    expect(report).toEqual(
      ENDS.map(([mad, cause]) => ({
        mad,
        code: 'ERR_ISOLATE_CRASHED',
        message: expect.stringMatching(cause),
        warnings: [expect.stringMatching(cause)],
        recorded: expect.stringMatching(cause),
      })),
    );
    for (const { message } of report) expect(message).toContain('The worker of tools/run.ts ended unexpectedly');
  });
});
