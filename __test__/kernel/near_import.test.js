import { expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const ROUND = '/** Rounds. */\nexport default (args: { n: number }): number => Math.round(args.n);\n';

it('of tools with the same name in several folders, the nearest one is suggested for a missing import', async () => {
  const { kernel, tools } = await createKernel();
  for (const folder of ['a', 'billing', 'billing/tax', 'zone']) {
    await tools.write_file.execute({ path: `tools/${folder}/round.ts`, content: ROUND });
  }
  for (const [importer, specifier, near] of [
    ['billing/total', './rond', './round'],
    ['billing/tax/total', './rond', './round'],
    ['zone/total', './rond', './round'],
    ['zone/deep/total', './rond', '../round'],
    ['a/total', '../billing/rond', '../billing/round'],
    ['a/total', '/lib/zone/rond', '/lib/zone/round'],
  ]) {
    const path = `tools/${importer}.ts`;
    const content = `import round from '${specifier}';\n/** Total. */\nexport default (args: { n: number }): number => round(args);\n`;
    await kernel.vfs.writeFile(path, content);
    const failure = await kernel.exec(path, { n: 1 }).catch((error) => error);
    expect(failure.message, path).toContain(`Did you mean '${near}'?`);
  }
});
