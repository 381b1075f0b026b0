/** Delay of Node's event loop, which every other request of the application waits for. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pause } from './workspace.mjs';

const RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;

export function watchEventLoop() {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // The histogram contains the time between two ticks; the resolution is not a delay.
  const ms = (/** @type {number} */ ns) => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
  return {
    stop: () => {
      histogram.disable();
      return { p99: ms(histogram.percentile(99)), max: ms(histogram.max) };
    },
  };
}

/**
 * The duration of some work, and the longest time that it blocks the event loop.
 * @param {() => unknown} work
 */
export async function heldBy(work) {
  const watch = watchEventLoop();
  await pause(2 * RESOLUTION_MS);
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  // The delayed tick is counted when it occurs.
  await pause(2 * RESOLUTION_MS);
  return { ms, held: watch.stop().max };
}
