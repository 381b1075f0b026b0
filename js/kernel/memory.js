/**
 * Who reads the texts of tools, so that they are found by meaning: the application's `embed`, the weights of @tgp/memory, or
 * nobody. The kernel does the rest.
 */

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

/** Loggers that have heard of it: a process with many kernels says it once. */
const told = new WeakSet();

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
   * Decides who reads, in the kernel's words; nothing for nobody.
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
   * Answers the kernel's question.
   * @param {string[]} texts
   */
  async embedTexts(texts) {
    if (!this.#hook) throw new ConfigError('The application has no "embed".');
    return this.#hook.encoded(texts);
  }

  /**
   * What the application's model makes of a request; nothing where the kernel has a model of its own, or none.
   * @param {string} query
   * @returns {Promise<Float32Array | undefined>}
   */
  async vectorOf(query) {
    return this.#hook?.vectorOf(query);
  }

  /**
   * Says once what keeps tools from being found by meaning.
   * @param {NativeKernel} kernel
   */
  tell(kernel) {
    if (this.#by === 'words' && !told.has(this.#listener)) {
      told.add(this.#listener);
      this.#logger.info(
        "Tools are found by their words alone. To find them by meaning too, install @tgp/memory or pass embed; memory: 'off' ends this message.",
      );
    }
    if (this.#by !== 'model') return;
    const { problem } = unwrap(kernel.memoryReport());
    if (problem !== undefined && problem !== this.#problem) {
      this.#logger.warn(`Tools are found by their words alone. ${problem}`);
    }
    this.#problem = problem;
  }
}

/**
 * The file of weights: in the application's own packages, or beside this one.
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
