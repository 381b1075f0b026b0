/** Chooses the embedding model for tool search: the application's `embed`, the weights of @tgp/memory, or none. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ConfigError, unwrap } from '../boundary/errors.js';
import { PACKAGE_FOLDER } from '../package_folder.js';
import { EmbedHook } from './embed_hook.js';

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {import('../../index.js').Logger} Logger
 * @typedef {import('../../index.js').EmbedTexts} EmbedTexts
 */

/** Loggers that have received the hint: a process with many kernels logs it once. */
const notified = new WeakSet();

export class Memory {
  /** @type {EmbedTexts | undefined} */
  #embed;
  /** @type {Logger} */
  #logger;
  /** The application's own, which several kernels may share. @type {object} */
  #listener;
  /** @type {EmbedHook | undefined} */
  #hook;
  /** @type {'words' | 'model' | 'off' | undefined} */
  #by;
  /** @type {string | undefined} */
  #problem;

  /**
   * @param {EmbedTexts | undefined} embed
   * @param {Logger} logger that never throws
   * @param {object} listener the application's own, which several kernels may share
   */
  constructor(embed, logger, listener) {
    this.#embed = embed;
    this.#logger = logger;
    this.#listener = listener;
  }

  /**
   * Chooses the model and describes it for the native kernel; undefined for none.
   * @param {'auto' | 'off' | undefined} mode
   * @param {string} baseDir where the application's packages are found
   * @returns {string | undefined}
   */
  choose(mode, baseDir) {
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

  /**
   * Embeds texts for the native kernel.
   * @param {string[]} texts
   */
  async embedTexts(texts) {
    if (!this.#hook) throw new ConfigError('The application has no "embed".');
    return this.#hook.encoded(texts);
  }

  /**
   * The vector of a query by the application's model; undefined without one.
   * @param {string} query
   * @returns {Promise<Float32Array | undefined>}
   */
  async vectorOf(query) {
    return this.#hook?.vectorOf(query);
  }

  /**
   * Logs once why tool search uses words only.
   * @param {NativeKernel} kernel
   */
  reportProblem(kernel) {
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
 * The weights file of @tgp/memory, from the application's packages or this package's.
 * @param {string} baseDir
 * @returns {string | undefined}
 */
function locateWeights(baseDir) {
  for (const folder of [baseDir, PACKAGE_FOLDER]) {
    try {
      return createRequire(join(folder, 'package.json')).resolve('@tgp/memory/weights');
    } catch {}
  }
  return undefined;
}
