/**
 * Measures one build in a separate process: `node probe.mjs <tree> [first | prepare <root>]`. Loads the package of that tree and
 * answers messages. Both builds are measured by this file of the current tree.
 */

import { importPackage } from '../tree_package.mjs';

const [tree = '', task, root = ''] = process.argv.slice(2);

/** @param {unknown} error */
const failure = (error) => ({ failure: String(error).split('\n', 1)[0] });

/** @type {() => unknown} */
let close = () => {};
/** @type {Record<string, (amount: number) => Promise<Record<string, number[]>>>} */
let jobs = {};

process.on(
  'message',
  async (/** @type {{ kind: string, job?: string, amount?: number }} */ { kind, job = '', amount = 0 }) => {
    try {
      const values = kind === 'close' ? await close() : await jobs[job]?.(amount);
      process.send?.({ values });
    } catch (error) {
      process.send?.(failure(error));
    }
  },
);
process.on('disconnect', () => process.exit(0));

try {
  const api = await importPackage(tree);
  const { firstRun, prepareRoot, probeJobs } = await import('./probe_jobs.mjs');
  if (task === 'first') close = await firstRun(api, root);
  else if (task === 'prepare') await prepareRoot(api, root);
  else ({ jobs, close } = probeJobs(api));
  process.send?.({ ready: true });
} catch (error) {
  process.send?.(failure(error));
}
