/** `node job.mjs <tree> <job> <settings>`: runs one job with the package of a tree, and returns its figures. */

import { importPackage } from '../tree_package.mjs';

const [tree = '', job = '', settings = '{}'] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));

try {
  const api = await importPackage(tree);
  const { default: run } = await import(`./${job}.mjs`);
  const values = await run({ api, tree, ...JSON.parse(settings) });
  process.send?.({ values });
} catch (error) {
  process.send?.({ failure: String(error).split('\n', 1)[0] });
}
