/**
 * The cost of boot, search and a write by the number of tools. Run: `npm run bench -- registry`, or
 * `node benches/registry.bench.mjs [count …]`.
 *
 * The peer for the search is SQLite's FTS5 (porter stemming, weighted BM25), in the same run on the same texts.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TGP, tgpTools } from '../index.js';
import { ensureBetterSqlite3 } from '../tools/better_sqlite3.mjs';
import { placeTools, retrievalQueries, retrievalTools } from '../tools/retrieval_set.mjs';
import { record } from './record.mjs';

const COUNTS = process.argv.slice(2).map(Number).filter(Boolean);
const SAMPLES = 200;
/** The number of boots and writes for each size. */
const ROUNDS = 9;

/** @param {number[]} values */
const median = (values) => [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

/**
 * @param {() => unknown} job
 * @returns {Promise<number>} milliseconds
 */
async function timed(job) {
  const start = performance.now();
  await job();
  return performance.now() - start;
}

/**
 * A given number of different tools: the set, repeated with other nouns.
 * @param {number} count
 */
function manyTools(count) {
  const base = retrievalTools();
  return Array.from({ length: count }, (_, index) => {
    const tool = base[index % base.length];
    if (!tool) throw new Error('The set is empty.');
    const round = Math.floor(index / base.length);
    if (round === 0) return tool;
    const noun = `region${round % 97} branch${round}`;
    return {
      path: tool.path.replace('.ts', `_${round}.ts`),
      source: tool.source.replace('. */', ` for ${noun}. */`),
    };
  });
}

/** @param {string} root */
async function kernelOn(root) {
  const kernel = new TGP({ config: { rootDir: root, sandbox: { warm: 0 } } });
  return kernel;
}

/** Node's own SQLite, or better-sqlite3 for versions without it. */
async function memoryDatabase() {
  // @ts-expect-error the types are for Node 20, which does not have this module
  const own = await import('node:sqlite').catch(() => undefined);
  if (own) return new own.DatabaseSync(':memory:');
  ensureBetterSqlite3();
  const other = await import('better-sqlite3');
  return new other.default(':memory:');
}

/**
 * A search of the same texts in FTS5.
 * @param {{ source: string, path: string }[]} tools
 */
async function fts5(tools) {
  const db = await memoryDatabase();
  db.exec("create virtual table t using fts5(path unindexed, name, description, tokenize='porter')");
  const insert = db.prepare('insert into t values (?, ?, ?)');
  for (const { path, source } of tools) {
    const description = /\/\*\* (.*) \*\//.exec(source)?.[1] ?? '';
    insert.run(path, path.replace(/[/_.]/g, ' '), description);
  }
  const select = db.prepare('select path from t where t match ? order by bm25(t, 0, 2.0, 1.0) limit 5');
  /** @param {string} query */
  return (query) => select.all((query.match(/[a-z0-9]+/gi) ?? []).map((word) => `"${word}"`).join(' OR '));
}

/** @param {number} count */
async function measure(count) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
  const root = join(folder, '.tgp');
  try {
    const tools = manyTools(count);
    mkdirSync(dirname(join(root, 'x')), { recursive: true });
    placeTools(root, tools);
    // Older than the resolution of file times, so that file fingerprints are trusted.
    await new Promise((done) => setTimeout(done, 300));
    const first = await kernelOn(root);
    await first.boot();
    const cold = await timed(() => first.registry.list());
    await first.registry.sync();
    await first.shutdown();

    const boots = [];
    const firsts = [];
    for (let round = 0; round < ROUNDS; round++) {
      const kernel = await kernelOn(root);
      boots.push(await timed(() => kernel.boot()));
      firsts.push(await timed(() => kernel.find('convert a currency amount')));
      await kernel.shutdown();
    }

    const kernel = await kernelOn(root);
    const queries = [...retrievalQueries('queries_same_words'), ...retrievalQueries('queries_some_words')];
    await kernel.find('warm up');
    const finds = [];
    const peer = await fts5(tools);
    const query = 'convert a currency amount';
    const answers = [await kernel.find(query), peer(query)];
    if (answers.some((found) => found.length === 0)) throw new Error('A search found nothing.');
    const peers = [];
    // In alternation, so that other load affects both equally. Not every query has its tool among the first hundred.
    for (let sample = -20; sample < SAMPLES; sample++) {
      const { query = 'x' } = queries[(sample + queries.length) % queries.length] ?? {};
      const found = await timed(() => kernel.find(query));
      const peered = await timed(() => peer(query));
      if (sample < 0) continue;
      finds.push(found);
      peers.push(peered);
    }
    const { write_file } = tgpTools(kernel);
    const writes = [];
    for (let round = 0; round < ROUNDS; round++) {
      const content = `/** Written for the ${round}th time. */\nexport default () => ${round};\n`;
      writes.push(await timed(() => write_file.execute({ path: 'tools/written.ts', content })));
    }
    await kernel.shutdown();
    const curves = {
      boot: boots,
      'first find': firsts,
      find: finds,
      'find, FTS5': peers,
      write: writes,
      rebuild: [cold],
    };
    for (const [name, values] of Object.entries(curves)) record(name, values, { group: 'over tools', at: count });
    const bytes = Number(execFileSync('stat', ['-c', '%s', join(root, 'meta.json')], { encoding: 'utf8' }));
    return {
      tools: count,
      'boot ms': median(boots),
      'first find ms': median(firsts),
      'find ms': median(finds),
      'FTS5 ms': median(peers),
      'write ms': median(writes),
      'rebuild ms': cold,
      'meta.json MB': bytes / 1e6,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How often FTS5 alone ranks the right tool first, for comparison with the test's figures. */
async function peerQuality() {
  const peer = await fts5(retrievalTools());
  /** @param {Parameters<typeof retrievalQueries>[0]} file */
  const share = (file) => {
    const queries = retrievalQueries(file);
    const right = queries.filter(({ path, query }) => peer(query)[0]?.path === path);
    return Math.round((100 * right.length) / queries.length);
  };
  return {
    'same words %': share('queries_same_words'),
    'some words %': share('queries_some_words'),
    'other words %': share('queries_other_words'),
  };
}

const rows = [];
for (const count of COUNTS.length > 0 ? COUNTS : [100, 1000, 10_000]) rows.push(await measure(count));
console.table(
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? Number(value.toFixed(2)) : value]),
    ),
  ),
);
console.table({ 'FTS5 alone, right tool first': await peerQuality() });
