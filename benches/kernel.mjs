/** Creates kernels of this tree, each in its own folder. */

import { TGP, tgpTools } from '../index.js';
import { createKernelOf } from './tree_kernel.mjs';

/**
 * @param {Record<string, string>} tools source by path
 * @param {import('../index.js').SandboxConfigInput} sandbox
 * @param {import('../index.js').TGPOptions['sandboxAPI']} [sandboxAPI]
 */
export function createKernel(tools, sandbox, sandboxAPI) {
  return createKernelOf({ TGP, tgpTools }, tools, { sandbox }, sandboxAPI);
}
