import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { compromisedWorkers } from '../helpers/compromised_workers.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const CRASHED = 'ERR_ISOLATE_CRASHED';
const TIMEOUT = 'ERR_ISOLATE_TIMEOUT';
const GOOD = 'good';

/** Attacks of the worker (see `compromised_worker.mjs`), each with the end of its own run. */
const ATTACKS = /** @type {const} */ ([
  ['garbage', CRASHED],
  ['a huge length', CRASHED],
  ['a length of 1 GB', CRASHED],
  ['half a frame and the end', CRASHED],
  ['half a frame and silence', TIMEOUT],
  ['a frame byte by byte', GOOD],
  ['ready again', CRASHED],
  ['endless ready messages', CRASHED],
  ['bytecode that was not requested', CRASHED],
  ['the end of another run', CRASHED],
  ['the end twice', 1],
  ['the start twice', CRASHED],
  ['the start of another run', CRASHED],
  ['a call before the start', CRASHED],
  ['a call after the end', 1],
  ['endless log lines', CRASHED],
  ['endless switches between waiting and working', CRASHED],
  ['a log line that is too long', CRASHED],
  ['a log in invalid UTF-8', CRASHED],
  ['endless calls without reading the answers', [CRASHED, TIMEOUT]],
  ['endless calls to the application', CRASHED],
  ['large answers that are never read', [CRASHED, TIMEOUT]],
  ['arguments that are too long', CRASHED],
  ['many large calls in flight', [CRASHED, TIMEOUT]],
  ['a function name of a megabyte', CRASHED],
  ['functions of the kernel itself', GOOD],
  ['arguments a million levels deep', GOOD],
  ['arguments a million elements wide', GOOD],
  ['arguments that are not JSON', GOOD],
  ['a result that is not JSON', 'ERR_RESULT'],
  ['a result in invalid UTF-8', CRASHED],
  ['a result a million levels deep', 'ERR_RESULT'],
  ['objects a million levels deep', 'ERR_RESULT'],
  ['a result of a million arrays', 'ERR_RESULT'],
  ['a result that is too long', CRASHED],
  ['figures that are not numbers', 1],
  ['an error of megabytes', 'ERR_TOOL_THROWN'],
  ['silence', TIMEOUT],
]);

/** Runs every attack, with a good run beside it and one after it, in one host. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  let effects = 0;
  const kernel = new TGP({
    config: { rootDir: './.tgp', sandbox: { workers: 2 }, check: 'off' },
    sandboxAPI: { effect: () => { effects += 1; }, never: () => new Promise(() => {}), large: () => 'x'.repeat(4 << 20) },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const { write_file } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/run.ts', content: 'export default (args: any) => args' });
  await write_file.execute({ path: 'tools/good.ts', content: 'export default () => 1' });
  await write_file.execute({ path: 'tools/big.json', content: JSON.stringify('x'.repeat(500_000)) });
  const outcome = (run) => run.then(({ result }) => result, (error) => error.code + ': ' + error.message);
  await outcome(kernel.exec('tools/good.ts', { mad: '' }));
  const idle = peak();
  let longestPause = 0;
  let last = performance.now();
  setInterval(() => {
    longestPause = Math.max(longestPause, performance.now() - last);
    last = performance.now();
  }, 20).unref();
  const report = [];
  for (const [mad, wallMs] of JSON.parse(process.env.ATTACKS)) {
    const [end, beside] = await Promise.all([
      outcome(kernel.exec('tools/run.ts', { mad }, { wallMs })),
      outcome(kernel.exec('tools/good.ts', { mad: '' })),
    ]);
    report.push({ mad, end, beside, after: await outcome(kernel.exec('tools/good.ts', { mad: '' })), peak: peak() - idle, longestPause, effects });
    longestPause = 0;
  }
  await kernel.shutdown();
  console.log(JSON.stringify(report));
`;

describe.runIf(process.platform === 'linux')('THREAT: a worker that is compromised by an exploit of V8', () => {
  it('can end its own run and nothing else, whatever messages it sends', async () => {
    const folder = await tempRoot();
    const env = await compromisedWorkers(join(folder, 'mad'));
    // Only silence may take until the wall-clock limit.
    const names = ATTACKS.map(([name, end]) => [name, end === TIMEOUT ? 500 : 15_000]);
    const { child, ended } = startProgram(folder, PROGRAM, { ...env, ATTACKS: JSON.stringify(names) });
    const [printed, { exitCode, stderr }] = await Promise.all([text(child.stdout), ended]);
    expect([exitCode, stderr]).toEqual([0, '']);
    /** @type {{ mad: string, end: unknown, beside: unknown, after: unknown, peak: number, longestPause: number, effects: number }[]} */
    const report = JSON.parse(printed);
    if (process.env.SHOW) console.table(report);
    expect(report.map(({ mad, end }) => [mad, end])).toEqual(
      ATTACKS.map(([mad, end]) => [
        mad,
        Array.isArray(end)
          ? expect.stringMatching(new RegExp(`^(?:${end.join('|')}): `))
          : typeof end === 'string' && end.startsWith('ERR_')
            ? expect.stringMatching(new RegExp(`^${end}: `))
            : end,
      ]),
    );
    expect(report.flatMap(({ beside, after }) => [beside, after])).toEqual(ATTACKS.flatMap(() => [GOOD, GOOD]));
    expect(Math.max(...report.map(({ peak }) => peak))).toBeLessThan(200);
    // A host that waits for a worker to read would block for those 15 s.
    expect(Math.max(...report.map(({ longestPause }) => longestPause))).toBeLessThan(10_000);
    // The arguments of well-formed calls are nested too deeply: no call reaches the application.
    expect(report.at(-1)?.effects).toBe(0);
  });
});
