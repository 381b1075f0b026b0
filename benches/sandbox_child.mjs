/** Runs one sandbox in a separate process, controlled by messages of the parent. Every answer is checked. */

import { SANDBOXES } from './sandboxes.mjs';

const GOOD = 'return args.n + 1';
/** A time limit that does not affect valid runs whose answer alone is checked. */
const GOOD_MS = 10_000;
/** The same limit for all; generous for sandboxes that measure wall-clock time on a busy machine. */
const TIMED_MS = 1000;
const [name = ''] = process.argv.slice(2);
const entry = SANDBOXES[name];
if (!entry) throw new Error(`There is no sandbox "${name}".`);
/** @type {import('./sandboxes.mjs').Sandbox} */
let sandbox;
/** @type {import('./sandboxes.mjs').Run} */
let good;
/** @type {import('./sandboxes.mjs').Run} */
let timed;

async function checkedRun(/** @type {import('./sandboxes.mjs').Run} */ run) {
  const n = Math.floor(Math.random() * 1e6);
  const answer = await run(JSON.stringify({ n }));
  if (answer !== String(n + 1)) throw new Error(`${n} + 1 came back as ${String(answer).slice(0, 100)}`);
}

/** @param {number} runs @param {number} budgetMs */
async function batch(runs, budgetMs) {
  timed ??= await sandbox.prepare(GOOD, { timeoutMs: TIMED_MS, async: false });
  const times = [];
  const begun = performance.now();
  while (times.length < runs && (times.length < 2 || performance.now() - begun < budgetMs)) {
    const started = performance.now();
    await checkedRun(timed);
    times.push(performance.now() - started);
  }
  return { times };
}

/** @param {string} body @param {import('./sandboxes.mjs').Job} job */
async function bomb(body, job) {
  const started = performance.now();
  try {
    const run = await sandbox.prepare(body, job);
    const value = await run('{}');
    return { outcome: 'value', ms: performance.now() - started, text: String(value).slice(0, 60) };
  } catch (error) {
    const { code, message = String(error) } = /** @type {{ code?: string, message?: string }} */ (error ?? {});
    return { outcome: 'error', ms: performance.now() - started, code, text: String(message).split('\n', 1)[0] };
  }
}

/** @type {Record<string, (message: any) => Promise<object>>} */
const ANSWERS = {
  batch: ({ runs, budgetMs }) => batch(runs, budgetMs),
  bomb: ({ body, job }) => bomb(body, job),
  good: async () => {
    await checkedRun(good);
    return {};
  },
  collect: async () => {
    globalThis.gc?.();
    return {};
  },
  close: async () => {
    await sandbox.close();
    return {};
  },
};

process.on('message', async (/** @type {any} */ message) => {
  const answer = await ANSWERS[message.kind]?.(message).catch((error) => ({
    failure: String(error).split('\n', 1)[0],
  }));
  process.send?.(answer);
});
process.on('disconnect', () => process.exit(0));
try {
  sandbox = await entry.open();
  good = await sandbox.prepare(GOOD, { timeoutMs: GOOD_MS, async: false });
  await checkedRun(good);
  process.send?.({ node: process.version });
} catch (error) {
  process.send?.({ failure: String(error).split('\n', 1)[0] });
}
