/** The round trip of a host call, measured by the guest's clock. */

import { createKernel } from './kernel.mjs';
import { report } from './measure.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 30);
const CALLS = 500;
const tools = {
  'tools/files.ts': `let n = 0; for (let i = 0; i < ${CALLS}; i++) n += tgp.list_files('tools').length / 2; return n`,
  'tools/api.ts': `let n = 0; for (let i = 0; i < ${CALLS}; i++) n += (await tgp.ping(i)) === i ? 1 : 0; return n`,
};
/** @type {Record<string, number[]>} */
const times = {};
for (const isolation of /** @type {const} */ (['process', 'thread'])) {
  const { kernel, close } = await createKernel(tools, { isolation, timeoutMs: 5000 }, { ping: (n) => n });
  for (const [name, path] of [
    ['a function of the kernel (list_files)', 'tools/files.ts'],
    ['a function of the application', 'tools/api.ts'],
  ]) {
    const values = [];
    for (let round = -3; round < ROUNDS; round++) {
      const { result, stats } = await kernel.exec(String(path));
      if (result !== CALLS || stats.hostCalls !== CALLS) throw new Error(`${stats.hostCalls} calls, result ${result}`);
      if (round >= 0) values.push(stats.wallMs / CALLS);
    }
    times[`${isolation}: ${name}`] = values;
  }
  await close();
}
report(`Host call, round trip, ${CALLS} calls × ${ROUNDS} rounds`, times);
