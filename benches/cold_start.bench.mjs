/** From `new TGP()` to the first result, worker included; the addon is loaded already. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '../index.js';
import { report } from './measure.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 30);
const rootDir = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
const forge = new TGP({ config: { rootDir } });
await tgpTools(forge).write_file.execute({ path: 'tools/one.ts', content: 'export default () => 1' });
await forge.shutdown();

/** @type {Record<string, number[]>} */
const times = { process: [], thread: [] };
for (let round = -2; round < ROUNDS; round++) {
  for (const isolation of /** @type {const} */ (['process', 'thread'])) {
    const started = performance.now();
    const kernel = new TGP({ config: { rootDir, sandbox: { isolation } } });
    const { result } = await kernel.exec('tools/one.ts');
    if (round >= 0) times[isolation]?.push(performance.now() - started);
    if (result !== 1) throw new Error(`1 came back as ${result}`);
    await kernel.shutdown();
  }
}
report(`Cold: new TGP() to the first result, ${ROUNDS} rounds`, times);
rmSync(rootDir, { recursive: true, force: true });
