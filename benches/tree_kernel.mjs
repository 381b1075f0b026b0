/** Creates kernels of any build of the package, each in its own folder. The caller passes the build. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @typedef {Pick<typeof import('../index.js'), 'TGP' | 'tgpTools'>} Api what `index.js` of a tree exports */

/**
 * @param {Api} api
 * @param {Record<string, string>} tools source by path
 * @param {NonNullable<import('../index.js').TGPOptions['config']>} config
 * @param {import('../index.js').TGPOptions['sandboxAPI']} [sandboxAPI]
 */
export async function createKernelOf({ TGP, tgpTools }, tools, config, sandboxAPI) {
  const rootDir = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
  const kernel = new TGP({ config: { ...config, rootDir }, ...(sandboxAPI && { sandboxAPI }) });
  const { write_file, check_tool } = tgpTools(kernel);
  /** @param {string} path @param {string} content */
  const write = (path, content) => write_file.execute({ path, content });
  for (const [path, content] of Object.entries(tools)) await write(path, content);
  return {
    kernel,
    write,
    /** @param {string} path */
    check: (path) => check_tool.execute({ path }),
    close: async () => {
      await kernel.shutdown();
      rmSync(rootDir, { recursive: true, force: true });
    },
  };
}
