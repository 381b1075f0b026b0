/** Measures CPU use by other programs and steal time, which both widen the intervals. */

import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

/** @typedef {{ busy: number, stolen: number }} Use shares of all processors' time, 0 to 1; NaN where the system has no such counters */
/** @typedef {{ total: number, idle: number, stolen: number }} Ticks */

const WATCH_MS = 1000;
/** Thresholds above which the machine is not idle. */
const LIMITS = { busy: 0.1, stolen: 0.02, loadPerCore: 0.25 };

/** The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. @param {string} text @returns {Ticks} */
export function readTicks(text) {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0] =
    /^cpu +(.*)$/m.exec(text)?.[1]?.split(' ').map(Number) ?? [];
  return { total: user + nice + system + idle + wait + irq + soft + stolen, idle: idle + wait, stolen };
}

/** @returns {Ticks | undefined} */
export function ticks() {
  try {
    return readTicks(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return undefined; // Not Linux.
  }
}

/** @param {Ticks | undefined} from @param {Ticks | undefined} to @returns {Use} */
export function useBetween(from, to) {
  const total = (to?.total ?? 0) - (from?.total ?? 0);
  if (from === undefined || to === undefined || total <= 0) return { busy: Number.NaN, stolen: Number.NaN };
  const stolen = (to.stolen - from.stolen) / total;
  return { busy: 1 - (to.idle - from.idle) / total - stolen, stolen };
}

/** Measures the machine's load while this process waits. */
export async function watchIdle() {
  const from = ticks();
  await new Promise((done) => setTimeout(done, WATCH_MS));
  return useBetween(from, ticks());
}

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)} %`;

/**
 * @param {Use} use while nothing was measured
 * @param {number} load of the last minute, per core
 * @returns {string[]} nothing where the machine is idle
 */
export function warnings({ busy, stolen }, load) {
  return [
    busy > LIMITS.busy && `other programs use ${percent(busy)} of the processors`,
    stolen > LIMITS.stolen && `the host of this virtual machine takes ${percent(stolen)} of their time away`,
    load > LIMITS.loadPerCore && `the load of the last minute is ${load.toFixed(2)} per core`,
  ].filter((text) => text !== false);
}

export const loadPerCore = () => (loadavg()[0] ?? 0) / Math.max(1, cpus().length);

/** @param {Use} use while it was measured @returns {string | undefined} */
export function stolenTime({ stolen }) {
  return stolen > LIMITS.stolen
    ? `While it was measured, the host took ${percent(stolen)} of the processors' time away.`
    : undefined;
}
