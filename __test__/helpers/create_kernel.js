import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from './temp_root.js';

/** @typedef {import('../../index.js').TGPConfigInput} TGPConfigInput */

/**
 * A kernel on a root of its own, shut down after the test.
 * @param {TGPConfigInput} [config] `rootDir` defaults to a new temporary folder
 * @param {Omit<import('../../index.js').TGPOptions, 'config' | 'configFile'>} [options]
 */
export async function createKernel(config = {}, options = {}) {
  const rootDir = config.rootDir ?? join(await tempRoot(), '.tgp');
  const kernel = new TGP({ ...options, config: { ...config, rootDir } });
  onTestFinished(() => kernel.shutdown());
  const tools = tgpTools(kernel);
  return {
    kernel,
    tools,
    rootDir,
    /**
     * Writes a tool and runs it.
     * @param {string} content
     * @param {unknown} [args]
     * @param {import('../../index.js').ExecOptions} [options]
     */
    forge: async (content, args, options) => {
      const path = 'tools/test/forged.ts';
      await tools.write_file.execute({ path, content });
      return kernel.exec(path, args, options);
    },
  };
}
