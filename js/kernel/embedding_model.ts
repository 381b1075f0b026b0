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

export class EmbeddingModel {
  #embed: EmbedTexts | undefined;
  #logger: Logger;
  #hook: EmbedHook | undefined;
  /** Whether a model was chosen. */
  #isChosen = false;
  #problem: string | undefined;

  /** @param logger that never throws */
  constructor(embed: EmbedTexts | undefined, logger: Logger) {
    this.#embed = embed;
    this.#logger = logger;
  }

  /**
   * Chooses the model and describes it for the native kernel; undefined for none.
   * @param baseDir where the application's packages are found
   */
  choose(mode: 'auto' | 'off' | undefined, baseDir: string): string | undefined {
    const weights = mode === 'off' || this.#embed ? undefined : locateWeights(baseDir);
    this.#isChosen = mode !== 'off' && (this.#embed !== undefined || weights !== undefined);
    if (!this.#isChosen) return undefined;
    if (this.#embed) this.#hook ??= new EmbedHook(this.#embed, this.#logger);
    return JSON.stringify(this.#embed ? 'application' : { weights });
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

  /** Logs once why the weights cannot be used. */
  reportProblem(kernel: NativeKernel) {
    if (!this.#isChosen) return;
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
export function locateWeights(baseDir: string): string | undefined {
  for (const folder of [baseDir, PACKAGE_FOLDER]) {
    try {
      return createRequire(join(folder, 'package.json')).resolve('@tgp/memory/weights');
    } catch {}
  }
  return undefined;
}
