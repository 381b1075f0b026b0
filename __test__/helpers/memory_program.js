/**
 * The prelude of the programs of the memory tests: `measured(work)` returns the peak memory of the process during some work,
 * in megabytes above the memory before. It resets the earlier peak first.
 */
export const MEASURED = `
import { readFileSync, writeFileSync } from 'node:fs';
const megabytes = (key) => Number(new RegExp(key + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
const measured = async (work) => {
  writeFileSync('/proc/self/clear_refs', '5');
  const idle = megabytes('VmRSS');
  const value = await work();
  return { value, peak: Math.round(megabytes('VmHWM') - idle), left: Math.round(megabytes('VmRSS') - idle) };
};
`;
