/**
 * A warm run of a cached tool: from the call to its result in JavaScript, each sandbox in a separate process, in alternation. A
 * batch is a number of runs back to back; its first run follows a pause, in which a sandbox may prepare. Short batches are
 * typical of an application; in long ones nothing prepared is left, and each run has its full cost.
 */

import { treeMemory } from '../tools/process_tree.mjs';
import { percentile } from './measure.mjs';
import { record } from './record.mjs';
import { SandboxProcess } from './sandbox_process.mjs';
import { SANDBOXES } from './sandboxes.mjs';

const SHAPES = [
  { turns: Number(process.env.TURNS ?? 20), runs: 25 },
  { turns: Number(process.env.ROWS ?? 3), runs: 1000 },
].filter(({ turns }) => turns > 0);
/** A slow sandbox has fewer runs per batch. */
const TURN_MS = 1000;
const WAIT_MS = 30_000;

/** @typedef {{ sandbox: SandboxProcess, first: number[], times: number[], failure?: string }} Row */

/** @type {string[]} */
const failures = [];
/** @type {SandboxProcess[]} */
const sandboxes = [];
for (const name of Object.keys(SANDBOXES)) {
  try {
    sandboxes.push(await SandboxProcess.open(name));
  } catch (error) {
    failures.push(`${name}: ${String(error)}`);
  }
}

/** @param {{ turns: number, runs: number }} shape */
async function measure({ turns, runs }) {
  /** @type {Row[]} */
  const rows = sandboxes.map((sandbox) => ({ sandbox, first: [], times: [] }));
  for (let turn = -2; turn < turns; turn++) {
    for (const row of rows.filter(({ failure }) => failure === undefined)) {
      try {
        const { times, failure } = await row.sandbox.ask({ kind: 'batch', runs, budgetMs: TURN_MS }, WAIT_MS);
        if (failure) throw new Error(failure);
        if (turn < 0) continue;
        row.first.push(times[0]);
        row.times.push(...times.slice(1));
      } catch (error) {
        row.failure = String(error);
        failures.push(`${row.sandbox.name}: ${row.failure}`);
      }
    }
  }
  return rows.filter(({ failure }) => failure === undefined);
}

for (const shape of SHAPES) {
  const rows = await measure(shape);
  const base = percentile(rows[0]?.times ?? [], 0.5);
  process.stdout.write(
    `\nWarm run of a small tool, ${shape.turns} turns of ${shape.runs} runs back to back; memory as resident\n`,
  );
  for (const { sandbox, first, times } of rows) {
    const { host, workers } = treeMemory(sandbox.pid);
    record(sandbox.name, times, {
      group: `turns of ${shape.runs}`,
      facts: { afterPause: percentile(first, 0.5), hostMb: host, workersMb: workers, about: sandbox.about },
    });
    const p50 = percentile(times, 0.5);
    const cells = [
      sandbox.name.padEnd(44),
      `p50 ${p50.toFixed(3)} ms`.padStart(16),
      `p95 ${percentile(times, 0.95).toFixed(3)} ms`.padStart(16),
      `after a pause ${percentile(first, 0.5).toFixed(3)} ms`.padStart(25),
      `host ${host.toFixed(0)} MB`.padStart(11),
      `workers ${workers.toFixed(0)} MB`.padStart(14),
      `× ${(p50 / base).toFixed(1)}`.padStart(8),
      sandbox.about,
    ];
    process.stdout.write(`  ${cells.join('  ')}\n`);
  }
}
for (const failure of failures) process.stdout.write(`  FAILED ${failure}\n`);
await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
process.exitCode = failures.length > 0 ? 1 : 0;
