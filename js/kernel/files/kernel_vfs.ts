/** The default `kernel.vfs`: the root on disk. Its methods boot the kernel first. */

import type { VFSAdapter } from '../../types/files.js';
import type { KernelRuntime } from '../kernel_runtime.js';
export function kernelVfs(runtime: KernelRuntime): VFSAdapter {
  const booted = async () => {
    await runtime.ready();
    return runtime.disk;
  };
  return {
    readSync: (path) => runtime.disk.readSync(path),
    readFile: async (path) => (await booted()).readFile(path),
    writeFile: async (path, content) => (await booted()).writeFile(path, content),
    remove: async (path) => (await booted()).remove(path),
    exists: async (path) => (await booted()).exists(path),
    listFiles: async (dir, recursive) => (await booted()).listFiles(dir, recursive),
  };
}
