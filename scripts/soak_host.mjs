/** The application of a soak: runs jobs on several lanes until its time is up, and reports each to the parent process. */

import { TGPError } from '../index.js';
import { numbers } from '../tools/statistics.mjs';
import { openJobs } from './soak_jobs.mjs';

/** The timeout of a job, longer than any job takes. */
const NO_ANSWER_MS = 60_000;
const LANES = 6;
const SAMPLE_MS = 500;

/** @typedef {import('./soak_jobs.mjs').Job} Job */

const [folder = '', seconds = '10', seed = '1', only = ''] = process.argv.slice(2);
/** @param {object} message */
const report = (message) => new Promise((done) => process.send?.(message, done) ?? done(undefined));

/** @param {Job} job @param {() => number} random */
async function answer(job, random) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const silence = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error('There was no answer.')), NO_ANSWER_MS);
  });
  try {
    await Promise.race([job.run(random), silence]);
    return 'ok';
  } catch (error) {
    if (error instanceof TGPError && job.codes.includes(error.code)) return error.code;
    const code = error instanceof TGPError ? error.code : 'no code';
    return `unexpected: ${code}: ${String(/** @type {Error} */ (error)?.message ?? error).slice(0, 300)}`;
  } finally {
    clearTimeout(timer);
  }
}

/** @param {Record<string, Job>} jobs @param {number} end @param {number} lane */
async function work(jobs, end, lane) {
  const random = numbers(Number(seed) * 1000 + lane);
  const bag = Object.entries(jobs).flatMap(([kind, { weight }]) => Array.from({ length: weight }, () => kind));
  while (performance.now() < end) {
    const kind = bag[Math.floor(random() * bag.length)] ?? 'good';
    const job = /** @type {Job} */ (jobs[kind]);
    const started = performance.now();
    const outcome = await answer(job, random);
    void report({ kind: 'done', job: kind, at: started, ms: performance.now() - started, outcome });
  }
}

const { jobs: all, close } = await openJobs(folder);
const wanted = only.split(',').filter(Boolean);
const jobs = Object.fromEntries(Object.entries(all).filter(([kind]) => wanted.length === 0 || wanted.includes(kind)));
await report({ kind: 'open' });
const sampling = setInterval(() => {
  // Memory that can be collected is not a leak.
  globalThis.gc?.();
  void report({ kind: 'memory', at: performance.now(), ...process.memoryUsage() });
}, SAMPLE_MS);
const end = performance.now() + 1000 * Number(seconds);
await Promise.all(Array.from({ length: LANES }, (_, lane) => work(jobs, end, lane)));
clearInterval(sampling);
const broken = await close();
globalThis.gc?.();
await report({ kind: 'closed', broken, ...process.memoryUsage() });
// The parent process inspects the remaining resources before it ends this one.
process.once('message', () => process.exit(0));
