/** Growth of disk use and memory by runs and writes. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { treeMemory } from '../../tools/process_tree.mjs';
import { cost, fact, gain } from './figures.mjs';
import { createKernel, ledgerOf, pause, placeTools, rootOf, TOOLS, toolText } from './workspace.mjs';

const RUNS = 60_000;
const WRITES = 3000;
const LANES = 4;
const PATHS = 100;
/** A pause for the garbage collector. */
const SETTLE_MS = 500;

/** @param {import('./workspace.mjs').Job} job */
export default async function growth({ api, folder, scale }) {
  const kernel = createKernel(api, folder);
  await placeTools(api, kernel, { 'tools/add.ts': TOOLS['tools/add.ts'] });
  const { write_file } = api.tgpTools(kernel);
  await repeat(200, (id) => kernel.exec('tools/add.ts', { id }));
  const memory = [await settled()];
  await kernel.shutdown();
  const sizes = [sizesOf(folder)];

  await kernel.boot();
  const runs = Math.max(100, Math.round(RUNS * scale));
  const runMs = await repeat(runs, (id) => kernel.exec('tools/add.ts', { id }));
  memory.push(await settled());
  await kernel.shutdown();
  sizes.push(sizesOf(folder));

  await kernel.boot();
  const writes = Math.max(20, Math.round(WRITES * scale));
  const writeMs = await repeat(writes, (id) =>
    write_file.execute({ path: `tools/written/t${id % PATHS}.ts`, content: toolText(id) }),
  );
  memory.push(await settled());
  await kernel.shutdown();
  sizes.push(sizesOf(folder));

  const grown = (/** @type {'ledger' | 'repository' | 'objects'} */ of, /** @type {number} */ at) =>
    Number(sizes[at]?.[of]) - Number(sizes[at - 1]?.[of]);
  return [
    fact('runs', runs),
    gain('runs, 4 at a time', runs / (runMs / 1000), '/s'),
    cost('ledger, for each run', grown('ledger', 1) / runs, 'B'),
    fact('writes', writes),
    gain('writes, 4 at a time', writes / (writeMs / 1000), '/s'),
    cost('ledger, for each write', grown('ledger', 2) / writes, 'B'),
    cost('repository, for each write', grown('repository', 2) / writes, 'B'),
    cost('loose objects, for each write', grown('objects', 2) / writes, ''),
    ...['start', 'middle', 'end'].flatMap((when, at) => [
      cost(`memory of the host, ${when}`, memory[at]?.host ?? Number.NaN, 'MB'),
      cost(`memory of the workers, ${when}`, memory[at]?.workers ?? Number.NaN, 'MB'),
    ]),
  ];
}

/**
 * @param {number} times
 * @param {(id: number) => Promise<unknown>} work
 * @returns {Promise<number>} milliseconds
 */
async function repeat(times, work) {
  const started = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return performance.now() - started;
}

async function settled() {
  globalThis.gc?.();
  await pause(SETTLE_MS);
  return treeMemory(process.pid);
}

/** @param {string} folder */
function sizesOf(folder) {
  const ledger = bytesOf(ledgerOf(folder));
  const counted = execFileSync('git', ['-C', rootOf(folder), 'count-objects'], { encoding: 'utf8' });
  return {
    ledger,
    repository: bytesOf(join(rootOf(folder), '.git')) - ledger,
    objects: Number.parseInt(counted, 10),
  };
}

/** Bytes that the disk has for a folder. @param {string} folder */
function bytesOf(folder) {
  if (!existsSync(folder)) return 0;
  return Number.parseInt(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }), 10) * 1024;
}
