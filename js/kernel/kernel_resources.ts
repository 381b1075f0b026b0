/** Releases the resources of a kernel that was dropped without a shutdown. */

import { guarded, ignored } from '../boundary/guarded.js';
import type { NativeKernel } from '../boundary/typed_native.js';
import type { VfsMirror } from '../files/vfs_mirror.js';
import { closeSource } from '../sql/close_source.js';
import { settingsOf } from '../sql/sql_settings.js';
import type { TGPOptions } from '../types/kernel.js';
import type { TypeChecks } from './type_checks.js';

/**
 * Resources of a kernel that the garbage collector does not release: workers, threads, descriptors, child processes.
 * None of them may reference the kernel, or it would never be collected. `opened` is the database that the config file has opened;
 * the kernel must close it
 */
export type KernelResources = {
  kernel?: NativeKernel;
  typeChecks: TypeChecks;
  mirror?: VfsMirror;
  opened?: TGPOptions['sql'];
  unwatch?: () => void;
};

/** Resources of kernels without a shutdown. */
const open = new Set<KernelResources>();
let isWatching = false;

const dropped = new FinalizationRegistry<KernelResources>(
  guarded(ignored, async (resources: KernelResources) => {
    open.delete(resources);
    const { kernel, typeChecks, mirror, unwatch } = resources;
    typeChecks.stop();
    unwatch?.();
    await kernel?.shutdown();
    await mirror?.remove();
    await closeConfigDatabase(resources);
  }),
);

/** Closes the database that the config file has opened, once. */
export async function closeConfigDatabase(resources: KernelResources) {
  const { opened } = resources;
  resources.opened = undefined;
  if (opened !== undefined) await closeSource(settingsOf(opened).source);
}

/** Stores the counts of tools when the process ends without a shutdown. */
function storeCountsOnExit() {
  if (isWatching) return;
  isWatching = true;
  const store = guarded(ignored, () => {
    for (const { kernel } of open) kernel?.storeCounts();
  });
  process.on('exit', store);
}

/** Releases the resources when the kernel is garbage-collected without a shutdown. */
export function releaseWhenCollected(owner: object, resources: KernelResources) {
  open.add(resources);
  storeCountsOnExit();
  dropped.register(owner, resources, resources);
}

/** Cancels the release after a shutdown. */
export function cancelRelease(resources: KernelResources) {
  open.delete(resources);
  dropped.unregister(resources);
}

/** Kernels with a pending call. */
const inUse = new Set<{ owner: object }>();

/** Keeps the kernel from being collected until the work is done: its caller may hold only the promise. */
export async function keepingAlive<T>(owner: object, work: () => Promise<T>): Promise<T> {
  const entry = { owner };
  inUse.add(entry);
  try {
    return await work();
  } finally {
    inUse.delete(entry);
  }
}
