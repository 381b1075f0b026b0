/** A cached tool, run again: from the call to its result in JavaScript. */

import { createKernel } from './kernel.mjs';
import { inTurns, report } from './measure.mjs';
import { SANDBOXES } from './sandboxes.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 500);
const tool = { 'tools/next.ts': 'export default (args: { n: number }) => args.n + 1' };
const inProcess = await createKernel(tool, { isolation: 'process', workers: 2, warm: 2 });
const inThread = await createKernel(tool, { isolation: 'thread', workers: 2, warm: 2 });
/** @type {Record<string, () => unknown>} */
const candidates = {
  '@tgp/core, process': () => inProcess.kernel.exec('tools/next.ts', { n: 1 }),
  '@tgp/core, thread': () => inThread.kernel.exec('tools/next.ts', { n: 1 }),
};
const others = [];
for (const [name, open] of Object.entries(SANDBOXES)) {
  try {
    const sandbox = await open();
    if (!sandbox) continue;
    const result = await sandbox.run('return args.n + 1', '{"n":1}');
    if (String(result) !== '2') throw new Error(`the result is ${result}`);
    candidates[name] = () => sandbox.run('return args.n + 1', '{"n":1}');
    others.push(sandbox);
  } catch (error) {
    process.stdout.write(`${name} is left out: ${String(error).split('\n', 1)[0]}\n`);
  }
}
report(`Warm run of a small tool, ${ROUNDS} rounds in turns`, await inTurns(candidates, { rounds: ROUNDS }));
await Promise.all([inProcess.close(), inThread.close(), ...others.map((sandbox) => sandbox.close?.())]);
process.exit(0);
