/**
 * The cost of search by meaning: embedding a query, a search among many tools, indexing their texts, and memory. Run:
 * `npm run bench -- memory`, or `node --expose-gc benches/memory.bench.mjs [count …]`. It needs the weights: `npm run memory`.
 */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP } from '../index.js';
import { ROOT, run } from '../tools/process.mjs';
import { placeTools, retrievalQueries, retrievalTools } from '../tools/retrieval_set.mjs';
import { percentile } from './measure.mjs';
import { record } from './record.mjs';

const COUNTS = process.argv.slice(2).map(Number).filter(Boolean);
const PACKAGE = join(ROOT, 'npm', 'memory');
const MEGABYTE = 1 << 20;

/** @param {number} count */
function manyTools(count) {
  const base = retrievalTools();
  return Array.from({ length: count }, (_, index) => {
    const { path, source } = base[index % base.length] ?? { path: '', source: '' };
    const round = Math.floor(index / base.length);
    return round === 0
      ? { path, source }
      : { path: path.replace('.ts', `_${round}.ts`), source: source.replace('. */', ` for branch ${round}. */`) };
  });
}

/** Memory of the process in megabytes after a garbage collection. */
function resident() {
  globalThis.gc?.();
  return process.memoryUsage().rss / MEGABYTE;
}

/** @param {number} count */
async function measure(count) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
  try {
    mkdirSync(join(folder, 'node_modules', '@tgp'), { recursive: true });
    symlinkSync(PACKAGE, join(folder, 'node_modules', '@tgp', 'memory'), 'dir');
    const configFile = join(folder, 'tgp.config.json');
    writeFileSync(configFile, JSON.stringify({ sandbox: { warm: 0 } }));
    placeTools(join(folder, '.tgp'), manyTools(count));
    const kernel = new TGP({ configFile });
    await kernel.boot();
    await kernel.registry.list();
    const before = resident();
    const started = performance.now();
    const { texts, by } = await kernel.registry.remember();
    if (by !== 'meaning') throw new Error('The weights are missing. Run `npm run memory` first.');
    const read = performance.now() - started;
    const held = resident() - before;
    /** @type {number[]} */
    const fresh = [];
    /** @type {number[]} */
    const known = [];
    for (const { query } of retrievalQueries('queries_other_words')) {
      for (const times of [fresh, known]) {
        const start = performance.now();
        await kernel.find(query);
        times.push(performance.now() - start);
      }
    }
    await kernel.shutdown();
    record('find by meaning', fresh, { group: 'over tools', at: count, facts: { readS: read / 1000, memoryMb: held } });
    return {
      tools: count,
      texts,
      'read all s': read / 1000,
      'find p50 ms': percentile(fresh, 0.5),
      'find p95 ms': percentile(fresh, 0.95),
      'of it the vector p50 ms': percentile(fresh, 0.5) - percentile(known, 0.5),
      'memory MB': held,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

run(process.execPath, [join(ROOT, 'scripts', 'memory_model.mjs')]);
const rows = [];
for (const count of COUNTS.length > 0 ? COUNTS : [100, 1000, 10_000]) rows.push(await measure(count));
const rounded = (/** @type {number} */ value) => Number(value.toFixed(2));
console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)]))));
