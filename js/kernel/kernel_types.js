import { InternalError } from '../boundary/errors.js';
import { wholeTypeOf } from '../prompt/typescript_signature.js';
import { TypeChecker } from '../types_check/type_checker.js';

/**
 * @typedef {import('../types_check/type_checker.js').TypeSources} TypeSources
 * @typedef {import('../types_check/type_checker.js').Outcome} Outcome
 */

/** The type checker of a kernel, for `check()` and for the strict check that the native part requests before a run. */
export class KernelTypes {
  #log;
  /** @type {TypeChecker | undefined} */
  #checker;
  /** Whether the warnings about missing type checks were logged. */
  #hasWarnedOfStrict = false;
  #hasWarnedOfRemedy = false;

  /** @param {import('../../index.js').Logger} log */
  constructor(log) {
    this.#log = log;
  }

  /**
   * @param {string} baseDir where the application's packages are found
   * @param {import('../../index.js').FunctionGuide[]} functions of the application, which tools may call
   */
  start(baseDir, functions) {
    this.#checker ??= new TypeChecker(baseDir, functions.map(declarationOf));
  }

  /**
   * @param {TypeSources} sources
   * @returns {Promise<Outcome>}
   */
  async check(sources) {
    if (this.#checker === undefined) throw new InternalError('Types were requested before the kernel had booted.');
    const types = await this.#checker.check(sources);
    if ('notice' in types && types.remedy !== undefined && !this.#hasWarnedOfRemedy) {
      this.#hasWarnedOfRemedy = true;
      this.#log.warn(`Types of tools are not checked. ${types.remedy}`);
    }
    return types;
  }

  /**
   * The type check of a strict kernel before a run. Warns once when types cannot be checked.
   * @param {TypeSources} sources
   */
  async checkBeforeRun(sources) {
    const types = await this.check(sources);
    if ('notice' in types && !this.#hasWarnedOfStrict) {
      this.#hasWarnedOfStrict = true;
      this.#log.warn(`check: 'strict' checks rules only. ${types.notice}`);
    }
    return types;
  }

  stop() {
    this.#checker?.stop();
  }
}

/**
 * The TypeScript declaration of an application function as a member of `tgp`.
 * @param {import('../../index.js').FunctionGuide} guide
 */
function declarationOf({ name, parameters }) {
  if (parameters === undefined) return `${JSON.stringify(name)}(...args: any[]): any;`;
  const isNeeded = !(parameters.type === 'object' && (parameters.required ?? []).length === 0);
  return `${JSON.stringify(name)}(args${isNeeded ? '' : '?'}: ${wholeTypeOf(parameters)}): Promise<any>;`;
}
