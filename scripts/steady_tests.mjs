/**
 * Finds flaky tests: runs test files repeatedly under CPU load, and prints how often each failed:
 * `npm run test:steady -- [file or part of its path …] [--times 10] [--loops 2]`.
 */

import { spawn } from 'node:child_process';
import { endWithUsage, readOptions } from '../tools/options.mjs';
import { capture, localBin, ROOT, StepFailed, whenStarted } from '../tools/process.mjs';

const USAGE = 'Usage: npm run test:steady -- [file or part of its path …] [--times 10] [--loops 2]';

/** @param {string[]} patterns */
function selectedFiles(patterns) {
  const listed = capture(localBin('vitest'), ['list', ...patterns, '--filesOnly', '--json']);
  if (listed === undefined) throw new StepFailed(`No test file matches ${patterns.join(', ')}.`);
  const files = JSON.parse(listed.slice(listed.indexOf('['))).map((/** @type {{ file: string }} */ { file }) => file);
  return [...new Set(/** @type {string[]} */ (files))].sort();
}

/**
 * @param {string} file
 * @returns {Promise<{ code: number, seconds: number, output: string }>}
 */
function runOnce(file) {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(localBin('vitest'), ['run', '--reporter=dot', file], { cwd: ROOT });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, seconds: (performance.now() - begun) / 1000, output }));
  });
}

/** @param {string} output of Vitest */
function failedTests(output) {
  return [...new Set([...output.matchAll(/^\s*FAIL\s+(.+)$/gm)].map(([, name = '']) => name.trim()))];
}

await whenStarted(import.meta.url, async () => {
  const { values, positionals } = readOptions(
    {
      allowPositionals: true,
      options: { times: { type: 'string', default: '10' }, loops: { type: 'string', default: '2' } },
    },
    USAGE,
  );
  const [times, loops] = [Number(values.times), Number(values.loops)];
  if (!(times > 0) || !(loops >= 0)) endWithUsage(USAGE, '--times and --loops must be numbers.');
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  process.once('exit', () => {
    for (const loop of busy) loop.kill('SIGKILL');
  });
  // Node emits no `exit` when a signal kills it, and the loops would go on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  let failing = 0;
  for (const file of selectedFiles(positionals)) {
    let failures = 0;
    let slowest = 0;
    /** @type {Map<string, number>} */
    const names = new Map();
    for (let round = 0; round < times; round += 1) {
      const { code, seconds, output } = await runOnce(file);
      slowest = Math.max(slowest, seconds);
      if (code === 0) continue;
      failures += 1;
      for (const name of failedTests(output)) names.set(name, (names.get(name) ?? 0) + 1);
    }
    if (failures > 0) failing += 1;
    process.stdout.write(
      `${failures}/${times} failed, slowest ${slowest.toFixed(0)} s  ${file.slice(ROOT.length + 1)}\n`,
    );
    for (const [name, count] of names) process.stdout.write(`    ${count} × ${name}\n`);
  }
  process.exitCode = failing === 0 ? 0 : 1;
  for (const loop of busy) loop.kill('SIGKILL');
});
