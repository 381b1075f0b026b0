import { requireText } from '../boundary/validation.js';

/**
 * `kernel.registry`: which tools there are.
 * @param {import('./kernel_calls.js').KernelCalls} calls
 * @returns {import('../../index.js').Registry}
 */
export function kernelRegistry(calls) {
  return {
    hydrate: async () => {
      await calls.register((kernel) => kernel.hydrateRegistry());
    },
    register: async (path) => {
      requireText(path, 'path');
      return calls.register((kernel) => kernel.registerTool(path));
    },
    list: () => calls.read((kernel) => kernel.listTools()),
    sync: () => calls.change((kernel) => kernel.syncRegistry()),
  };
}
