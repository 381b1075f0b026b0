/** Which process it is that works on something, and whether it still lives. */

import { hostname } from 'node:os';
import { readTextAtOnce } from '../boundary/bounded_read.js';

/** @typedef {{ pid: number, host: string, started?: string }} ProcessMark */

const MAX_STAT_BYTES = 4_096;
/** When a process began, among the numbers behind its name. */
const STARTED_AT = 19;

/** @returns {ProcessMark} of this process */
export function ownMark() {
  const started = startOf('self');
  return { pid: process.pid, host: hostname(), ...(started !== undefined && { started }) };
}

/**
 * Whether a process may still be there. Of one on another machine nobody here knows: it counts as gone.
 * @param {any} mark
 */
export function isAlive(mark) {
  if (typeof mark?.pid !== 'number' || mark.host !== hostname()) return false;
  const own = ownMark();
  if (mark.pid === own.pid) return mark.started === own.started;
  const started = startOf(mark.pid);
  // The number of a process that is gone is given to others.
  if (started !== undefined && mark.started !== undefined) return started === mark.started;
  try {
    return process.kill(mark.pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @param {number | 'self'} pid
 * @returns {string | undefined} where the system tells
 */
function startOf(pid) {
  try {
    const text = readTextAtOnce(`/proc/${pid}/stat`, MAX_STAT_BYTES);
    // A name can hold spaces and brackets.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[STARTED_AT];
  } catch {
    return undefined;
  }
}
