import { guarded, ignored } from '../boundary/guarded.js';

/**
 * What a kernel has in this process and its garbage collector does not see: workers, threads, descriptors, child processes.
 * None of it may know the kernel's own objects, or they would never be collected.
 * @typedef {{
 *   kernel?: import('../boundary/typed_native.js').NativeKernel,
 *   types: import('./kernel_types.js').KernelTypes,
 *   mirror?: import('../files/vfs_mirror.js').VfsMirror,
 * }} Leftovers
 */

/** @type {FinalizationRegistry<Leftovers>} */
const dropped = new FinalizationRegistry(
  guarded(ignored, async (/** @type {Leftovers} */ { kernel, types, mirror }) => {
    types.stop();
    await kernel?.shutdown();
    await mirror?.remove();
  }),
);

/**
 * Ends what is left of a kernel when the application has dropped it without a shutdown.
 * @param {object} owner
 * @param {Leftovers} leftovers
 */
export function endWhenDropped(owner, leftovers) {
  dropped.register(owner, leftovers, leftovers);
}

/**
 * The kernel has been shut down.
 * @param {Leftovers} leftovers
 */
export function forget(leftovers) {
  dropped.unregister(leftovers);
}

/** Kernels that somebody waits for. @type {Set<{ owner: object }>} */
const inUse = new Set();

/**
 * Does work for somebody who may hold nothing but its promise: the kernel is not collected meanwhile.
 * @template T
 * @param {object} owner
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function whileHeld(owner, work) {
  const held = { owner };
  inUse.add(held);
  try {
    return await work();
  } finally {
    inUse.delete(held);
  }
}
