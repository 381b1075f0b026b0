/**
 * Chooses the embedding model for tool search: the application's `embed`, the weights of
 * @tgp/memory, or none.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ConfigError } from '../boundary/errors.js';
import type { NativeKernel } from '../boundary/typed_native.js';
import { unwrap } from '../boundary/unwrap.js';
import { PACKAGE_FOLDER } from '../package_folder.js';
import type { Logger } from '../types/kernel.js';
import type { EmbedTexts } from '../types/memory.js';
import { EmbedHook } from './embed_hook.js';

/** Loggers that have received the hint: a process with many kernels logs it once. */
const notified = new WeakSet();

export class Memory {
  #embed: EmbedTexts | undefined;
  #logger: Logger;
  /** The application's own, which several kernels may share. */
  #listener: object;
  #hook: EmbedHook | undefined;
  #by: 'words' | 'model' | 'off' | undefined;
  #problem: string | undefined;

  /**
   * @param logger that never throws
   * @param listener the application's own, which several kernels may share
   */
  constructor(embed: EmbedTexts | undefined, logger: Logger, listener: object) {
    this.#embed = embed;
    this.#logger = logger;
    this.#listener = listener;
  }

  /**
   * Chooses the model and describes it for the native kernel; undefined for none.
   * @param baseDir where the application's packages are found
   */
  choose(mode: 'auto' | 'off' | undefined, baseDir: string): string | undefined {
    this.#by = mode === 'off' ? 'off' : 'model';
    if (mode === 'off') return undefined;
    if (this.#embed) {
      this.#hook ??= new EmbedHook(this.#embed, this.#logger);
      return JSON.stringify('application');
    }
    const weights = locateWeights(baseDir);
    if (weights === undefined) this.#by = 'words';
    return weights && JSON.stringify({ weights });
  }

  /** Embeds texts for the native kernel. */
  async embedTexts(texts: string[]) {
    if (!this.#hook) throw new ConfigError('The application has no "embed".');
    return this.#hook.encoded(texts);
  }

  /** The vector of a query by the application's model; undefined without one. */
  async vectorOf(query: string): Promise<Float32Array | undefined> {
    return this.#hook?.vectorOf(query);
  }

  /** Logs once why tool search uses words only. */
  reportProblem(kernel: NativeKernel) {
    if (this.#by === 'words' && !notified.has(this.#listener)) {
      notified.add(this.#listener);
      this.#logger.info(
        "Tool search uses words only. To search by meaning too, install @tgp/memory or pass embed; memory: 'off' disables this message.",
      );
    }
    if (this.#by !== 'model') return;
    const { problem } = unwrap(kernel.memoryReport());
    if (problem !== undefined && problem !== this.#problem) {
      this.#logger.warn(`Tool search uses words only. ${problem}`);
    }
    this.#problem = problem;
  }
}

/**
 * The weights file of
 * @tgp/memory, from the application's packages or this package's.
 */
function locateWeights(baseDir: string): string | undefined {
  for (const folder of [baseDir, PACKAGE_FOLDER]) {
    try {
      return createRequire(join(folder, 'package.json')).resolve('@tgp/memory/weights');
    } catch {}
  }
  return undefined;
}
