import { runProgram } from './run_program.js';

/** The memory that one call may take above the idle memory of the application's process. */
export const MAX_EXTRA_MB = 200;

/** Reads the current and the peak memory of the process; the peak is reset before the work, if the system allows it. */
const PRELUDE = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const megabytes = (key) => Number(new RegExp(key + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
// CPU time of the thread of the event loop, in steps of 10 ms: other work of the machine is not in it.
const ownMs = () => {
  const fields = readFileSync('/proc/self/task/' + process.pid + '/stat', 'utf8').replace(/^.*\\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const settled = async (work) => {
  try { return { value: await work() }; } catch (error) { return { code: error?.code, message: String(error?.message ?? error) }; }
};
const costOf = async (work) => {
  globalThis.gc?.();
  try { writeFileSync('/proc/self/clear_refs', '5'); } catch {}
  const idle = megabytes('VmRSS');
  const [loop, cpu] = [ownMs(), process.cpuUsage()];
  const outcome = await settled(work);
  const { user, system } = process.cpuUsage(cpu);
  const extraMb = Math.round(megabytes('VmHWM') - idle);
  return { ...outcome, cpuMs: Math.round((user + system) / 1e3), busyMs: ownMs() - loop, extraMb };
};
`;

/**
 * Runs some work in an application, in a separate process. Returns its outcome, the CPU time of all threads and of the event
 * loop, and the growth of the peak memory.
 * @param {string} cwd
 * @param {string} setup an ES module; `TGP`, `tgpTools`, `createSqlTools`, `sqlite` and `node:fs` are in scope
 * @param {string} work the body of an async function
 * @param {string} [after] code to run at the end
 * @returns {Promise<{ value?: any, code?: string, message?: string, cpuMs: number, busyMs: number, extraMb: number }>}
 */
export function hostCost(cwd, setup, work, after = '') {
  return runProgram(
    cwd,
    `${PRELUDE}\n${setup}\nconst cost = await costOf(async () => {${work}});\n${after}\nconsole.log(JSON.stringify(cost));`,
  );
}
