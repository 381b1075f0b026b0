/** Cold start: from `new TGP()` to the first result, including the worker; the addon is already loaded. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '../index.js';
import { report } from './measure.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 30);
const rootDir = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
const TOOLS = {
  'tools/one.ts': 'export default () => 1',
  'tools/zod.ts': "import { z } from 'zod';\nexport default () => z.number().parse(1);",
};
/** @param {'process' | 'thread'} isolation */
const start = (isolation) => new TGP({ config: { rootDir, allowedImports: ['zod'], sandbox: { isolation } } });
const forge = start('process');
for (const [path, content] of Object.entries(TOOLS)) await tgpTools(forge).write_file.execute({ path, content });
await forge.shutdown();

/** @type {[string, 'process' | 'thread', keyof typeof TOOLS][]} */
const CASES = [
  ['process', 'process', 'tools/one.ts'],
  ['thread', 'thread', 'tools/one.ts'],
  ['process, with zod', 'process', 'tools/zod.ts'],
  ['thread, with zod', 'thread', 'tools/zod.ts'],
];

/** @type {Record<string, number[]>} */
const times = Object.fromEntries(CASES.map(([name]) => [name, []]));
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, isolation, tool] of CASES) {
    const started = performance.now();
    const kernel = start(isolation);
    const { result } = await kernel.exec(tool);
    if (round >= 0) times[name]?.push(performance.now() - started);
    if (result !== 1) throw new Error(`1 came back as ${result}`);
    await kernel.shutdown();
  }
}
report(`Cold: new TGP() to the first result, ${ROUNDS} rounds`, times);
rmSync(rootDir, { recursive: true, force: true });
