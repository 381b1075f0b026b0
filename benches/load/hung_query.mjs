/** Queries that never end, with a time limit, while unrelated runs continue. */

import { join } from 'node:path';
import { percentile } from '../../tools/statistics.mjs';
import { broken, cost, countsOf, fact, latencies } from './figures.mjs';
import { createKernel, placeTools, TOOLS, timed } from './workspace.mjs';

const WALL_MS = 2000;
const AT_ONCE = 8;
/** The timeout of a run after its own limit. */
const NO_ANSWER_MS = 30_000;
const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
const QUERY = `/** Waits for a database. */
export default async (args: { sql: string }): Promise<unknown> => tgp.exec_sql(args.sql);
`;

/** @param {import('./workspace.mjs').Job} job */
export default async function hungQuery({ api, folder, seconds }) {
  const silent = await measured(api, join(folder, 'silent'), seconds / 2, () => new Promise(() => {}));
  const endless = await measured(api, join(folder, 'endless'), seconds / 2, api.sqlite(join(folder, 'rows.db')));
  return [...figures('a database that never answers', silent), ...figures('an endless query of SQLite', endless)];
}

/**
 * @param {string} title
 * @param {Awaited<ReturnType<typeof measured>>} measured
 */
function figures(title, { hung, runs }) {
  const late = hung.map(({ ms }) => ms - WALL_MS);
  const failed = runs.flatMap(({ code }) => code ?? []);
  return [
    fact(`${title}: hung runs, by how they ended`, hung.length, countsOf(hung.map(({ code }) => code ?? 'ok'))),
    cost(`${title}: later than wallMs of 2 s, p50`, percentile(late, 0.5)),
    cost(`${title}: later than wallMs of 2 s, max`, percentile(late, 1)),
    ...latencies(
      `${title}: small run meanwhile`,
      runs.filter(({ code }) => code === undefined).map(({ ms }) => ms),
    ),
    fact(`${title}: small runs refused, by code`, failed.length, countsOf(failed)),
    broken(`${title}: runs without an answer`, hung.filter(({ code }) => code === 'no answer').length),
  ];
}

/**
 * @param {import('./workspace.mjs').Api} api
 * @param {string} folder
 * @param {number} seconds
 * @param {import('../../index.js').SqlSource} source
 */
async function measured(api, folder, seconds, source) {
  const kernel = createKernel(api, folder, {}, { sql: source });
  await placeTools(api, kernel, { 'tools/add.ts': TOOLS['tools/add.ts'], 'tools/query.ts': QUERY });
  const end = performance.now() + 1000 * seconds;
  /** @type {{ ms: number, code?: string }[]} */
  const hung = [];
  /** @type {{ ms: number, code?: string }[]} */
  const runs = [];
  const hang = async () => {
    while (performance.now() < end) {
      const run = timed(() => kernel.exec('tools/query.ts', { sql: ENDLESS }, { wallMs: WALL_MS }));
      const answer = await inTime(run);
      hung.push(answer);
      if (answer.code === 'no answer') return;
    }
  };
  const work = async () => {
    for (let id = 0; performance.now() < end; id++) runs.push(await timed(() => kernel.exec('tools/add.ts', { id })));
  };
  await Promise.all([...Array.from({ length: AT_ONCE }, hang), work()]);
  await kernel.shutdown();
  return { hung, runs };
}

/** @param {Promise<{ ms: number, code?: string }>} run */
async function inTime(run) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const none = new Promise((done) => {
    timer = setTimeout(() => done({ ms: WALL_MS + NO_ANSWER_MS, code: 'no answer' }), WALL_MS + NO_ANSWER_MS);
  });
  try {
    return /** @type {{ ms: number, code?: string }} */ (await Promise.race([run, none]));
  } finally {
    clearTimeout(timer);
  }
}
