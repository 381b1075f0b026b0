/**
 * How the graph's costs grow: from 1 000 to 10 000 tools, and with an application's repository of 50 000 commits. The figures
 * are printed, as ratios to the smallest; what is asserted are the answers, and the memory of the process.
 */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../../index.js';
import { createKernel } from '../../helpers/create_kernel.js';
import { git } from '../../helpers/git_remote.js';
import { find, reversed, trails } from '../../helpers/history_model.js';
import { tempRoot } from '../../helpers/temp_root.js';
import { toolHistory } from '../../helpers/tool_history.js';

/** @typedef {import('../../helpers/history_model.js').HistoryModel} HistoryModel */
/** @typedef {Record<string, number>} Figures in milliseconds and megabytes */

const TIMEOUT_MS = 30 * 60_000;
/** What any single call may cost the process above its idle memory. */
const MAX_EXTRA_MB = 200;
const NEW_COMMITS = 10;
const REPEATS = 60;

const SMALL = { tools: 1000, commits: 5000, seed: 11 };

/** @param {number[]} values */
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** @template T @param {() => Promise<T>} work */
async function timed(work) {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
}

/** The growth of the memory while some work runs. @template T @param {() => Promise<T>} work */
async function withMemory(work) {
  const idle = process.memoryUsage().rss;
  let peak = idle;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  try {
    return { ...(await timed(work)), extraMb: (Math.max(peak, process.memoryUsage().rss) - idle) / 2 ** 20 };
  } finally {
    clearInterval(timer);
  }
}

/** @param {any} kernel @param {string} cypher @param {Record<string, unknown>} [params] @param {{ commit?: string }} [options] */
async function rows(kernel, cypher, params = {}, options = {}) {
  const { results } = await kernel.graph.query(cypher, params, options);
  return results;
}

/**
 * The median time of a query about each of some paths, and of `impact`, whose answers name all direct importers.
 * @param {any} kernel
 * @param {HistoryModel} history
 */
async function warmFigures(kernel, history) {
  const importers = reversed(history.imports());
  const step = Math.max(1, Math.floor(history.paths('module').length / REPEATS));
  const modules = history.paths('module').filter((_, at) => at % step === 0);
  const cypher = 'MATCH (f:File {path: $path})<-[:IMPORTS*1..8]-(u:File) RETURN DISTINCT u.path AS path ORDER BY path';
  const queries = [];
  const impacts = [];
  for (const path of modules) {
    const query = await timed(() => rows(kernel, cypher, { path }));
    queries.push(query.ms);
    const users = [...new Set(trails(importers, path, 1, 8))].sort();
    expect(query.value.map((/** @type {any} */ row) => row.path)).toEqual(users);
    const impact = await timed(() => kernel.graph.impact(path));
    impacts.push(impact.ms);
    const text = JSON.stringify(impact.value);
    for (const user of trails(importers, path, 1, 1)) expect(text).toContain(JSON.stringify(user));
  }
  return { 'query p50': median(queries), 'impact p50': median(impacts) };
}

/**
 * The time from a commit of the `git` command line to an answer that has it.
 * @param {any} kernel
 * @param {HistoryModel} history
 */
async function newCommitFigure(kernel, history) {
  const times = [];
  const path = find(history.paths('tool'), (tool) => tool.includes('/area_'));
  for (let at = 0; at < NEW_COMMITS; at++) {
    appendFileSync(join(history.folder, path), `// Later ${at}.\n`);
    git(history.folder, 'commit', '-q', '-a', '-m', `Later ${at}`);
    const hash = git(history.folder, 'rev-parse', 'HEAD');
    const cypher = 'MATCH (c:Commit {hash: $hash})-[r:CHANGED]->(f:File) RETURN f.path AS path, r.status AS status';
    const { value, ms } = await timed(() => rows(kernel, cypher, { hash }));
    expect(value).toEqual([{ path, status: 'modified' }]);
    times.push(ms);
  }
  return { 'new commit p50': median(times) };
}

/**
 * The counts of the graph of the kernel's own root.
 * @param {any} kernel
 */
async function countsOf(kernel) {
  const [files] = await rows(kernel, "MATCH (f:File) WHERE f.path STARTS WITH 'tools/' RETURN count(f) AS files");
  const [imports] = await rows(kernel, 'MATCH (:File)-[r:IMPORTS]->(:File) RETURN count(r) AS imports');
  const [calls] = await rows(kernel, 'MATCH (:Tool)-[r:CALLS]->(:Tool) RETURN count(r) AS calls');
  const [commits] = await rows(kernel, 'MATCH (c:Commit) RETURN count(c) AS commits');
  const [renames] = await rows(kernel, 'MATCH ()-[r:WAS_RENAMED_FROM]->() RETURN count(r) AS renames');
  return { ...files, ...imports, ...calls, ...commits, ...renames };
}

/** @param {HistoryModel} history */
const countsOfModel = (history) => ({
  files: [...history.files().keys()].filter((path) => path.startsWith('tools/')).length,
  imports: history.imports().length,
  calls: history.calls().length,
  commits: history.commits.length,
  renames: history.renames().length,
});

/**
 * The figures of a kernel whose root has a history of some size.
 * @param {import('../../helpers/tool_history.js').HistorySizes} sizes
 * @returns {Promise<Figures>}
 */
async function figuresOf(sizes) {
  const rootDir = join(await tempRoot(), '.tgp');
  const history = await toolHistory(rootDir, sizes);
  const expected = countsOfModel(history);
  const { kernel } = await createKernel({ rootDir });
  const boot = await timed(() => kernel.boot());
  const first = await withMemory(() => countsOf(kernel));
  expect(first.value).toEqual(expected);
  expect(first.extraMb).toBeLessThan(MAX_EXTRA_MB);
  const warm = await warmFigures(kernel, history);
  const later = await newCommitFigure(kernel, history);
  await kernel.shutdown();

  const second = new TGP({ config: { rootDir } });
  onTestFinished(() => second.shutdown());
  const again = await timed(() => second.boot().then(() => countsOf(second)));
  expect(again.value).toEqual({ ...expected, commits: expected.commits + NEW_COMMITS });
  const ingest = {
    boot: boot.ms,
    'first ingest': first.ms,
    'boot and counts, cached': again.ms,
    'extra MB': first.extraMb,
  };
  return { ...ingest, ...warm, ...later };
}

/** @param {string} title @param {Figures} figures @param {Figures} base */
function print(title, figures, base) {
  const lines = Object.entries(figures).map(([name, value]) => {
    const ratio = base[name] === undefined ? '' : `  × ${(value / base[name]).toFixed(2)}`;
    return `  ${name.padEnd(26)}${value.toFixed(1).padStart(10)}${ratio}`;
  });
  console.log(`${title}\n${lines.join('\n')}`);
}

test('1 000 to 10 000 tools: answers stay right, memory stays bounded', { timeout: TIMEOUT_MS }, async () => {
  const small = await figuresOf(SMALL);
  print('1 000 tools, 5 000 commits', small, {});
  print('10 000 tools, 5 000 commits', await figuresOf({ ...SMALL, tools: 10_000 }), small);
  print('1 000 tools, 20 000 commits', await figuresOf({ ...SMALL, commits: 20_000 }), small);
});

test("an application's repository of 50 000 commits is ingested once", { timeout: TIMEOUT_MS }, async () => {
  const folder = await tempRoot();
  /** @type {Figures[]} */
  const figures = [];
  for (const commits of [5000, 50_000]) {
    const projectPath = join(folder, `application-${commits}`);
    const history = await toolHistory(projectPath, { tools: 1000, commits, base: 'src', seed: 12 });
    const renames = history.renames().length;
    const { kernel } = await createKernel();
    const graph = /** @type {any} */ (kernel).graph;
    await kernel.boot();
    const first = await withMemory(() => graph.ingest({ projectPath }));
    expect(first.extraMb).toBeLessThan(MAX_EXTRA_MB);
    const again = await timed(() => graph.ingest({ projectPath }));

    const head = { commit: history.commit(history.head).hash };
    const params = { root: projectPath };
    const counts = await rows(kernel, 'MATCH (f:File) WHERE f.root = $root RETURN count(f) AS n', params, head);
    expect(counts).toEqual([{ n: history.files().size }]);
    const renamed = 'MATCH (f:File)-[r:WAS_RENAMED_FROM]->() WHERE f.root = $root RETURN count(r) AS n';
    expect(await rows(kernel, renamed, params, head)).toEqual([{ n: renames }]);

    const middle = Math.floor(history.head / 2);
    const older = { commit: history.commit(middle).hash.slice(0, 12) };
    const names =
      'MATCH (f:File) WHERE f.root = $root AND f.path STARTS WITH $prefix RETURN f.path AS path ORDER BY path';
    const area = { ...params, prefix: 'src/area_3/' };
    const query = await timed(() => rows(kernel, names, area, older));
    const paths = [...history.files(middle).keys()].filter((path) => path.startsWith(area.prefix)).sort();
    expect(query.value).toEqual(paths.map((path) => ({ path })));

    const unknown = graph.ingest({ projectPath, commitHash: '0123456789abcdef0123456789abcdef01234567' });
    await expect(unknown).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    figures.push({
      'first ingest': first.ms,
      'second ingest': again.ms,
      'query as of the middle': query.ms,
      'extra MB': first.extraMb,
    });
    print(`application of ${commits} commits`, figures.at(-1) ?? {}, figures[0] ?? {});
    await kernel.shutdown();
  }
});
