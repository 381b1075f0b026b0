/** Kernels on folders of their own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '../index.js';

/**
 * @param {Record<string, string>} tools source by path
 * @param {import('../index.js').SandboxConfigInput} sandbox
 * @param {import('../index.js').TGPOptions['sandboxAPI']} [sandboxAPI]
 */
export async function createKernel(tools, sandbox, sandboxAPI) {
  const rootDir = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
  const kernel = new TGP({ config: { rootDir, sandbox }, ...(sandboxAPI && { sandboxAPI }) });
  const { write_file } = tgpTools(kernel);
  /** @param {string} path @param {string} content */
  const write = (path, content) => write_file.execute({ path, content });
  for (const [path, content] of Object.entries(tools)) await write(path, content);
  return {
    kernel,
    write,
    close: async () => {
      await kernel.shutdown();
      rmSync(rootDir, { recursive: true, force: true });
    },
  };
}
