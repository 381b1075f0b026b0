import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from './temp_root.js';

/**
 * A kernel with a database, shut down after the test.
 * @param {import('../../index.js').TGPOptions['sql']} sql
 * @param {Partial<import('../../index.js').TGPOptions>} [options]
 */
export async function sqlKernel(sql, { config, ...options } = {}) {
  const rootDir = join(await tempRoot(), '.tgp');
  const kernel = new TGP({ config: { rootDir, ...config }, sql, ...options });
  onTestFinished(() => kernel.shutdown());
  const tools = tgpTools(kernel);
  let forged = 0;
  return {
    kernel,
    tools,
    /**
     * Writes a tool, and returns a function that runs it.
     * @param {string} content
     * @param {string} [path]
     */
    forge: async (content, path) => {
      forged += 1;
      const file = path ?? `tools/t${forged}.ts`;
      await tools.write_file.execute({ path: file, content });
      /** @type {(args?: unknown, options?: import('../../index.js').ExecOptions) => Promise<any>} */
      return (args, limits) => kernel.exec(file, args, limits);
    },
  };
}

/** @param {number} ms */
export const wait = (ms) => new Promise((done) => setTimeout(done, ms));
