import { runProgram } from './run_program.js';

/** What one call may cost the application's process above what it has when idle. */
export const MAX_EXTRA_MB = 200;

/** Reads what the process has and has had; the second is set back before the work, where the system lets it. */
const PRELUDE = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const megabytes = (key) => Number(new RegExp(key + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
const settled = async (work) => {
  try { return { value: await work() }; } catch (error) { return { code: error?.code, message: String(error?.message ?? error) }; }
};
const costOf = async (work) => {
  globalThis.gc?.();
  try { writeFileSync('/proc/self/clear_refs', '5'); } catch {}
  const idle = megabytes('VmRSS');
  // The loop has turned once, so that what it does from here on is counted.
  await new Promise((done) => setTimeout(done, 1));
  const [loop, cpu] = [performance.eventLoopUtilization(), process.cpuUsage()];
  const outcome = await settled(work);
  const { user, system } = process.cpuUsage(cpu);
  const { active } = performance.eventLoopUtilization(loop);
  const extraMb = Math.round(megabytes('VmHWM') - idle);
  return { ...outcome, cpuMs: Math.round((user + system) / 1e3), busyMs: Math.round(active), extraMb };
};
`;

/**
 * What some work does to an application, in a process of its own: what came of it, the CPU time of all threads, how long the
 * event loop was busy, and how far the process's memory rose above what it was before.
 * @param {string} cwd
 * @param {string} setup an ES module; `TGP`, `tgpTools`, `createSqlTools`, `sqlite` and `node:fs` are there
 * @param {string} work the body of an async function
 * @param {string} [after] what is done in the end
 * @returns {Promise<{ value?: any, code?: string, message?: string, cpuMs: number, busyMs: number, extraMb: number }>}
 */
export function hostCost(cwd, setup, work, after = '') {
  return runProgram(
    cwd,
    `${PRELUDE}\n${setup}\nconst cost = await costOf(async () => {${work}});\n${after}\nconsole.log(JSON.stringify(cost));`,
  );
}
