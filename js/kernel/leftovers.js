import { guarded, ignored } from '../boundary/guarded.js';
import { closeSource } from '../sql/close_source.js';
import { settingsOf } from '../sql/sql_settings.js';

/**
 * What a kernel has in this process and its garbage collector does not see: workers, threads, descriptors, child processes.
 * None of it may know the kernel's own objects, or they would never be collected.
 * @typedef {{
 *   kernel?: import('../boundary/typed_native.js').NativeKernel,
 *   types: import('./kernel_types.js').KernelTypes,
 *   mirror?: import('../files/vfs_mirror.js').VfsMirror,
 *   opened?: import('../../index.js').TGPOptions['sql'],
 *   unwatch?: () => void,
 * }} Leftovers
 * `opened` is the database that the config file has opened, which nobody else can end
 */

/** @type {FinalizationRegistry<Leftovers>} */
const dropped = new FinalizationRegistry(
  guarded(ignored, async (/** @type {Leftovers} */ leftovers) => {
    const { kernel, types, mirror, unwatch } = leftovers;
    types.stop();
    unwatch?.();
    await kernel?.shutdown();
    await mirror?.remove();
    await closeOpened(leftovers);
  }),
);

/**
 * Ends what the config file has opened, once.
 * @param {Leftovers} leftovers
 */
export async function closeOpened(leftovers) {
  const { opened } = leftovers;
  leftovers.opened = undefined;
  if (opened !== undefined) await closeSource(settingsOf(opened).source);
}

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
