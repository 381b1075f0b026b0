/**
 * What the programs of the memory tests begin with: `measured(work)` tells what a piece of work has cost the process at
 * its peak, in megabytes above what it had before. The system forgets the earlier peak first.
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
