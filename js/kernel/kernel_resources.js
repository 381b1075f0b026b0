/** Releases the resources of a kernel that was dropped without a shutdown. */

import { guarded, ignored } from '../boundary/guarded.js';
import { closeSource } from '../sql/close_source.js';
import { settingsOf } from '../sql/sql_settings.js';

/**
 * Resources of a kernel that the garbage collector does not release: workers, threads, descriptors, child processes.
 * None of them may reference the kernel, or it would never be collected.
 * @typedef {{
 *   kernel?: import('../boundary/typed_native.js').NativeKernel,
 *   types: import('./kernel_types.js').KernelTypes,
 *   mirror?: import('../files/vfs_mirror.js').VfsMirror,
 *   opened?: import('../../index.js').TGPOptions['sql'],
 *   unwatch?: () => void,
 * }} KernelResources
 * `opened` is the database that the config file has opened; the kernel must close it
 */

/** @type {FinalizationRegistry<KernelResources>} */
const dropped = new FinalizationRegistry(
  guarded(ignored, async (/** @type {KernelResources} */ resources) => {
    const { kernel, types, mirror, unwatch } = resources;
    types.stop();
    unwatch?.();
    await kernel?.shutdown();
    await mirror?.remove();
    await closeConfigDatabase(resources);
  }),
);

/**
 * Closes the database that the config file has opened, once.
 * @param {KernelResources} resources
 */
export async function closeConfigDatabase(resources) {
  const { opened } = resources;
  resources.opened = undefined;
  if (opened !== undefined) await closeSource(settingsOf(opened).source);
}

/**
 * Releases the resources when the kernel is garbage-collected without a shutdown.
 * @param {object} owner
 * @param {KernelResources} resources
 */
export function releaseWhenCollected(owner, resources) {
  dropped.register(owner, resources, resources);
}

/**
 * Cancels the release after a shutdown.
 * @param {KernelResources} resources
 */
export function cancelRelease(resources) {
  dropped.unregister(resources);
}

/** Kernels with a pending call. @type {Set<{ owner: object }>} */
const inUse = new Set();

/**
 * Keeps the kernel from being collected until the work is done: its caller may hold only the promise.
 * @template T
 * @param {object} owner
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function keepingAlive(owner, work) {
  const entry = { owner };
  inUse.add(entry);
  try {
    return await work();
  } finally {
    inUse.delete(entry);
  }
}
