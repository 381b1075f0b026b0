import { InternalError } from '../boundary/errors.js';
import { wholeTypeOf } from '../prompt/typescript_signature.js';
import { TypeChecker } from '../types_check/type_checker.js';

/**
 * @typedef {import('../types_check/type_checker.js').TypeSources} TypeSources
 * @typedef {import('../types_check/type_checker.js').Outcome} Outcome
 */

/** The type checker of a kernel, for `check()` and for the strict check that the native part asks for before a run. */
export class KernelTypes {
  #log;
  /** @type {TypeChecker | undefined} */
  #checker;
  /** Whether the logger has heard that types are not checked. */
  #toldOfRulesAlone = false;
  #toldOfRemedy = false;

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
    if (this.#checker === undefined) throw new InternalError('Types were asked for before the kernel had booted.');
    const types = await this.#checker.check(sources);
    if ('notice' in types && types.remedy !== undefined && !this.#toldOfRemedy) {
      this.#toldOfRemedy = true;
      this.#log.warn(`Types of tools are not checked. ${types.remedy}`);
    }
    return types;
  }

  /**
   * The strict check's question; that it cannot be answered here is told once.
   * @param {TypeSources} sources
   */
  async checkBeforeRun(sources) {
    const types = await this.check(sources);
    if ('notice' in types && !this.#toldOfRulesAlone) {
      this.#toldOfRulesAlone = true;
      this.#log.warn(`check: 'strict' goes by the rules alone. ${types.notice}`);
    }
    return types;
  }

  stop() {
    this.#checker?.stop();
  }
}

/**
 * A function of the application as a member of `tgp`.
 * @param {import('../../index.js').FunctionGuide} guide
 */
function declarationOf({ name, parameters }) {
  if (parameters === undefined) return `${JSON.stringify(name)}(...args: any[]): any;`;
  const isNeeded = !(parameters.type === 'object' && (parameters.required ?? []).length === 0);
  return `${JSON.stringify(name)}(args${isNeeded ? '' : '?'}: ${wholeTypeOf(parameters)}): Promise<any>;`;
}
