/** Malformed and hostile queries are refused with a typed error, soon and without growth, and the next query works. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TGP } from '../../index.js';
import { HOSTILE_QUERIES } from '../helpers/hostile_graph_queries.js';
import { keptFolder } from '../helpers/kept_folder.js';
import { toolHistory } from '../helpers/tool_history.js';

/** The aim is 100 ms; machines of CI are slower, and Vitest works in the same process. */
const MAX_CPU_MS = 1000;
const MAX_WALL_MS = 30_000;
const MAX_GROWTH_MB = 200;

const folder = keptFolder();
/** @type {any} */
let kernel;
/** Before the first hostile query. */
let idleBytes = 0;
let peakBytes = 0;
/** @type {{ name: string, cpuMs: number }[]} */
const costs = [];

beforeAll(async () => {
  const rootDir = join(folder(), '.tgp');
  await toolHistory(rootDir, { tools: 200, commits: 1000, dense: 24 });
  kernel = new TGP({ config: { rootDir } });
  await kernel.boot();
  expect(await files()).toBeGreaterThan(200);
  idleBytes = process.memoryUsage().rss;
});
afterAll(() => kernel?.shutdown());

async function files() {
  const { results } = await kernel.graph.query('MATCH (f:File) RETURN count(f) AS files');
  return results[0].files;
}

/**
 * The line that an error names: in its details, or in its message.
 * @param {any} error
 */
const lineOf = (error) => error.line ?? error.details?.line ?? Number(/\bline (\d+)/i.exec(error.message)?.[1]);

describe('a hostile query', () => {
  test('comes in forty forms', () => {
    expect(new Set(HOSTILE_QUERIES.map(({ name }) => name)).size).toBe(40);
  });

  test.each(HOSTILE_QUERIES)('is refused: $name', async ({ name, cypher, codes, line, params }) => {
    const text = cypher();
    const started = process.cpuUsage();
    const clock = performance.now();
    const error = await kernel.graph.query(text, params).then(
      () => undefined,
      (/** @type {any} */ reason) => reason,
    );
    const { user, system } = process.cpuUsage(started);
    const cpuMs = (user + system) / 1000;
    costs.push({ name, cpuMs });
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    expect(codes).toContain(error?.code);
    expect(error.message.length).toBeLessThan(2000);
    if (line !== undefined) expect(lineOf(error)).toBe(line);
    expect(cpuMs).toBeLessThan(MAX_CPU_MS);
    expect(performance.now() - clock).toBeLessThan(MAX_WALL_MS);
  });

  test('leaves the process as it was: bounded memory, and the next query works', async () => {
    expect(costs).toHaveLength(40);
    const slowest = costs.sort((a, b) => b.cpuMs - a.cpuMs).slice(0, 5);
    console.log(`slowest: ${slowest.map(({ name, cpuMs }) => `${name} ${Math.round(cpuMs)} ms`).join('; ')}`);
    expect((peakBytes - idleBytes) / 2 ** 20).toBeLessThan(MAX_GROWTH_MB);
    expect(await files()).toBeGreaterThan(200);
  });

  test('that runs beside others does not delay them', async () => {
    const heavy = HOSTILE_QUERIES.filter(({ codes }) => codes.includes('ERR_LIMIT')).slice(0, 4);
    const refused = Promise.allSettled(heavy.map(({ cypher }) => kernel.graph.query(cypher())));
    const started = performance.now();
    let delayMs = 0;
    let last = started;
    const timer = setInterval(() => {
      delayMs = Math.max(delayMs, performance.now() - last);
      last = performance.now();
    }, 5);
    const outcomes = await refused;
    clearInterval(timer);
    expect(outcomes.map(({ status }) => status)).toEqual(heavy.map(() => 'rejected'));
    expect(delayMs).toBeLessThan(MAX_CPU_MS);
  });
});
