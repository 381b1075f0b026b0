/** The cost of many kernels in one process: memory, threads and files, after boot and after a run of each. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '../index.js';
import { countsOf } from '../tools/process_counts.mjs';
import { treeMemory } from '../tools/process_tree.mjs';
import { QUICK, record } from './record.mjs';

const MARKS = QUICK ? [1, 2, 5, 10] : [1, 2, 5, 10, 20, 50, 100];
const silent = { debug() {}, info() {}, warn() {}, error() {} };
/** The action of each kernel before measuring. */
const LIVES = {
  booted: async (/** @type {TGP} */ kernel) => {
    await kernel.boot();
  },
  'booted and ran a tool': async (/** @type {TGP} */ kernel) => {
    await tgpTools(kernel).write_file.execute({ path: 'tools/one.ts', content: 'export default () => 1' });
    const { result } = await kernel.exec('tools/one.ts');
    if (result !== 1) throw new Error(`1 came back as ${result}`);
  },
};

if (process.platform !== 'linux') throw new Error('Memory of processes is read from /proc, which only Linux has.');
const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
let opened = 0;
for (const [name, live] of Object.entries(LIVES)) {
  /** @type {TGP[]} */
  const kernels = [];
  const before = treeMemory(process.pid);
  process.stdout.write(`\nKernels in one process, each ${name}\n`);
  for (const mark of MARKS) {
    while (kernels.length < mark) {
      const config = { rootDir: join(folder, `root${opened++}`), sandbox: { warm: 0, workers: 1 } };
      const kernel = new TGP({ config, logger: silent });
      kernels.push(kernel);
      await live(kernel);
    }
    const memory = treeMemory(process.pid);
    const { threads, files, workers } = countsOf(process.pid);
    const [host, total] = [memory.host - before.host, memory.total - before.total];
    record(`${name}: host`, [host], {
      group: 'over kernels',
      at: mark,
      unit: 'MB',
      facts: { threads, files, workers },
    });
    record(`${name}: with workers`, [total], { group: 'over kernels', at: mark, unit: 'MB' });
    const cells = [
      `host ${host.toFixed(1)} MB`,
      `with workers ${total.toFixed(1)} MB`,
      `${threads} threads`,
      `${files} files`,
      `${workers} workers`,
    ];
    process.stdout.write(`  ${String(mark).padStart(4)}  ${cells.map((cell) => cell.padStart(24)).join('')}\n`);
  }
  await Promise.all(kernels.map((kernel) => kernel.shutdown()));
}
rmSync(folder, { recursive: true, force: true });
